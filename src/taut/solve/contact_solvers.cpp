#include "taut/solve/contact_solvers.hpp"

#include <array>
#include <string>
#include <vector>

#include "taut/base/error.hpp"

namespace taut {
namespace {

constexpr std::array<ContactSolverInfo, 5> all_contact_solvers{{
    {"exact", "Newton's method on Coulomb's law as it is, with ADMM and Gauss-Seidel to help",
     ContactSolver::exact},
    {"real_time",
     "one solve per step, stopped after 100 factorisations: the best so far, with its residual",
     ContactSolver::real_time},
    {"dantzig_pyramid",
     "pivoting with a friction pyramid: too much friction, by up to 41 %, on the diagonals",
     ContactSolver::dantzig_pyramid},
    {"dantzig_box", "pivoting with a friction box: bounds from the normal forces without friction",
     ContactSolver::dantzig_box},
    {"gauss_seidel", "contact after contact: creeps where light things bear heavy ones",
     ContactSolver::gauss_seidel},
}};

}  // namespace

std::span<const ContactSolverInfo> contact_solvers() { return all_contact_solvers; }

const ContactSolverInfo& find_contact_solver(std::string_view name) {
  std::vector<std::string_view> known;
  for (const ContactSolverInfo& info : all_contact_solvers) {
    if (info.name == name) return info;
    known.push_back(info.name);
  }
  throw Error("there is no contact solver \"" + std::string(name) + "\"" + suggestion(name, known));
}

}  // namespace taut
