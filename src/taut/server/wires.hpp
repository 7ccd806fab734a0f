#pragma once

#include "taut/server/body_order.hpp"
#include "taut/text/json.hpp"

namespace taut::server {

/// The curves, circles and lines on which points slide, as polygons to be drawn. `size`: of the
/// scene, for lines, which have no end.
io::Json wires_json(const System& system, const BodyOrder& order, double size);

}  // namespace taut::server
