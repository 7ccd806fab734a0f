// What a system is made of, by type.
#pragma once

#include <string>

#include "taut/base/error.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/model/system.hpp"

namespace taut::testing {

/// All constraints of type C of a system.
template <class C>
struct ConstraintsOf {
  const ConstraintBatch& batch;

  int size() const { return batch.size(); }
  const C& operator[](int i) const { return *static_cast<const C*>(batch.object(i)); }
  const std::string& name(int i) const { return batch.name(i); }
};

template <class C>
ConstraintsOf<C> constraints_of(const System& system) {
  for (const auto& batch : system.constraints())
    if (batch->type() == C::type) return {*batch};
  throw Error("there is no " + std::string(C::type));
}

/// How many forces of type F there are.
template <class F>
int count_forces(const System& system) {
  for (const auto& batch : system.all_forces())
    if (batch->type() == F::type) return batch->size();
  return 0;
}

/// Calls visit.template operator()<C>() for every type of joint.
template <class Visit>
void for_each_joint(const Visit& visit) {
  visit.template operator()<Hinge>();
  visit.template operator()<Slider>();
  visit.template operator()<Cylindrical>();
  visit.template operator()<Universal>();
  visit.template operator()<Planar>();
  visit.template operator()<Weld>();
  visit.template operator()<Screw>();
}

}  // namespace taut::testing
