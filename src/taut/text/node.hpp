// The JSON value as the scene reader sees it. Not nlohmann::json, because members keep their order
// (parameters may use earlier ones), duplicate keys are refused, and a value is 16 bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taut::io {

class Node {
 public:
  using Items = std::vector<Node>;
  using Member = std::pair<std::string, Node>;
  using Members = std::vector<Member>;

  Node() = default;  // null
  explicit Node(bool value) : value_(value) {}
  explicit Node(double value) : value_(value) {}
  explicit Node(std::string text) : value_(std::make_unique<std::string>(std::move(text))) {}
  explicit Node(Items items) : value_(std::make_unique<Items>(std::move(items))) {}
  explicit Node(Members members) : value_(std::make_unique<Members>(std::move(members))) {}

  // Each is null when the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const std::string* text() const { return pointee<std::string>(); }
  const Items* items() const { return pointee<Items>(); }
  const Members* members() const { return pointee<Members>(); }

  /// The member of an object, or null.
  const Node* find(std::string_view key) const {
    if (const Members* all = members())
      for (const Member& member : *all)
        if (member.first == key) return &member.second;
    return nullptr;
  }

 private:
  template <class T>
  const T* pointee() const {
    const auto* held = std::get_if<std::unique_ptr<T>>(&value_);
    return held ? held->get() : nullptr;
  }

  std::variant<std::monostate, bool, double, std::unique_ptr<std::string>, std::unique_ptr<Items>,
               std::unique_ptr<Members>>
      value_;
};

}  // namespace taut::io
