#include "taut/model/point_contacts.hpp"

#include <algorithm>

#include "taut/model/pose.hpp"

namespace taut {

void PointContacts::find(const Pose& pose, const VecX& v, double time, double margin,
                         std::vector<Contact>& out) const {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 x = pose.at(points[i]);
    const double way = time * pose.velocity(points[i], v).norm();
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const ContactPlane& plane = planes[k];
      const double gap = plane.normal.dot(x) - plane.offset;
      if (gap > margin + way) continue;
      out.push_back({.feature = k * points.size() + i,
                     .a = points[i],
                     .b = world_point(x - gap * plane.normal),
                     .normal = plane.normal,
                     .gap = gap,
                     .friction = plane.friction,
                     .restitution = plane.restitution});
    }
  }
}

double PointContacts::reach() const {
  double farthest = 0;
  for (const Point& point : points) farthest = std::max(farthest, point.local.norm());
  return farthest;
}

bool PointContacts::is_conservative() const {
  return std::all_of(planes.begin(), planes.end(), [](const ContactPlane& plane) {
    return plane.friction == 0 && plane.restitution == 1;
  });
}

}  // namespace taut
