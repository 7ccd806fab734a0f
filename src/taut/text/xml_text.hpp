// From the text of an XML file to its elements. For files that may be hostile: everything has a
// limit, nothing recurses, and no entity is ever looked up. Comments and processing instructions
// are skipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace taut::io {

struct XmlAttribute {
  std::string name, value;
};

struct XmlElement {
  std::string name;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  std::string text;  ///< between its tags, without that of its children, and without space around
  std::size_t line = 0;  ///< of its first character, from 1
  int file = 0;          ///< which of several, for readers of files that include others

  /// The value of an attribute, or null.
  const std::string* attribute(std::string_view key) const {
    for (const XmlAttribute& each : attributes)
      if (each.name == key) return &each.value;
    return nullptr;
  }
  /// The first child of that name, or null.
  const XmlElement* child(std::string_view key) const {
    for (const XmlElement& each : children)
      if (each.name == key) return &each;
    return nullptr;
  }
};

inline constexpr std::size_t most_xml_elements = 1'000'000;
inline constexpr std::size_t most_xml_attributes = 100;  // of one element

/// The outermost element. Throws Error with line and column for what is not well-formed XML, for
/// DOCTYPE, and for what is too large or too deep. `expected` says what the file should have been:
/// "a robot, <robot>".
XmlElement parse_xml(std::string_view text, const std::string& origin, std::string_view expected);

}  // namespace taut::io
