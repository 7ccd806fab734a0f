// Conjugate gradients over all processes: PETSc's, with a matrix and a preconditioner that are
// functions of the values this process owns.
#pragma once

#include <petscksp.h>

#include <functional>

#include "taut/base/types.hpp"
#include "taut/distributed/processes.hpp"

namespace taut::distributed {

class ConjugateGradients {
 public:
  using Function = std::function<void(const double* in, double* out)>;

  ConjugateGradients(const Processes& processes, int owned, Function matrix,
                     Function preconditioner);
  ~ConjugateGradients();
  ConjugateGradients(const ConjugateGradients&) = delete;
  ConjugateGradients& operator=(const ConjugateGradients&) = delete;

  struct Limits {
    double relative = 0, absolute = 0;  ///< of |b − A x|
    int iterations = 1000;
    bool starts_from_x = false;  ///< else from 0
  };
  struct Result {
    int iterations = 0;
    double residual = 0;
    bool converged = false;
  };
  Result solve(const VecX& b, VecX& x, const Limits& limits);

 private:
  static PetscErrorCode multiply(Mat matrix, Vec in, Vec out);
  static PetscErrorCode precondition(PC preconditioner, Vec in, Vec out);

  const Processes& processes_;
  Function matrix_function_, preconditioner_function_;
  KSP solver_ = nullptr;
  Mat matrix_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr;  // without numbers of their own
};

}  // namespace taut::distributed
