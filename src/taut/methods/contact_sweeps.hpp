// Sweeps over contacts, one after the other, each of which changes the velocity at once:
//
//   r_N ← max(0, r_N − m (u_N + b)/A_NN − s r_N),
//   r_T ← r_T − A_TT⁻¹ u_T where that sticks, |r_T| ≤ μ r_N; else r_T − u_T/a, and to the rim of
//         that disc, a being the largest eigenvalue of A_TT: so it comes to be opposite to u_T,
//
// with u = H v, A = H W Hᵀ of the contact, v ← v + W Hᵀ Δr. Coulomb's law is met by the disc
// itself, not by a pyramid in it. A gap that is still open may close just within the step, b =
// gap/h, rigid; an overlap goes out by b = β gap (softness.hpp); a compliant contact is the spring
// it is.
//
// Contacts are those at the start of a step, with the normals and arms that they have there, and
// velocities are in the frames that bodies have there: so H and A stay. In the parts of the step
// only the gaps are followed, by the places that touch.
#pragma once

#include <vector>

#include "taut/methods/contact_task.hpp"
#include "taut/methods/softness.hpp"

namespace taut {

class ContactSweeps {
 public:
  struct Softnesses {
    Softness bodies, ground;   ///< of two bodies; of one and the world
    double push_speed = 1e30;  ///< m/s: overlaps are pushed out no faster
  };

  /// The contacts of a step in parts of length h, at its start; nullptr: there are none.
  void take(const System& system, double h, ContactTask* task);
  /// Where a part begins.
  void look(const Pose& pose, const Softnesses& softnesses);
  /// v ← v + W Hᵀ r, with the forces of the last part.
  void warm_start(VecX& v) const;
  void sweep(Bias bias, VecX& v);
  /// m: how far one more sweep would still move something in a time.
  double unsolved(Bias bias, const VecX& v, double time) const;
  /// The forces of the last part, for the task.
  void tell_forces();
  /// From now on sweeps go for the restitution of what was hit in the step. Whether there is any.
  bool expect_rebounds();
  /// Tells the task what impacts and friction took in a step of length `step`.
  void tell_energies(double step, const VecX& v);

 private:
  using Triple = double[2][18];  // of two bodies, 3 × size each, by rows
  struct Place {
    double depth = 0;
    int contact = 0;
  };
  struct Swept {
    int contact = 0;
    int dof[2] = {0, 0}, size[2] = {0, 0};
    Triple H, WH;
    double normal[3];   // A_NN, A_TN
    double inverse[3];  // A_TT⁻¹: 11, 12, 22
    double largest;     // eigenvalue of A_TT
    double friction = 0, gap = 0;
    bool is_ground = false;
    RowTarget on, off;
    Vec3 r = Vec3::Zero();
    double sum = 0;          // of r_N, over the parts before this one
    bool has_acted = false;  // in a part of the step
    bool is_new = false;     // it bore nothing in the step before
  };
  /// Torques against spinning and rolling, within bounds that are a part of r_N.
  struct Turning {
    std::size_t swept = 0;
    Triple H, WH;
    double spin = 0, roll = 0;  // A about the normal, and the larger one across it
    double spinning = 0, rolling = 0;
    Vec3 r = Vec3::Zero();
  };

  static Vec3 velocity(const Swept& at, const Triple& H, const VecX& v);
  static void push(const Swept& at, const Triple& WH, const Vec3& r, VecX& v);
  void sort();
  void place(const System& system, int contact, Swept& at) const;
  void set_target(const Contact& contact, const Softnesses& softnesses, Swept& at) const;
  static Vec3 change(const Swept& at, const Vec3& u, Bias bias);
  static Vec3 change(const Turning& turning, double r_N, const Vec3& u);

  ContactTask* task_ = nullptr;
  double h_ = 0;
  std::vector<Place> order_;
  std::vector<Swept> swept_;
  std::vector<Turning> turning_;
};

}  // namespace taut
