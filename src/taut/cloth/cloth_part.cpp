#include "taut/cloth/cloth_part.hpp"

#include <algorithm>
#include <numeric>

namespace taut {
namespace {

class Bisection {
 public:
  Bisection(std::span<const Vec3> places, std::vector<int>& part)
      : places_(places), part_(part), order_(places.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void divide(std::size_t begin, std::size_t end, int first, int parts) {
    if (parts == 1) {
      for (std::size_t i = begin; i < end; ++i) part_[static_cast<std::size_t>(order_[i])] = first;
      return;
    }
    const int half = parts / 2;
    const std::size_t middle =
        begin + (end - begin) * static_cast<std::size_t>(half) / static_cast<std::size_t>(parts);
    const int axis = longest_axis(begin, end);
    const auto before = [&](int a, int b) {
      const double x = place(a)[axis], y = place(b)[axis];
      return x < y || (x == y && a < b);
    };
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), before);
    divide(begin, middle, first, half);
    divide(middle, end, first + half, parts - half);
  }

 private:
  const Vec3& place(int vertex) const { return places_[static_cast<std::size_t>(vertex)]; }

  int longest_axis(std::size_t begin, std::size_t end) const {
    if (begin == end) return 0;
    Vec3 low = place(order_[begin]), high = low;
    for (std::size_t i = begin; i < end; ++i) {
      low = low.cwiseMin(place(order_[i]));
      high = high.cwiseMax(place(order_[i]));
    }
    int axis = 0;
    (high - low).maxCoeff(&axis);
    return axis;
  }

  std::span<const Vec3> places_;
  std::vector<int>& part_;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> divide(std::span<const Vec3> places, int parts) {
  std::vector<int> part(places.size(), 0);
  Bisection(places, part).divide(0, places.size(), 0, parts);
  return part;
}

int faces_around(const Mesh& mesh) {
  const bool has_triangles = std::any_of(mesh.faces.begin(), mesh.faces.end(),
                                         [](const Face& face) { return face.size() == 3; });
  return has_triangles ? 4 : 2;
}

ClothPart part_of(const Mesh& mesh, std::span<const int> owner, int part, int faces) {
  std::vector<char> is_in(mesh.vertices.size());
  for (std::size_t v = 0; v < is_in.size(); ++v) is_in[v] = owner[v] == part;
  std::vector<char> has_face(mesh.faces.size(), 0);
  for (int around = 0; around < faces; ++around) {
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const Face& face = mesh.faces[f];
      for (int k = 0; k < face.size(); ++k) has_face[f] |= is_in[face.vertex[k]];
    }
    for (std::size_t f = 0; f < mesh.faces.size(); ++f)
      for (int k = 0; has_face[f] && k < mesh.faces[f].size(); ++k)
        is_in[mesh.faces[f].vertex[k]] = 1;
  }

  ClothPart made;
  made.whole_vertices = static_cast<int>(mesh.vertices.size());
  made.whole_faces = static_cast<int>(mesh.faces.size());
  std::vector<int> number(is_in.size(), -1);
  for (std::size_t v = 0; v < is_in.size(); ++v) {
    if (!is_in[v]) continue;
    number[v] = static_cast<int>(made.vertex.size());
    made.vertex.push_back(static_cast<int>(v));
    made.owner.push_back(owner[v]);
    made.mesh.vertices.push_back(mesh.vertices[v]);
  }
  for (std::size_t f = 0; f < has_face.size(); ++f) {
    if (!has_face[f]) continue;
    Face face = mesh.faces[f];
    for (int k = 0; k < face.size(); ++k) face.vertex[k] = number[face.vertex[k]];
    made.mesh.faces.push_back(face);
    made.face.push_back(static_cast<int>(f));
  }
  return made;
}

}  // namespace taut
