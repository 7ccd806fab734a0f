#include <algorithm>
#include <cmath>
#include <filesystem>

#include "taut/robot/model_file_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_files = 1000;

void set_file(XmlElement& element, int file) {
  std::vector<XmlElement*> open{&element};
  while (!open.empty()) {
    XmlElement* next = open.back();
    open.pop_back();
    next->file = file;
    for (XmlElement& child : next->children) open.push_back(&child);
  }
}

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string count_text(std::size_t least, std::size_t most) {
  const std::string_view words[] = {"no", "one", "two", "three", "four", "five", "six", "seven"};
  const auto word = [&](std::size_t n) {
    return n < std::size(words) ? std::string(words[n]) : std::to_string(n);
  };
  if (least == most) return word(least) + (least == 1 ? " finite number" : " finite numbers");
  if (most > 1000) return "finite numbers";
  return word(least) + " to " + word(most) + " finite numbers";
}

XmlElement ModelFile::parse(std::string_view text, std::string_view expected) {
  return parse_xml(text, files_[0], expected);
}

bool ModelFile::knows(const std::string& path) const {
  std::error_code no_throw;
  const auto whole = std::filesystem::weakly_canonical(path, no_throw);
  return std::any_of(files_.begin(), files_.end(), [&](const std::string& file) {
    return std::filesystem::weakly_canonical(file, no_throw) == whole;
  });
}

std::string ModelFile::folder_of(const XmlElement& element) const {
  if (folder_.empty() || element.file == 0) return folder_;
  return std::filesystem::path(file_of(element)).parent_path().string();
}

XmlElement ModelFile::include(const XmlElement& at, const std::string& path,
                              std::string_view expected) {
  namespace fs = std::filesystem;
  if (folder_.empty()) fail(at, "found another file, expected none: this one is in no folder");
  std::error_code no_throw;
  if (files_.size() == most_files)
    fail(at, fmt::format("found more than {} files, expected at most that", most_files));
  if (fs::exists(path, no_throw) && !fs::is_regular_file(path, no_throw))
    fail(at, fmt::format("found {}, which is no file, expected a file", in_quotes(path)));
  const std::string text = this->at(at, [&] { return read_text(path, expected); });
  XmlElement root = parse_xml(text, path, expected);
  set_file(root, static_cast<int>(files_.size()));
  files_.push_back(path);
  return root;
}

void ModelFile::fail(const XmlElement& at, std::string_view message) const {
  throw Error(fmt::format("{}: line {}: {}: {}", shown_file(file_of(at)), at.line, owner_text(at),
                          message));
}

void ModelFile::refuse(const XmlElement& at, std::string_view attribute,
                       std::string_view expected) const {
  const std::string* value = at.attribute(attribute);
  fail(at, fmt::format("found {}={}, expected {}", attribute, in_quotes(value ? *value : ""),
                       expected));
}

void ModelFile::refuse_text(const XmlElement& at, std::string_view expected) const {
  fail(at, fmt::format("found {}, expected {}", in_quotes(at.text), expected));
}

std::optional<double> ModelFile::number(const XmlElement& at, std::string_view name,
                                        Range range) const {
  const auto all = numbers(at, name, 1, 1);
  if (!all) return std::nullopt;
  const double value = (*all)[0];
  const bool fits = range == Range::positive       ? value > 0
                    : range == Range::non_negative ? value >= 0
                                                   : true;
  if (!fits) refuse(at, name, range_text(range));
  return value;
}

std::optional<std::vector<double>> ModelFile::numbers(const XmlElement& at, std::string_view name,
                                                      std::size_t least, std::size_t most) const {
  const std::string* value = at.attribute(name);
  if (!value) return std::nullopt;
  std::vector<double> all = read_numbers(*value, most);
  if (all.size() < least || (all.empty() && least > 0)) refuse(at, name, count_text(least, most));
  return all;
}

std::optional<Vec3> ModelFile::vector(const XmlElement& at, std::string_view name) const {
  const auto all = numbers(at, name, 3, 3);
  if (!all) return std::nullopt;
  return Vec3(all->data());
}

std::string ModelFile::text(const XmlElement& at, std::string_view name,
                            std::string_view otherwise) const {
  const std::string* value = at.attribute(name);
  return value ? *value : std::string(otherwise);
}

const std::string& ModelFile::required(const XmlElement& at, std::string_view name) const {
  const std::string* value = at.attribute(name);
  if (!value) fail(at, fmt::format("found no {}, expected one", in_quotes(name)));
  return *value;
}

std::optional<std::vector<double>> ModelFile::child_numbers(const XmlElement& of,
                                                            std::string_view name,
                                                            std::size_t least,
                                                            std::size_t most) const {
  const XmlElement* child = of.child(name);
  if (!child) return std::nullopt;
  std::vector<double> all = read_numbers(child->text, most);
  if (all.size() < least) refuse_text(*child, count_text(least, most));
  return all;
}

