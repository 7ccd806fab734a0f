# Lists the suites of a test program for CTest, after the program has been built. Each suite is one
# process: starting a process takes longer than most of the cases.
#   cmake -DPROGRAM=<path> -DPREFIX=<of the names> -DSLOW=<suites> -DBY_PARAMETER=<suites>
#         -DOUTPUT=<file that CTest includes> -P discover.cmake
# A suite in BY_PARAMETER becomes one test for each of its parameters, so that they run in parallel.
# The label is slow for the suites in SLOW, and fast for all others.

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
# "Instance/Suite." in one line, then one line "  Case/parameter  # GetParam() = …" for each case.
string(REGEX REPLACE "#[^\n]*" "" listing "${listing}")
string(REGEX MATCHALL "[^\n]+" lines "${listing}")

set(tests "")  # "<name>|<filter>|<label>"
foreach(line IN LISTS lines)
  string(STRIP "${line}" text)
  if(line MATCHES "^[^ ]+\\. *$")
    string(REGEX REPLACE "\\.$" "" suite "${text}")
    string(REGEX REPLACE "^.*/" "" name "${suite}")
    set(filter "${name}.*")
    if(suite MATCHES "/")
      set(filter "*/${name}.*")
    endif()
    set(label fast)
    if(name IN_LIST SLOW)
      set(label slow)
    endif()
  elseif(line MATCHES "^  ")
    if(name IN_LIST BY_PARAMETER AND text MATCHES "/([^/]+)$")
      list(APPEND tests "${name}.${CMAKE_MATCH_1}|${filter}/${CMAKE_MATCH_1}|${label}")
    else()
      list(APPEND tests "${name}|${filter}|${label}")
    endif()
  endif()
endforeach()
list(REMOVE_DUPLICATES tests)

set(script "")
foreach(test IN LISTS tests)
  string(REPLACE "|" ";" parts "${test}")
  list(GET parts 0 name)
  list(GET parts 1 filter)
  list(GET parts 2 label)
  string(APPEND script
    "add_test([=[${PREFIX}.${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${filter}]=] --gtest_brief=1)\n"
    "set_tests_properties([=[${PREFIX}.${name}]=] PROPERTIES LABELS ${label})\n")
endforeach()
file(WRITE ${OUTPUT} "${script}")
