// A value in a file together with the way to it, so that every message can say where.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "taut/base/error.hpp"
#include "taut/text/node.hpp"

namespace taut::io {

/// One link of the way from a file to a value in it. Lives on the stack of the reader and refers to
/// its parent there, so that it costs nothing until there is something to complain about.
class At {
 public:
  /// The whole file.
  At(const Node& node, std::string_view origin) : node_(&node), key_(origin) {}

  /// A member that is there.
  At member(std::string_view key) const { return {*node_->find(key), *this, key, no_index}; }
  At item(std::size_t index) const { return {(*node_->items())[index], *this, {}, index}; }
  /// The same value in a turn of a repeat: messages tell the index.
  At turn(std::string_view index_name, long value) const {
    At at(*node_, *this, index_name, no_index);
    at.is_turn_ = true;
    at.turn_ = value;
    return at;
  }

  const Node& node() const { return *node_; }
  const Node* operator->() const { return node_; }
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }

  /// The file.
  std::string_view origin() const { return parent_ ? parent_->origin() : key_; }
  /// "file: /bodies/0/mass", with " (i = 3)" inside repeats.
  std::string place() const;

 private:
  static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
  At(const Node& node, const At& parent, std::string_view key, std::size_t index)
      : node_(&node), parent_(&parent), key_(key), index_(index) {}

  const Node* node_;
  const At* parent_ = nullptr;
  std::string_view key_;  // of a member; the file, for the root; the index's name, for a turn
  std::size_t index_ = no_index;
  bool is_turn_ = false;
  long turn_ = 0;
};

/// Throws "place: message".
[[noreturn]] void fail(const At& at, std::string_view message);
/// Throws "place: found X, expected Y" with X the value itself; `hint` follows as it is.
[[noreturn]] void fail_found(const At& at, std::string_view expected, std::string_view hint = "");

/// Calls `action`; what it throws gets the place in front. For calls into the rest of taut, which
/// knows nothing of files.
template <class Action>
decltype(auto) with_place(const At& at, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    fail(at, error.what());
  }
}

/// A value in words: `the number 3`, `the string "abc"`, `an array of 3`.
std::string describe(const Node& node);
/// In double quotes, on one line, printable, not longer than a line should be.
std::string in_quotes(std::string_view text);
/// Without the quotes.
std::string printable(std::string_view text, std::size_t most = 80);
/// A file's name, for messages.
std::string shown_file(std::string_view path);

}  // namespace taut::io
