# Warnings and sanitizers. Floating-point flags stay the compiler's defaults: results must be
# the same from run to run, so never -ffast-math.

add_library(taut_warnings INTERFACE)
# Without -Wconversion: Eigen's signed indices beside std::size_t make it noise.
target_compile_options(taut_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(TAUT_WARNINGS_AS_ERRORS)
  target_compile_options(taut_warnings INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With optimisation or sanitizers, GCC 12 reports these falsely inside Eigen's expressions.
    target_compile_options(taut_warnings INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow)
  endif()
endif()

if(TAUT_SANITIZE)
  add_compile_options(-fsanitize=${TAUT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TAUT_SANITIZE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects its garbage once there are 128 MB of it, again and again. With room for 1 GB a build
  # is 7 % quicker, and a compiler takes at most a fifth more memory: 1.3 GB.
  add_compile_options(--param=ggc-min-heapsize=1000000)
endif()

# One set of objects for programs and for the Python module, which is a shared library. The module's
# own symbols are hidden, so that calls stay as direct as in a program: ten_link takes as many
# instructions as before. (Not POSITION_INDEPENDENT_CODE: that is -fPIE for programs, and they
# could not use the precompiled headers of the library.)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_compile_options(
    -fPIC -fno-semantic-interposition -fvisibility=hidden -fvisibility-inlines-hidden)
endif()
