#pragma once

#include <memory>

#include "taut/solve/linear_solver.hpp"

namespace taut {

std::unique_ptr<LinearSolver> make_pcg();
std::unique_ptr<LinearSolver> make_bicgstab();
std::unique_ptr<LinearSolver> make_pcg_paths();

}  // namespace taut
