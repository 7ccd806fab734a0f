#include "taut/scene/reference_track.hpp"

#include "taut/base/error.hpp"
#include "taut/reference/planar_pendulum.hpp"

namespace taut::io {

std::optional<ReferenceTrack> reference_track(const Scene& scene) {
  if (!scene.reference) return std::nullopt;
  const SceneReference& reference = *scene.reference;
  const std::optional<BodyId> body = scene.system.find_body(reference.point);
  TAUT_CHECK(body.has_value());
  return ReferenceTrack{reference.point, *body, reference.axis, reference.until,
                        reference::coordinate_track({reference.masses,
                                                     reference.lengths,
                                                     reference.angles,
                                                     {},
                                                     reference.gravity,
                                                     reference.pivot},
                                                    reference.link, reference.axis)};
}

}  // namespace taut::io
