# Files of a folder are compiled together, a few at a time: what they include is then read once, and
# templates that several of them use are instantiated once. TAUT_UNITY=OFF compiles every file by
# itself, which finds missing includes.

# Sets `sources` to the files like `pattern` in folders after `root`, and says which go together.
function(collect_sources sources root pattern)
  set(all)
  foreach(folder IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${root}${folder}/${pattern})
    list(LENGTH found files)
    math(EXPR groups "(${files} + ${TAUT_UNITY_SIZE} - 1) / ${TAUT_UNITY_SIZE}")
    set(count 0)
    foreach(source IN LISTS found)
      math(EXPR group "${count} * ${groups} / ${files}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR count "${count} + 1")
    endforeach()
    list(APPEND all ${found})
  endforeach()
  set(${sources} ${all} PARENT_SCOPE)
endfunction()

function(compile_together target)
  if(TAUT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()
