// The equations of motion of a mechanism in joint coordinates, written for the tests and with
// nothing of the simulator in them: no positions of bodies as unknowns, no Newton's method on
// constraints in a step, no row of taut's.
//
// A spanning tree of joints gives coordinates x (angles, slides, a quaternion for a ball) with
// rates u. Bodies follow from them recursively, with their Jacobians and the accelerations that
// u alone causes ("bias"). What closes loops, and rods between particles, are rows C(x) = 0 of the
// form p·q of two moving vectors. The rank r of their matrix is known beforehand, so that rows
// which depend on others only where the mechanism is closed do no harm: of G = ∂C/∂x, r
// independent rows are taken by pivoting, N spans what they leave free, and u̇ = u̇₀ + N z with
// (NᵀMN) z = Nᵀ(f − M u̇₀).
#pragma once

#include <utility>
#include <vector>

#include "support/factors.hpp"
#include "support/mechanism.hpp"

namespace taut::testing {

class JointCoordinates {
 public:
  static constexpr int most_coordinates = 40;  // so that small matrices need no memory of their own
  using Mat3X = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, most_coordinates>;

  explicit JointCoordinates(const Mechanism& mechanism);

  int size() const { return size_; }
  int freedoms() const { return freedoms_; }
  const VecX& start() const { return start_; }
  /// Where a joint's only angle or slide is; −1 where it is none of the coordinates.
  struct Index {
    int x = -1, u = -1;
  };
  Index coordinate(int joint) const { return index_of_joint_[static_cast<std::size_t>(joint)]; }

  /// ẋ for rates u.
  VecX rate(const VecX& x, const VecX& u) const;
  /// x moved by a small displacement, in the directions of u.
  VecX moved(const VecX& x, const VecX& displacement) const;

  /// One-sided: at least 0. Of strings first, then of stops, lower and upper.
  struct OneSided {
    VecX gap, rate, bias;
    MatX G;  ///< rate = G u
  };
  struct Equations {
    MatX M;
    VecX f;  ///< M u̇ = f + what rows do
    MatX G;
    VecX C, bias;  ///< G u̇ = −bias
    OneSided limits;
    double energy = 0;
  };
  Equations equations(const VecX& x, const VecX& u) const;

  /// The equations after the rows of G have been eliminated.
  struct Reduced {
    MatX N;
    VecX u0;                 ///< an acceleration that the rows allow
    Cholesky A;              ///< NᵀMN
    VecX z;                  ///< of the free motion, without limits
    double weakest_row = 0;  ///< smallest pivot over the largest: 0 where a row is lost
  };
  Reduced reduce(const Equations& equations) const;

  /// Onto the rows, in position and rate (weighted by the masses). False where that does not work.
  bool project(VecX& x, VecX& u) const;

  struct Pose {
    Vec3 place;
    Quat turn;  ///< since the start
    Vec3 velocity, spin;
  };
  std::vector<Pose> poses(const VecX& x, const VecX& u) const;

 private:
  enum class Step { turn, slide, screw, ball };
  struct Primitive {
    Step step;
    Vec3 axis;
    double pitch = 0;  // per rad
    int x = 0, u = 0;
  };
  struct TreeBody {
    int body = 0, parent = Mechanism::world;
    Vec3 at = Vec3::Zero();
    std::vector<Primitive> primitives;
  };
  struct Moving {  // a body
    Mat3 turn = Mat3::Identity();
    Vec3 place = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
    Vec3 a = Vec3::Zero(), alpha = Vec3::Zero();  // without u̇
    Mat3X Jv, Jw;
  };
  struct Vector {  // a direction, or a difference of places
    Vec3 value, rate, bias;
    Mat3X J;
  };
  // C, G u and what is left of C̈ without u̇.
  struct Rows {
    std::vector<double> C, bias;
    std::vector<VecX> G;

    void product(const Vector& p, const Vector& q, double scale = 1, double offset = 0);
    void gear(Index first, Index second, double ratio, const VecX& x, const VecX& u);
    /// `point` does not move along `aside`: of the rate alone, C is 0.
    void no_slip(const Vector& aside, const Vector& point);
  };

  /// Two directions that make a right-handed frame with the axis.
  static std::pair<Vec3, Vec3> square_to(const Vec3& axis);
  void plant(int joint_number);
  void add(TreeBody& body, Step step, const Vec3& axis, double pitch = 0);
  std::vector<Moving> bodies(const VecX& x, const VecX& u) const;
  Moving still(const Vec3& place) const;
  void carry(Moving& moving, const Vec3& arm) const;
  Vector point(const std::vector<Moving>& all, const Mechanism::Place& place) const;
  Vector direction(const std::vector<Moving>& all, int body, const Vec3& d) const;
  Vector between(const std::vector<Moving>& all, const Mechanism::Place& a,
                 const Mechanism::Place& b) const;
  void add_rows(const std::vector<Moving>& all, const Mechanism::Joint& joint, Rows& rows) const;
  void add_limits(const std::vector<Moving>& all, const VecX& x, const VecX& u,
                  OneSided& limits) const;
  void add_springs(const std::vector<Moving>& all, const VecX& x, const VecX& u,
                   Equations& out) const;

  const Mechanism m_;
  std::vector<TreeBody> tree_;  // parents first
  std::vector<int> cuts_;       // joints that close loops
  std::vector<Index> index_of_joint_;
  int size_ = 0, x_size_ = 0, freedoms_ = 0;
  VecX start_;
};

}  // namespace taut::testing
