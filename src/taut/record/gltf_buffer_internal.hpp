// The numbers of a glTF file: accessors, and the binary buffer they refer to. The buffer is laid
// out first, for the JSON, and written afterwards, so that it is never in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "taut/record/recording_internal.hpp"
#include "taut/text/json.hpp"

namespace taut::io::detail {

class GltfBuffer {
 public:
  enum View { numbers, vertices, indices };  ///< of animations, meshes, and their triangles
  using Write = std::function<void(std::string_view bytes)>;
  using Source = std::function<void(const Write& write)>;

  /// The number of a new accessor. `type`: "SCALAR", "VEC3", "VEC4"; `source` writes the bytes.
  int add(View view, std::string_view type, std::size_t count, Source source, Json bounds = {});
  /// Another one for a part of the last: times of some frames.
  int add_part(int whole, std::size_t first, std::size_t count, Json bounds);

  std::uint64_t size() const;
  Json accessors() const;
  Json views() const;
  void write(const Write& write) const;

 private:
  struct Content {
    std::uint64_t size = 0;
    std::vector<Source> sources;
  };
  struct Place {
    View view;
    std::uint64_t offset;
  };
  int describe(Place place, std::string_view type, std::size_t count, const Json& bounds);
  int number_of(View view) const;

  Content contents_[3];
  std::vector<Place> places_;  // of the accessors
  std::vector<Json> accessors_;
};

}  // namespace taut::io::detail
