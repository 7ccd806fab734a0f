# PETSc with real numbers, and the MPI it was built with, as the target taut_petsc.
find_package(PkgConfig REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings that MPI once had
find_package(MPI REQUIRED COMPONENTS CXX)
pkg_search_module(PETSC IMPORTED_TARGET PETSc petsc PETSc-real petsc-real)
if(NOT PETSC_FOUND)
  message(FATAL_ERROR "PETSc is missing: TAUT_PETSC=ON needs it. "
    "On Debian: scripts/install-dependencies.sh --petsc")
endif()
add_library(taut_petsc INTERFACE)
target_link_libraries(taut_petsc INTERFACE PkgConfig::PETSC MPI::MPI_CXX)
