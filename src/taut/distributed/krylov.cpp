#include "taut/distributed/krylov_internal.hpp"
#include "taut/distributed/petsc_internal.hpp"

namespace taut::distributed {
namespace {

PetscErrorCode apply(const ConjugateGradients::Function& function, Vec in, Vec out) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(VecGetArrayRead(in, &from));
  PetscCall(VecGetArrayWrite(out, &to));
  function(from, to);
  PetscCall(VecRestoreArrayRead(in, &from));
  PetscCall(VecRestoreArrayWrite(out, &to));
  return 0;
}

}  // namespace

ConjugateGradients::ConjugateGradients(const Processes& processes, int owned, Function matrix,
                                       Function preconditioner)
    : processes_(processes),
      matrix_function_(std::move(matrix)),
      preconditioner_function_(std::move(preconditioner)) {
  for (Vec* vector : {&b_, &x_})
    require(VecCreateMPIWithArray(MPI_COMM_WORLD, 1, owned, PETSC_DECIDE, nullptr, vector));
  require(MatCreateShell(MPI_COMM_WORLD, owned, owned, PETSC_DETERMINE, PETSC_DETERMINE, this,
                         &matrix_));
  require(MatShellSetOperation(matrix_, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  require(KSPCreate(MPI_COMM_WORLD, &solver_));
  require(KSPSetType(solver_, KSPCG));
  require(KSPSetOperators(solver_, matrix_, matrix_));
  // The same residual as one process takes.
  require(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED));
  PC shell = nullptr;
  require(KSPGetPC(solver_, &shell));
  require(PCSetType(shell, PCSHELL));
  require(PCShellSetContext(shell, this));
  require(PCShellSetApply(shell, precondition));
  require(KSPSetUp(solver_));
}

ConjugateGradients::~ConjugateGradients() {
  KSPDestroy(&solver_);
  MatDestroy(&matrix_);
  VecDestroy(&x_);
  VecDestroy(&b_);
}

PetscErrorCode ConjugateGradients::multiply(Mat matrix, Vec in, Vec out) {
  ConjugateGradients* self = nullptr;
  PetscCall(MatShellGetContext(matrix, &self));
  return apply(self->matrix_function_, in, out);
}

PetscErrorCode ConjugateGradients::precondition(PC preconditioner, Vec in, Vec out) {
  void* self = nullptr;
  PetscCall(PCShellGetContext(preconditioner, &self));
  return apply(static_cast<ConjugateGradients*>(self)->preconditioner_function_, in, out);
}

ConjugateGradients::Result ConjugateGradients::solve(const VecX& b, VecX& x, const Limits& limits) {
  if (!limits.starts_from_x) x.setZero(b.size());
  constexpr double nothing = 1e-300, anything = 1e100;
  require(KSPSetTolerances(solver_, limits.relative > 0 ? limits.relative : nothing,
                           limits.absolute > 0 ? limits.absolute : nothing, anything,
                           limits.iterations));
  require(KSPSetInitialGuessNonzero(solver_, limits.starts_from_x ? PETSC_TRUE : PETSC_FALSE));
  require(VecPlaceArray(b_, b.data()));
  require(VecPlaceArray(x_, x.data()));
  require(KSPSolve(solver_, b_, x_));
  require(VecResetArray(b_));
  require(VecResetArray(x_));
  Result result;
  PetscInt iterations = 0;
  KSPConvergedReason reason;
  require(KSPGetIterationNumber(solver_, &iterations));
  require(KSPGetResidualNorm(solver_, &result.residual));
  require(KSPGetConvergedReason(solver_, &reason));
  result.iterations = static_cast<int>(iterations);
  result.converged = reason > 0;
  processes_.count_reductions(3 * iterations + 2);
  return result;
}

}  // namespace taut::distributed
