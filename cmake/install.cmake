# Installs the library with its headers and CMake package, the command line, the scenes and the
# robots.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

install(TARGETS taut EXPORT tautTargets)
install(EXPORT tautTargets NAMESPACE taut:: DESTINATION ${package_dir})

configure_package_config_file(cmake/tautConfig.cmake.in ${PROJECT_BINARY_DIR}/tautConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tautConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tautConfig.cmake ${PROJECT_BINARY_DIR}/tautConfigVersion.cmake
  DESTINATION ${package_dir})

install(DIRECTORY src/taut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*_internal.hpp" EXCLUDE
  PATTERN "detail" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/taut/base/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taut/base)

if(TARGET taut_cli)
  install(TARGETS taut_cli)
endif()
install(DIRECTORY scenes robots DESTINATION ${CMAKE_INSTALL_DATADIR}/taut OPTIONAL
  FILES_MATCHING PATTERN "*.json" PATTERN "*.urdf")
