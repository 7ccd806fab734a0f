// PETSc as the files here use it: an error of it is a bug, or memory is full.
#pragma once

#include <petscksp.h>

#include "taut/base/error.hpp"

namespace taut::distributed {

inline void require(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error(std::string("PETSc failed: ") + (text ? text : "unknown error"));
}

}  // namespace taut::distributed
