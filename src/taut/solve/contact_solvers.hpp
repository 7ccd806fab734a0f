// Ways to solve a problem with cones: the default, and others to compare it with.
#pragma once

#include <span>
#include <string_view>

namespace taut {

enum class ContactSolver : char {
  exact,
  real_time,        ///< the exact one, stopped after 100 factorisations
  dantzig_pyramid,  ///< pivoting; friction bounded along two axes, by the normal force
  dantzig_box,      ///< the same, by the normal force that there would be without friction
  gauss_seidel      ///< contact after contact
};

struct ContactSolverInfo {
  std::string_view name;
  std::string_view summary;
  ContactSolver solver;
};

/// The default first.
std::span<const ContactSolverInfo> contact_solvers();
/// Throws Error, with the nearest name, when there is none.
const ContactSolverInfo& find_contact_solver(std::string_view name);

}  // namespace taut
