// The settings of a command line, `key=value`, as parameters of a scene and options of methods.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/scene/scene.hpp"
#include "taut/scene/scope_internal.hpp"

namespace taut::io::detail {

class Settings {
 public:
  /// `origin`: the scene's file, for messages.
  Settings(std::span<const Setting> all, std::string_view origin) : all_(all), origin_(origin) {}

  /// The one that holds, the last of that key; or null.
  const Setting* find(std::string_view key) const;
  /// Its value: a number, or an expression with or without "=".
  double value(const Setting& setting, const Scope& scope) const;
  /// Throws "file: setting "key=value": message".
  [[noreturn]] void fail(const Setting& setting, std::string_view message) const;
  /// Fails for a key that is neither a parameter nor method.<option>.
  void refuse_unknown(std::span<const SceneParameter> parameters) const;
  /// Those of `method.<option>`, for whatever method runs.
  std::vector<OptionValue> method_options(const Scope& scope) const;

 private:
  std::span<const Setting> all_;
  std::string_view origin_;
};

}  // namespace taut::io::detail