double ModelFile::child_number(const XmlElement& of, std::string_view name, double otherwise,
                               Range range) const {
  const auto all = child_numbers(of, name, 1, 1);
  if (!all) return otherwise;
  const double value = (*all)[0];
  if ((range == Range::positive && !(value > 0)) || (range == Range::non_negative && !(value >= 0)))
    refuse_text(*of.child(name), range_text(range));
  return value;
}

bool ModelFile::child_flag(const XmlElement& of, std::string_view name, bool otherwise) const {
  const XmlElement* child = of.child(name);
  if (!child) return otherwise;
  const std::string& text = child->text;
  if (text == "true" || text == "1" || text == "True") return true;
  if (text != "false" && text != "0" && text != "False") refuse_text(*child, "true or false");
  return false;
}

std::string ModelFile::child_text(const XmlElement& of, std::string_view name,
                                  std::string_view otherwise) const {
  const XmlElement* child = of.child(name);
  return child ? child->text : std::string(otherwise);
}

void ModelFile::check_children(const XmlElement& element, const AttributeRule& rule) {
  for (const XmlElement& each : element.children) {
    if (has(rule.used, each.name)) continue;
    // "drake:…", "gz:…": for another program.
    const bool foreign = each.name.find(':') != std::string::npos;
    const std::string of = fmt::format(" of <{}>", printable(element.name));
    const std::string kind = fmt::format("<{}> element", printable(each.name));
    if (foreign || has(rule.without, each.name)) {
      ignored.count(kind, of, "has no effect on the motion here");
    } else if (has(rule.changes, each.name)) {
      warned.count(kind, of, "not simulated");
    } else {
      const std::string_view near = nearest_name(each.name, rule.used);
      warned.count(kind, of,
                   near.empty() ? "unknown" : fmt::format("unknown (did you mean <{}>?)", near));
    }
  }
}

std::size_t ModelFile::word(const XmlElement& at, std::string_view name,
                            std::span<const std::string_view> words, std::size_t otherwise) const {
  const std::string* value = at.attribute(name);
  if (!value) return otherwise;
  const auto found = std::find(words.begin(), words.end(), *value);
  if (found == words.end()) refuse(at, name, "a known word" + suggestion(*value, words));
  return static_cast<std::size_t>(found - words.begin());
}

bool ModelFile::flag(const XmlElement& at, std::string_view name, bool otherwise) const {
  constexpr std::string_view words[] = {"false", "true", "0", "1", "disable", "enable"};
  return word(at, name, words, otherwise ? 1 : 0) % 2 == 1;
}

int ModelFile::find(const XmlElement& at, std::string_view attribute, const std::string& name,
                    const std::unordered_map<std::string, int>& known,
                    std::string_view what) const {
  if (const auto found = known.find(name); found != known.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [each, number] : known) names.push_back(each);
  std::sort(names.begin(), names.end());
  fail(at, fmt::format("found {}={}, expected the name of a {}{}", attribute, in_quotes(name), what,
                       suggestion(name, names)));
}

void ModelFile::check(const XmlElement& element, const AttributeRule& rule) {
  for (const XmlAttribute& each : element.attributes) {
    if (has(rule.used, each.name) || each.name.starts_with("xmlns")) continue;
    const std::string kind = fmt::format("{} attribute", in_quotes(each.name));
    const std::string of = fmt::format(" of <{}>", printable(element.name));
    if (has(rule.without, each.name)) {
      ignored.count(kind, of, "has no effect on the motion here");
    } else if (has(rule.changes, each.name)) {
      warned.count(kind, of, "not simulated");
    } else {
      std::vector<std::string_view> known = rule.used;
      const std::string_view near = nearest_name(each.name, known);
      warned.count(kind, of,
                   near.empty() ? "unknown" : fmt::format("unknown (did you mean \"{}\"?)", near));
    }
  }
}

void ModelFile::ignore(const XmlElement& element, std::string_view reason) {
  ignored.count(fmt::format("<{}> element", printable(element.name)), "", reason);
}

void ModelFile::warn(const XmlElement& element, std::string_view reason) {
  warned.count(fmt::format("<{}> element", printable(element.name)), "", reason);
}

void ModelFile::unknown(const XmlElement& element, const XmlElement& inside,
                        std::span<const std::string_view> known) {
  const std::string_view near = nearest_name(element.name, known);
  warned.count(fmt::format("<{}> element", printable(element.name)),
               fmt::format(" in <{}>", printable(inside.name)),
               near.empty() ? "unknown" : fmt::format("unknown (did you mean <{}>?)", near));
}

}  // namespace taut::io::detail
