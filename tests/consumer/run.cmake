# Installs the build into a prefix of its own, then configures, builds and runs the consumer.
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})

execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build
    -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_PREFIX_PATH=${work}/prefix
  COMMAND_ERROR_IS_FATAL ANY)
# What a user waits for: one file that includes taut.hpp should compile in some 4 s.
string(TIMESTAMP before %s)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build COMMAND_ERROR_IS_FATAL ANY)
string(TIMESTAMP after %s)
math(EXPR seconds "${after} - ${before}")
message(STATUS "compiled and linked in ${seconds} s")
execute_process(COMMAND ${work}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
