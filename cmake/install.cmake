# Installs the library with its headers and CMake package, the command line with its manual page and
# shell completions, the scenes and the robots.
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

  # The program itself writes its manual page and completions, when it is installed. A program for
  # another machine cannot run here: then they are left out.
  set(written_by_taut ${PROJECT_BINARY_DIR}/written_by_taut)
  function(install_output destination name)  # … arguments of taut
    list(JOIN ARGN " " arguments)
    install(CODE "
      file(MAKE_DIRECTORY \"${written_by_taut}\")
      execute_process(COMMAND \"$<TARGET_FILE:taut_cli>\" ${arguments}
        OUTPUT_FILE \"${written_by_taut}/${name}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${written_by_taut}/${name} DESTINATION ${destination})
  endfunction()
  if(NOT CMAKE_CROSSCOMPILING)
    install_output(${CMAKE_INSTALL_MANDIR}/man1 taut.1 man)
    install_output(${CMAKE_INSTALL_DATADIR}/bash-completion/completions taut completion bash)
    install_output(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _taut completion zsh)
    install_output(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d taut.fish completion fish)
  endif()
endif()
install(DIRECTORY scenes robots DESTINATION ${CMAKE_INSTALL_DATADIR}/taut OPTIONAL
  FILES_MATCHING PATTERN "*.json" PATTERN "*.urdf")
