// Builds a Scene from the tree of values of its file.
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "taut/io/field_reader_internal.hpp"
#include "taut/io/scene.hpp"

namespace taut::io::detail {

struct PendulumFields;
struct FinalValuesFields;

class SceneReader {
 public:
  explicit SceneReader(std::span<const Setting> settings) : settings_(settings) {}

  Scene read(const At& root);
  /// Name, title and parameters only.
  Scene read_summary(const At& root);

 private:
  void read_header(const At& root);
  void read_parameters(const At& root);
  void read_parameter(const At& at, const std::string& name);
  void apply_method_settings(const At& root);
  void read_simulation(const At& at);
  void read_options(const At& at);
  void read_body(const At& at);
  void read_force(const At& at);
  void read_constraint(const At& at);
  void read_reference(const At& at);
  void set_reference(const At& at, const PendulumFields& fields);
  void set_reference(const At& at, const FinalValuesFields& fields);

  /// Calls visit(At) for every item of a list, as often as the repeats around it say.
  template <class Visit>
  void each_item(const At& list, Visit&& visit);
  template <class Visit>
  void each_turn(const At& item, Visit&& visit);
  template <class T>
  void refuse_equal_points(const At& at, const T& fields);
  std::string constraint_name(const At& at, std::string_view type);

  std::span<const Setting> settings_;
  Scene scene_;
  Scope scope_;
  FieldReader reader_{scope_, scene_.system};
  std::unordered_set<std::string> constraint_names_;
  std::map<std::string_view, int> constraint_counts_;
  long turns_ = 0;  // of all repeats so far
};

}  // namespace taut::io::detail
