#include "taut/distributed/processes.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "taut/base/parallel.hpp"
#include "taut/distributed/petsc_internal.hpp"

namespace taut::distributed {

Processes::Processes() {
  if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) throw Error("MPI cannot be started");
  require(PetscInitializeNoArguments());
  // Errors of PETSc come as codes: what it would print of them is not for users.
  require(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  limit_cores(1);
}

Processes::~Processes() {
  PetscFinalize();
  MPI_Finalize();
}

double Processes::sum(double value) const {
  sum({&value, 1});
  return value;
}

long Processes::sum(long value) const {
  ++reductions_;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

void Processes::sum(std::span<double> values) const {
  ++reductions_;
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
}

// What MPI_MAX makes of NaN is not said.
double Processes::largest(double value) const {
  ++reductions_;
  double pair[2] = {std::isnan(value) ? 0 : value, std::isnan(value) ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, pair, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return pair[1] > 0 ? NAN : pair[0];
}

std::string Processes::first_text(const std::string& mine) const {
  int first = mine.empty() ? count_ : rank_;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == count_) return "";
  int size = static_cast<int>(mine.size());
  MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD);
  std::vector<char> text(mine.begin(), mine.end());
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, first, MPI_COMM_WORLD);
  return {text.begin(), text.end()};
}

void Processes::abort(int exit_code, const std::string& message) const {
  std::fprintf(stderr, "taut: process %d of %d: %s\n", rank_, count_, message.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace taut::distributed
