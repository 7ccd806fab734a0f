// A robot's file in MJCF or SDF while it is read: its elements, possibly of several files, and what
// is said about them.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/error.hpp"
#include "taut/base/type_info.hpp"
#include "taut/base/types.hpp"
#include "taut/robot/notes_internal.hpp"
#include "taut/text/xml_text.hpp"

namespace taut::io::detail {

/// The attributes that an element may have. Others are unknown.
struct AttributeRule {
  std::string_view element;
  std::vector<std::string_view> used;     ///< read by somebody
  std::vector<std::string_view> without;  ///< has no effect on the motion
  std::vector<std::string_view> changes;  ///< has, but is not simulated
};

class ModelFile {
 public:
  ModelFile(const std::string& origin, std::string folder)
      : files_{origin}, folder_(std::move(folder)) {}

  /// The elements of the file itself.
  XmlElement parse(std::string_view text, std::string_view expected);
  /// Those of another one, which `at` names.
  XmlElement include(const XmlElement& at, const std::string& path, std::string_view expected);
  /// Whether a file has been read already.
  bool knows(const std::string& path) const;
  const std::string& folder() const { return folder_; }
  const std::string& origin() const { return files_[0]; }
  /// Where the file is that an element stands in; empty where there is none.
  std::string folder_of(const XmlElement& element) const;

  /// Throws "file: line 12: joint "elbow": message".
  [[noreturn]] void fail(const XmlElement& at, std::string_view message) const;
  /// … "found range="a b", expected two numbers".
  [[noreturn]] void refuse(const XmlElement& at, std::string_view attribute,
                           std::string_view expected) const;
  /// The same about the text of an element, as SDF has its values.
  [[noreturn]] void refuse_text(const XmlElement& at, std::string_view expected) const;
  /// What throws Error in there is an error at that element.
  template <class Action>
  decltype(auto) at(const XmlElement& element, Action&& action) const {
    try {
      return action();
    } catch (const Error& error) {
      fail(element, error.what());
    }
  }

  // Attributes. Empty, or `otherwise`, where an element has none.
  std::optional<double> number(const XmlElement& at, std::string_view name,
                               Range range = Range::any) const;
  double number(const XmlElement& at, std::string_view name, double otherwise,
                Range range = Range::any) const {
    return number(at, name, range).value_or(otherwise);
  }
  /// From `least` to `most` numbers.
  std::optional<std::vector<double>> numbers(const XmlElement& at, std::string_view name,
                                             std::size_t least, std::size_t most) const;
  std::optional<Vec3> vector(const XmlElement& at, std::string_view name) const;
  Vec3 vector(const XmlElement& at, std::string_view name, const Vec3& otherwise) const {
    return vector(at, name).value_or(otherwise);
  }
  std::string text(const XmlElement& at, std::string_view name,
                   std::string_view otherwise = "") const;
  const std::string& required(const XmlElement& at, std::string_view name) const;
  // The text of a child. Empty, or `otherwise`, where there is no such child.
  std::optional<std::vector<double>> child_numbers(const XmlElement& of, std::string_view name,
                                                   std::size_t least, std::size_t most) const;
  double child_number(const XmlElement& of, std::string_view name, double otherwise,
                      Range range = Range::any) const;
  bool child_flag(const XmlElement& of, std::string_view name, bool otherwise) const;
  std::string child_text(const XmlElement& of, std::string_view name,
                         std::string_view otherwise = "") const;
  /// The number of a word in a list.
  std::size_t word(const XmlElement& at, std::string_view name,
                   std::span<const std::string_view> words, std::size_t otherwise) const;
  bool flag(const XmlElement& at, std::string_view name, bool otherwise) const;
  /// A number from a name, which must be there.
  int find(const XmlElement& at, std::string_view attribute, const std::string& name,
           const std::unordered_map<std::string, int>& known, std::string_view what) const;

  /// Counts attributes that are not used, and warns of those that are unknown.
  void check(const XmlElement& element, const AttributeRule& rule);
  void ignore(const XmlElement& element, std::string_view reason);
  void warn(const XmlElement& element, std::string_view reason);
  /// Counts children that are not used, and warns of those that are unknown.
  void check_children(const XmlElement& element, const AttributeRule& rule);
  /// An element that nobody knows.
  void unknown(const XmlElement& element, const XmlElement& inside,
               std::span<const std::string_view> known);

  Ignored ignored, warned;

 private:
  const std::string& file_of(const XmlElement& element) const {
    return files_[static_cast<std::size_t>(element.file)];
  }

  std::vector<std::string> files_;
  std::string folder_;
};

/// "one number", "2 to 3 numbers".
std::string count_text(std::size_t least, std::size_t most);

}  // namespace taut::io::detail
