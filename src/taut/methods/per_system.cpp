// What methods remember (the last step, patterns, factors, the choice of rows) belongs to one
// system. So each system gets a method object of its own.
#include <algorithm>

#include "taut/methods/method.hpp"

namespace taut {
namespace {

class MethodPerSystem final : public Method {
 public:
  MethodPerSystem(const MethodInfo& info, std::span<const OptionValue> given)
      : info_(info), given_(given.begin(), given.end()) {
    used_.push_back({0, info_.create(info_, given_)});
    promises = info_.promises;
    step_error = used_.front().method->step_error;
  }

  StepReport step(const System& system, double h, State& state, Workspace& workspace) override {
    return of(system).step(system, h, state, workspace);
  }
  int order() const override { return used_.front().method->order(); }
  bool has_memory() const override { return used_.front().method->has_memory(); }
  ForceResponse force_response() const override { return used_.front().method->force_response(); }
  bool interpolate(const System& system, double time, State& out) override {
    return of(system).interpolate(system, time, out);
  }

  void archive(Archive& a, const System& system, Workspace& w) override {
    if (a.is_reading())
      std::erase_if(used_, [&](const Used& used) { return used.topology == system.topology(); });
    if (used_.empty()) used_.push_back({0, info_.create(info_, given_)});
    of(system).archive(a, system, w);
  }

 private:
  struct Used {
    long topology;
    std::unique_ptr<Method> method;
  };

  /// The last one used is the first in the list.
  Method& of(const System& system) {
    const long wanted = system.topology();
    if (used_.front().topology == wanted) [[likely]]
      return *used_.front().method;
    auto found = std::find_if(used_.begin(), used_.end(),
                              [&](const Used& used) { return used.topology == wanted; });
    if (found == used_.end()) {
      constexpr std::size_t most = 64;  // systems at a time; a system that grows is a new one
      if (used_.size() == most) used_.pop_back();
      found = used_.insert(used_.end(), {wanted, info_.create(info_, given_)});
    }
    std::rotate(used_.begin(), found, found + 1);
    return *used_.front().method;
  }

  MethodInfo info_;
  std::vector<OptionValue> given_;
  std::vector<Used> used_;
};

}  // namespace

std::unique_ptr<Method> MethodInfo::make(std::span<const OptionValue> given) const {
  return std::make_unique<MethodPerSystem>(*this, given);
}

}  // namespace taut
