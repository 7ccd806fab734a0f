#include "taut/record/gltf_buffer_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr int float32 = 5126, uint32 = 5125;            // component types
constexpr int for_vertices = 34962, for_indices = 34963;  // targets of views

std::size_t components(std::string_view type) {
  return type == "SCALAR" ? 1 : static_cast<std::size_t>(type.back() - '0');
}

}  // namespace

int GltfBuffer::add(View view, std::string_view type, std::size_t count, Source source,
                    Json bounds) {
  Content& content = contents_[view];
  const Place place{view, content.size};
  content.size += 4 * count * components(type);
  content.sources.push_back(std::move(source));
  return describe(place, type, count, bounds);
}

int GltfBuffer::add_part(int whole, std::size_t first, std::size_t count, Json bounds) {
  Place place = places_[static_cast<std::size_t>(whole)];
  place.offset += 4 * first;
  return describe(place, "SCALAR", count, bounds);
}

int GltfBuffer::describe(Place place, std::string_view type, std::size_t count,
                          const Json& bounds) {
  places_.push_back(place);
  Json accessor{{"byteOffset", static_cast<long long>(place.offset)},
                {"componentType", place.view == indices ? uint32 : float32},
                {"count", static_cast<long long>(count)},
                {"type", type}};
  if (!bounds.is_null()) accessor.update(bounds);
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(places_.size()) - 1;
}

// A view must not be empty: those that are have no number.
int GltfBuffer::number_of(View view) const {
  int number = 0;
  for (int before = 0; before < view; ++before) number += contents_[before].size > 0;
  return number;
}

Json GltfBuffer::accessors() const {
  Json all = Json::array();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Json accessor = accessors_[i];
    accessor["bufferView"] = number_of(places_[i].view);
    all.push_back(std::move(accessor));
  }
  return all;
}

std::uint64_t GltfBuffer::size() const {
  return contents_[numbers].size + contents_[vertices].size + contents_[indices].size;
}

Json GltfBuffer::views() const {
  Json views = Json::array();
  std::uint64_t offset = 0;
  for (const View view : {numbers, vertices, indices}) {
    if (contents_[view].size == 0) continue;
    Json json{{"buffer", 0},
              {"byteOffset", static_cast<long long>(offset)},
              {"byteLength", static_cast<long long>(contents_[view].size)}};
    if (view == vertices) json["byteStride"] = 12;
    if (view != numbers) json["target"] = view == vertices ? for_vertices : for_indices;
    views.push_back(std::move(json));
    offset += contents_[view].size;
  }
  return views;
}

void GltfBuffer::write(const Write& write) const {
  for (const View view : {numbers, vertices, indices})
    for (const Source& source : contents_[view].sources) source(write);
}

}  // namespace taut::io::detail
