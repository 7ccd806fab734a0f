#include "taut/forces/wind.hpp"

#include <cmath>

#include "taut/forces/force_batch.hpp"
#include "taut/forces/force_info.hpp"

namespace taut {
namespace {

struct WindTerms : Wind {
  void add(const System&, const Pose& pose, const VecX& v, double time, VecX& F) const {
    const Vec3 air = velocity.value(time);
    for (const ParticleGroup& face : faces) {
      Columns<double, 4> x, speed;
      for (int k = 0; k < face.size(); ++k) {
        const BodySlot& slot = pose.slots[face.body[k].index];
        x.col(k) = pose.position(slot.q);
        speed.col(k) = v.segment<3>(slot.v);
      }
      const Vec3 share = Flow(*this, face.size(), x, speed, air).force() / face.size();
      for (int k = 0; k < face.size(); ++k) F.segment<3>(pose.slots[face.body[k].index].v) += share;
    }
  }

  static constexpr int anchor_count = 4;
  int couplings(const System&) const { return static_cast<int>(faces.size()); }
  std::array<Anchor, 4> anchors(const System&, int i) const {
    return faces[static_cast<std::size_t>(i)].anchors();
  }
  Mat3 common_stiffness(int i, const Columns<double, 4>& x, const Columns<double, 4>& speed,
                        double time, double rate) const {
    const int corners = faces[static_cast<std::size_t>(i)].size();
    const Flow flow(*this, corners, x, speed, velocity.value(time));
    return (rate / (corners * corners)) * flow.resistance();
  }

  double potential(const System&, const Pose&) const { return 0; }
  bool is_conservative() const { return faces.empty(); }
  bool is_passive() const {  // air at rest only resists
    return faces.empty() || (velocity.is_constant() && velocity.value(0).isZero(0));
  }
  bool depends_on_velocity() const { return true; }

 private:
  /// The air about one face.
  struct Flow {
    Flow(const Wind& wind, int corners, const Columns<double, 4>& x,
         const Columns<double, 4>& speed, const Vec3& air) {
      // Of both, half the cross product of the diagonals, or of two sides, is the area's vector.
      const Vec3 across = x.col(2) - x.col(0);
      const Vec3 area = 0.5 * across.cross(x.col(corners == 4 ? 3 : 2) - x.col(1));
      const double size = area.norm();
      normal = size > 0 ? Vec3(area / size) : Vec3::Zero();
      const Vec3 u = air - speed.leftCols(corners).rowwise().mean();
      u_n = u.dot(normal);
      u_t = u - u_n * normal;
      pressure = 0.5 * wind.air_density * size * wind.normal_drag;
      friction = 0.5 * wind.air_density * size * wind.tangential_drag;
    }
    Vec3 force() const {
      return (pressure * std::abs(u_n) * u_n) * normal + (friction * u_t.norm()) * u_t;
    }
    Mat3 resistance() const {
      const Mat3 along = normal * normal.transpose();
      Mat3 sum = (2 * pressure * std::abs(u_n)) * along;
      if (const double size = u_t.norm(); size > 0)
        sum += friction * (size * (Mat3::Identity() - along) + u_t * u_t.transpose() / size);
      return sum;
    }
    Vec3 normal, u_t;
    double u_n, pressure, friction;  // the latter two per speed squared
  };
};

}  // namespace

void apply(System& system, Wind force) { add_force<WindTerms>(system, std::move(force)); }

ForceInfo describe_wind() {
  return describe_force(
      FieldList<Wind>()
          .required("faces", &Wind::faces, "", "triangles and quadrilaterals")
          .optional("velocity", &Wind::velocity, "m/s", "of the air, constant or a motion")
          .optional("air_density", &Wind::air_density, "kg/m³", "", Range::non_negative)
          .optional("normal_drag", &Wind::normal_drag, "",
                    "coefficient for flow perpendicular to the face", Range::non_negative)
          .optional("tangential_drag", &Wind::tangential_drag, "",
                    "coefficient for flow along the face", Range::non_negative));
}

}  // namespace taut
