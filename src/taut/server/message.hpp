// A client's message: a JSON object of which every field is checked when it is asked for.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "taut/base/types.hpp"
#include "taut/text/node.hpp"

namespace taut::server {

class Message {
 public:
  /// Throws Error for what is no JSON object.
  explicit Message(std::string_view text);

  std::uint32_t id() const { return id_; }  ///< 0: none
  const std::string& type() const { return type_; }

  // Each throws Error, with the field's name, for a value of another kind or range.
  bool has(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::optional<std::string> text_if(std::string_view key) const;
  double number(std::string_view key, double least = -INFINITY, double most = INFINITY) const;
  double number_or(std::string_view key, double otherwise, double least = -INFINITY,
                   double most = INFINITY) const;
  std::optional<double> number_if(std::string_view key, double least = -INFINITY) const;
  long whole(std::string_view key, long least, long most) const;
  long whole_or(std::string_view key, long otherwise, long least, long most) const;
  bool flag_or(std::string_view key, bool otherwise) const;
  Vec3 vector(std::string_view key) const;
  std::optional<Vec3> vector_if(std::string_view key) const;
  std::map<std::string, double> numbers(std::string_view key) const;
  const io::Node* find(std::string_view key) const;

 private:
  io::Node root_;
  std::uint32_t id_ = 0;
  std::string type_;
};

}  // namespace taut::server
