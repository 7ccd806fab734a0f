#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/report/escape_internal.hpp"
#include "taut/report/html_internal.hpp"

namespace taut::report::detail {
namespace {

constexpr double width = 1000, border = 20;  // of the drawing's own units

struct Box {
  double left = std::numeric_limits<double>::infinity(), right = -left, bottom = left, top = -left;
};

bool is_drawable(const Picture::Polygon& polygon) {
  return std::ranges::all_of(polygon.corners, [](const auto& corner) {
    return std::isfinite(corner.first) && std::isfinite(corner.second);
  });
}

Box box_of(const Picture& picture) {
  Box box;
  for (const Picture::Polygon& polygon : picture.polygons) {
    if (!is_drawable(polygon)) continue;
    for (const auto& [x, y] : polygon.corners) {
      box.left = std::min(box.left, x);
      box.right = std::max(box.right, x);
      box.bottom = std::min(box.bottom, y);
      box.top = std::max(box.top, y);
    }
  }
  return box;
}

/// Blue on the front, orange on the back; grey what is no cloth.
std::string colour(const Picture::Polygon& polygon, double dimmed) {
  const double light = dimmed * (0.35 + 0.65 * std::clamp(polygon.light, 0.0, 1.0));
  const auto part = [&](double full) { return static_cast<int>(std::lround(full * light)); };
  if (polygon.is_shape) return fmt::format("#{:02x}{:02x}{:02x}", part(205), part(205), part(210));
  return polygon.is_back ? fmt::format("#{:02x}{:02x}{:02x}", part(240), part(170), part(110))
                         : fmt::format("#{:02x}{:02x}{:02x}", part(120), part(185), part(235));
}

}  // namespace

std::string picture_html(const Picture& picture) {
  const Box box = box_of(picture);
  std::string shapes;
  double height = border;
  if (box.right > box.left) {
    const double scale =
        (width - 2 * border) / std::max(box.right - box.left, box.top - box.bottom);
    const double middle = 0.5 * (box.left + box.right);
    height = 2 * border + scale * (box.top - box.bottom);
    for (const Picture::Polygon& polygon : picture.polygons) {
      if (!is_drawable(polygon)) continue;
      std::string path = "M";
      for (const auto& [x, y] : polygon.corners)
        path += fmt::format("{:.0f} {:.0f} ", 0.5 * width + scale * (x - middle),
                            border + scale * (box.top - y));
      path.back() = 'z';
      shapes += fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", path,
                            colour(polygon, 1), colour(polygon, 0.8));
    }
  }
  const std::string caption =
      picture.caption.empty() ? ""
                              : "<figcaption>" + inline_html(picture.caption) + "</figcaption>\n";
  const std::string title = escape_html(picture.title);
  return fmt::format(R"(<figure class="picture">
<h3>{}</h3>
<svg role="img" aria-label="{}" viewBox="0 0 {:.0f} {:.0f}" stroke-linejoin="round">
{}</svg>
{}</figure>
)",
                     inline_html(picture.title), title.empty() ? "picture" : title, width, height,
                     shapes, caption);
}

}  // namespace taut::report::detail
