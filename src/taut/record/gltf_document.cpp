#include "taut/record/gltf_document_internal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/version.hpp"

namespace taut::io::detail {
namespace {

Json numbers_json(std::span<const float> values) {
  Json json = Json::array();
  for (const float value : values) json.push_back(static_cast<double>(value));
  return json;
}

Json array_of(const std::vector<Json>& items) {
  Json json = Json::array();
  for (const Json& item : items) json.push_back(item);
  return json;
}

int last(const std::vector<Json>& items) { return static_cast<int>(items.size()) - 1; }

/// The light of glTF is linear, colours of screens are sRGB.
double linear(double colour) {
  return colour <= 0.04045 ? colour / 12.92 : std::pow((colour + 0.055) / 1.055, 2.4);
}

/// As a URI has it.
std::string percent_encoded(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain)
      safe += c;
    else
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return safe;
}

}  // namespace

void Bounds::add(std::span<const float> triples) {
  for (std::size_t i = 0; i < triples.size(); ++i) {
    low_[i % 3] = std::min(low_[i % 3], triples[i]);
    high_[i % 3] = std::max(high_[i % 3], triples[i]);
  }
}

Json Bounds::json() const { return {{"min", numbers_json(low_)}, {"max", numbers_json(high_)}}; }

std::string bytes_of(std::span<const float> values) {
  LittleEndianBytes bytes;
  for (const float value : values) bytes.add(value);
  return bytes.text();
}

int GltfDocument::add_node(Json node, int parent) {
  nodes_.push_back(std::move(node));
  children_.emplace_back();
  if (parent >= 0) children_[static_cast<std::size_t>(parent)].push_back(last(nodes_));
  return last(nodes_);
}

int GltfDocument::add_mesh(const std::string& name, const Mesh& mesh, const Colour& colour) {
  std::vector<float> places;
  LittleEndianBytes rounded;
  Bounds bounds;
  for (const Vec3& vertex : mesh.vertices) {
    const Eigen::Vector3f place = vertex.cast<float>();
    places.insert(places.end(), place.begin(), place.end());
  }
  bounds.add(places);
  const int vertices = buffer.add(
      GltfBuffer::vertices, "VEC3", mesh.vertices.size(),
      [bytes = bytes_of(places)](const auto& write) { write(bytes); }, bounds.json());
  return add_mesh(name, vertices, add_triangles(mesh.faces), {}, colour, false);
}

int GltfDocument::add_mesh(const std::string& name, int places, int triangles,
                           const std::vector<int>& targets, const Colour& colour,
                           bool is_double_sided) {
  Json primitive{{"attributes", {{"POSITION", places}}},
                 {"indices", triangles},
                 {"material", material(colour, is_double_sided)}};
  for (const int target : targets) primitive["targets"].push_back({{"POSITION", target}});
  meshes_.push_back({{"name", name}, {"primitives", Json::array({std::move(primitive)})}});
  return last(meshes_);
}

int GltfDocument::add_triangles(const std::vector<Face>& faces) {
  LittleEndianBytes bytes;
  std::size_t count = 0;
  for (const Face& face : faces)
    for (int k = 2; k < face.size(); ++k)
      for (const int corner : {0, k - 1, k}) {
        bytes.add(static_cast<std::uint32_t>(face.vertex[static_cast<std::size_t>(corner)]));
        ++count;
      }
  return buffer.add(GltfBuffer::indices, "SCALAR", count,
                    [text = bytes.text()](const auto& write) { write(text); });
}

int GltfDocument::material(const Colour& colour, bool is_double_sided) {
  const auto [found, is_new] = material_numbers_.try_emplace({colour, is_double_sided},
                                                             static_cast<int>(materials_.size()));
  if (!is_new) return found->second;
  Json factor = Json::array();
  for (int k = 0; k < 3; ++k) factor.push_back(linear(colour[static_cast<std::size_t>(k)]));
  factor.push_back(colour[3]);
  Json material{{"pbrMetallicRoughness",
                 {{"baseColorFactor", factor}, {"metallicFactor", 0}, {"roughnessFactor", 0.8}}}};
  if (is_double_sided) material["doubleSided"] = true;
  if (colour[3] < 1) material["alphaMode"] = "BLEND";
  materials_.push_back(std::move(material));
  return found->second;
}

void GltfDocument::animate(int node, std::string_view path, int times, int values, bool is_step) {
  samplers_.push_back({{"input", times},
                       {"output", values},
                       {"interpolation", is_step ? "STEP" : "LINEAR"}});
  channels_.push_back(
      {{"sampler", last(samplers_)}, {"target", {{"node", node}, {"path", path}}}});
}

Json GltfDocument::json(const std::string& name, const std::string& file) const {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Json node = nodes_[i];
    for (const int child : children_[i]) node["children"].push_back(child);
    nodes.push_back(std::move(node));
  }
  Json json{{"asset", {{"version", "2.0"}, {"generator", fmt::format("taut {}", version)}}},
            {"scene", 0},
            {"scenes", Json::array({{{"name", name}, {"nodes", Json::array({0})}}})},
            {"nodes", nodes}};
  if (!meshes_.empty()) json["meshes"] = array_of(meshes_);
  if (!materials_.empty()) json["materials"] = array_of(materials_);
  if (!channels_.empty())
    json["animations"] = Json::array({{{"name", name},
                                       {"channels", array_of(channels_)},
                                       {"samplers", array_of(samplers_)}}});
  if (buffer.size() == 0) return json;
  json["accessors"] = buffer.accessors();
  json["bufferViews"] = buffer.views();
  Json bytes{{"byteLength", static_cast<long long>(buffer.size())}};
  if (!file.empty()) bytes["uri"] = percent_encoded(file);
  json["buffers"] = Json::array({bytes});
  return json;
}

}  // namespace taut::io::detail
