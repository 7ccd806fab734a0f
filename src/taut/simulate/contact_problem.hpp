// The equations, the rows with laws and the contacts of a system as one problem for the ConeSolver:
// velocities or displacements, at one configuration.
#pragma once

#include <vector>

#include "taut/methods/workspace.hpp"
#include "taut/model/contact_rows.hpp"
#include "taut/solve/cone_islands.hpp"

namespace taut {

class ContactProblem {
 public:
  /// A row of a constraint that is no equation here.
  struct LawRow {
    int row = 0;
    double sign = 1;  ///< u = sign · J v + w
    ConeLaw law;
    double w = 0;
    double impulse = 0;  ///< r: a guess
  };

  /// Must be called first, whenever the system may have changed.
  void adapt(const System& system, const Workspace& w);

  // What the problem consists of -----------------------------------------------------------------
  /// M times `mass`; or M with factor·K of the forces (in the pattern's order) added to it.
  void set_mass(double mass = 1);
  void set_mass(const RowPattern& pattern, double mass, const VecX& K, double factor);
  /// v with M v = `given`, each body by itself. Where M is not positive definite, v stays as it
  /// is.
  void solve_alone(const VecX& given, VecX& v) const;
  /// Of all constraints; those in `laws` are no equations, nor are those `left_out`. Rows are in
  /// increasing order in both.
  void set_rows(const RowPattern& pattern, const Rows& rows, const std::vector<LawRow>& laws,
                const std::vector<int>& left_out);
  enum class Friction { as_it_is, none };
  enum class Which { all, rigid };  ///< what is compliant is not there at all with the second
  void set_contacts(const ContactRows& contacts, Friction friction, Which which);
  /// For displacements: a gap is opened where it is below 0, and closed where a load is borne. What
  /// is compliant is not there.
  void set_gaps(const ContactRows& contacts, const std::vector<char>& bears_load);

  VecX momentum;       ///< f, per velocity
  VecX right_side;     ///< b, per row of the pattern; what is no equation is ignored
  KeptVec bias;        ///< w, three numbers per contact
  KeptVec compliance;  ///< R along the normal, per contact; empty: none has any
  KeptVec impulse;     ///< r of contacts, as ContactRows has them: a guess, and then the answer

  /// Solves it. v, λ (with J v = b, force −Jᵀλ) and the contacts' impulses are then known.
  ConeReport solve(const ConeOptions& options);
  const VecX& velocity() const { return velocity_; }
  /// Bodies that have anything to do with each other: the smallest number of one of them.
  int island_of(int body) const { return solver_.island_of(body); }
  /// r of a row with a law, by its number in what set_rows() was given.
  double law_impulse(std::size_t law) const { return solution_.r[static_cast<int>(law)]; }
  /// Impulses along rows of the pattern: M v = f + Hᵀ r − Jᵀ Λ.
  void row_impulses(VecX& out) const;

 private:
  struct Group {
    int row = 0, rows = 1;  // of the pattern
  };
  void add_rows(const RowPattern& pattern, const VecX& J, Group rows, double sign,
                RowGroups& groups, std::vector<double>& values);

  long topology_ = -1;
  VecX mass_;                 // a block for each body, and zeros for couplings
  std::vector<int> body_at_;  // per velocity
  std::vector<Group> constraints_;
  std::vector<Group> equations_;  // in the order of pattern_.equations
  std::vector<LawRow> laws_;
  int pattern_rows_ = 0, contacts_ = 0;
  int impulses_ = 0;  // of the contacts

  ConePattern pattern_;
  ConeProblem problem_;
  ConeIslands solver_;
  ConeSolution solution_;
  VecX velocity_;
  std::vector<double> J_, H_;
  std::vector<int> bodies_;
  std::vector<int> rows_of_;  // per contact: 1, 3 or 6
};

}  // namespace taut
