// From the fields of a method to its MethodInfo.
#pragma once

#include <memory>

#include "taut/methods/method.hpp"

namespace taut {

namespace detail {

/// Sets the fields of `method` that are given, by name and as text. Throws Error for an unknown
/// name or a value that does not fit.
void set_options(const MethodInfo& info, std::span<const OptionValue> given, void* method);

}  // namespace detail

/// M is a Method; its fields are numbers, whole numbers, true or false, and choices.
template <class M>
MethodInfo describe_method(std::string_view name, std::string_view summary, Promises promises,
                           const FieldList<M>& fields = {}) {
  MethodInfo info{name, summary, promises, fields.all(), &default_object<M>(), {}};
  info.create = [](const MethodInfo& self,
                   std::span<const OptionValue> given) -> std::unique_ptr<Method> {
    auto method = std::make_unique<M>();
    method->promises = self.promises;
    detail::set_options(self, given, method.get());
    return method;
  };
  return info;
}

}  // namespace taut
