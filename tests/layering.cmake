# Checks that dependencies between the folders of src/taut point one way.
#   cmake -DROOT=<the source tree> -P layering.cmake
cmake_minimum_required(VERSION 3.25)

# What each folder may include, besides itself.
set(base)
set(model       base)
set(collision   base model)
set(forces      base model)
set(constraints base model)
set(solve       base model)        # of a system: its rows and masses
set(methods     base model solve)  # knows rows, and no constraint or force by name
set(simulate    ${methods} methods constraints forces)
set(cloth       base model forces constraints)
set(reference   base model)
set(analysis    ${simulate} simulate reference)
set(text        base model)        # model: expressions are motions
set(mesh        base model text)
set(robot       base model forces constraints text mesh collision)  # collision: masses of shapes
set(hand        base model forces constraints collision)
set(sensor      ${simulate} simulate text collision)  # collision: names of shapes
set(scene       ${analysis} analysis cloth text mesh robot collision hand sensor)
set(derivatives ${scene} scene)
set(record      ${scene} scene)
set(report      base text)
set(experiment  ${record} record report)
set(farm        base)
set(sweep       ${record} record report farm)
set(devices     base model hand text)
set(haptics     ${simulate} simulate hand devices)
set(server      ${record} record report devices haptics)
# With MPI and PETSc; nothing but the program includes it.
set(distributed ${record} record)
set(folders base model collision forces constraints solve methods simulate cloth reference analysis text mesh
            robot hand sensor scene derivatives record report experiment farm sweep server devices haptics distributed)

set(violations "")

# Appends to violations what is wrong with one file; folder is its folder in src/taut, or apps.
function(check_file file folder)
  file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include IN LISTS includes)
    if(NOT include MATCHES "include[ \t]*[<\"]([^>\"]+)[>\"]")
      continue()
    endif()
    set(header ${CMAKE_MATCH_1})
    set(problem "")
    if(header MATCHES "\\.\\./")
      set(problem "write it as taut/<folder>/<file>")
    elseif(folder STREQUAL "apps")
      # May include anything.
    elseif(header STREQUAL "taut/taut.hpp")
      set(problem "the umbrella header is for users of the library")
    elseif(header MATCHES "^taut/([^/]+)/")
      set(included ${CMAKE_MATCH_1})
      set(allowed ${folder} ${${folder}})
      if(NOT included IN_LIST allowed)
        list(JOIN allowed " " allowed)
        set(problem "${folder} may include only: ${allowed}")
      endif()
    endif()
    if(problem)
      string(APPEND violations "  ${file}\n    includes ${header}  (${problem})\n")
    endif()
  endforeach()
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${ROOT}
  ${ROOT}/src/taut/*.hpp ${ROOT}/src/taut/*.cpp ${ROOT}/apps/*.hpp ${ROOT}/apps/*.cpp)
foreach(file IN LISTS files)
  if(file MATCHES "^apps/")
    check_file(${file} apps)
  elseif(file MATCHES "^src/taut/([^/]+)/")
    set(folder ${CMAKE_MATCH_1})
    if(folder IN_LIST folders)
      check_file(${file} ${folder})
    else()
      string(APPEND violations
        "  ${file}\n    is in the folder ${folder}, which tests/layering.cmake does not list\n")
    endif()
  endif()
endforeach()

list(LENGTH files count)
if(violations)
  message(FATAL_ERROR "Includes against the layering:\n${violations}")
endif()
message("layering: ${count} files checked")
