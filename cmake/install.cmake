# Installs two components: `program` (the command line with its manual page and shell completions, the
# scenes and the robots) and `library` (the library with its headers and CMake package). `cpack`
# makes a Debian package of each.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

install(TARGETS taut EXPORT tautTargets COMPONENT library)
install(EXPORT tautTargets NAMESPACE taut:: DESTINATION ${package_dir} COMPONENT library)

configure_package_config_file(cmake/tautConfig.cmake.in ${PROJECT_BINARY_DIR}/tautConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tautConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tautConfig.cmake ${PROJECT_BINARY_DIR}/tautConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT library)

install(DIRECTORY src/taut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
  FILES_MATCHING PATTERN "*.hpp" PATTERN "plugin.h"
  PATTERN "*_internal.hpp" EXCLUDE
  PATTERN "detail" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/taut/base/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taut/base COMPONENT library)

if(TARGET taut_cli)
  install(TARGETS taut_cli COMPONENT program)
  if(TARGET taut_petsc_cli)
    install(TARGETS taut_petsc_cli COMPONENT program)
  endif()
  if(TARGET taut_mpi)
    install(TARGETS taut_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  endif()

  # The program itself writes its manual page and completions, when it is installed. A program for
  # another machine cannot run here: then they are left out.
  set(written_by_taut ${PROJECT_BINARY_DIR}/written_by_taut)
  function(install_output destination name)  # … arguments of taut
    list(JOIN ARGN " " arguments)
    install(CODE "
      file(MAKE_DIRECTORY \"${written_by_taut}\")
      execute_process(COMMAND \"$<TARGET_FILE:taut_cli>\" ${arguments}
        OUTPUT_FILE \"${written_by_taut}/${name}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
    install(FILES ${written_by_taut}/${name} DESTINATION ${destination} COMPONENT program)
  endfunction()
  if(NOT CMAKE_CROSSCOMPILING)
    install_output(${CMAKE_INSTALL_MANDIR}/man1 taut.1 man)
    install_output(${CMAKE_INSTALL_DATADIR}/bash-completion/completions taut completion bash)
    install_output(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _taut completion zsh)
    install_output(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d taut.fish completion fish)
  endif()
endif()
install(DIRECTORY scenes robots DESTINATION ${CMAKE_INSTALL_DATADIR}/taut COMPONENT program
  FILES_MATCHING PATTERN "*.json" PATTERN "*.urdf" PATTERN "*.xml" PATTERN "*.sdf")

# The viewer's page, if it has been built: scripts/build-page.sh.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/web/ DESTINATION ${CMAKE_INSTALL_DATADIR}/taut/web
  COMPONENT program OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the taut project")
set(CPACK_PACKAGE_CONTACT "the taut maintainers <maintainers@taut.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME taut)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Links, joints, chains and cloth that keep exact geometric relations.\n\
This package has the command line, the built-in scenes and the robots.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtaut-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libeigen3-dev, libfmt-dev, liburdfdom-dev, libtinyobjloader-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "The static library of taut, its headers and its CMake package.")
# Without dpkg-dev nobody can tell which shared libraries the program needs.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
