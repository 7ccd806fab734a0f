#include "taut/model/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "taut/model/rows.hpp"
#include "taut/model/system.hpp"

namespace taut {
namespace {

double largest_of_three(const double* x) {
  return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
}

/// NaN if one of them is.
double largest_of_all(const VecX& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0;
}

}  // namespace

double length_scale(const System& system, const RowPattern& pattern, const VecX& q) {
  double length = pattern.length;
  if (q.size() == 3 * system.body_count()) {  // particles alone
    if (const double largest = largest_of_all(q); largest > length) length = largest;
    return length > 0 ? length : 1;
  }
  for (const BodySlot& slot : system.slots())
    length = std::max(length, largest_of_three(q.data() + slot.q));
  return length > 0 ? length : 1;
}

double relative_error(const RowPattern& pattern, const VecX& C, double length) {
  const std::size_t rows = static_cast<std::size_t>(C.size());
  if (rows == 0 || std::memchr(pattern.is_angle.data(), 1, rows) == nullptr)
    return largest_of_all(C) / length;
  const double factor[2] = {1 / length, 1};
  double largest = 0;
  for (Eigen::Index r = 0; r < C.size(); ++r) {
    const double size =
        std::abs(C[r]) * factor[pattern.is_angle[static_cast<std::size_t>(r)] ? 1 : 0];
    largest = size > largest || std::isnan(size) ? size : largest;
  }
  return largest;
}

double relative_displacement(const System& system, const VecX& displacement, double length) {
  if (system.rigid_count() == 0) return largest_of_all(displacement) / length;
  double moved = 0, turned = 0;
  for (const BodySlot& slot : system.slots()) {
    moved = std::max(moved, largest_of_three(displacement.data() + slot.v));
    if (slot.rigid >= 0)
      turned = std::max(turned, largest_of_three(displacement.data() + slot.v + 3));
  }
  // NaN compares false with everything and would be lost on the way.
  return displacement.allFinite() ? std::max(moved / length, turned) : NAN;
}

bool Stillness::of_places(const System& system, const VecX& q, const VecX& other) const {
  const double turn = 0.5 * distance / lever;  // of a quaternion
  for (const BodySlot& slot : system.slots()) {
    const double *a = q.data() + slot.q, *b = other.data() + slot.q;
    for (int i = 0; i < (slot.rigid < 0 ? 3 : 7); ++i)
      if (!(std::abs(a[i] - b[i]) <= (i < 3 ? distance : turn))) return false;
  }
  return true;
}

bool Stillness::of_ways(const System& system, const VecX& v, const VecX& other, double time) const {
  for (const BodySlot& slot : system.slots()) {
    const double *a = v.data() + slot.v, *b = other.data() + slot.v;
    for (int i = 0; i < (slot.rigid < 0 ? 3 : 6); ++i)
      if (!(std::abs(a[i] - b[i]) * time <= (i < 3 ? distance : distance / lever))) return false;
  }
  return true;
}

}  // namespace taut
