// What happens to a URDF file before urdfdom reads it. urdfdom does not report line numbers, stops
// at the first surprise with a message for programmers, and uses texts from the file as printf
// formats (a material named "%n" …). So it gets a clean copy: only elements that it reads, numbers
// that are numbers, and names replaced by "link3", "joint7".
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taut/robot/notes_internal.hpp"
#include "taut/text/at.hpp"
#include "taut/text/xml_text.hpp"

namespace taut::io::detail {

/// The links or the joints of a file, numbered in its order.
struct NamedElements {
  std::string_view what;  ///< "link" or "joint"
  std::vector<const XmlElement*> elements;
  std::unordered_map<std::string, int> numbers;

  const std::string& name(int number) const {
    return *elements[static_cast<std::size_t>(number)]->attribute("name");
  }
};

struct UrdfFile {
  std::string origin;
  XmlElement robot;
  NamedElements links{"link", {}, {}}, joints{"joint", {}, {}};
  Ignored ignored;

  /// Throws "file: line 12: joint "elbow", <limit>: message".
  [[noreturn]] void fail(const XmlElement& element, std::string_view owner,
                         std::string_view message) const;
  /// A link or joint by the name in an attribute that is there; fails when there is none.
  int find(const NamedElements& named, const XmlElement& element, std::string_view attribute,
           std::string_view owner) const;
};

/// Stage 1: the elements, with links and joints numbered. Throws Error.
UrdfFile open_urdf(std::string_view text, const std::string& origin);
/// Stage 2: checks every element and attribute, and gives the copy for urdfdom.
std::string clean_urdf(UrdfFile& file);

/// Stage 3: how the joints make a tree.
struct UrdfTree {
  struct Joint {
    int number, parent, child;  ///< in the file's order
    int mimic = -1;
  };
  std::vector<Joint> joints;  ///< parents before children
  int root = 0;
};
UrdfTree check_tree(const UrdfFile& file);

}  // namespace taut::io::detail
