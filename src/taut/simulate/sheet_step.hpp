// A step of a system with cloth that may touch something (model/sheet_source.hpp).
//
// As long as no cloth is near anything, the method does the step alone, with the contacts of rigid
// bodies as ever (contact_step.hpp), and keeps its order. Where cloth touches, or would have got
// through something, SheetMethod does it whatever the method is, and takes the contacts of rigid
// bodies along: backward Euler, of first order, in which nothing rebounds. Where rigid bodies that
// should rebound are about to hit something, the step is cut just before. The moment in which they
// do is left to the contacts of rigid bodies alone.
#pragma once

#include "taut/simulate/contact_step.hpp"
#include "taut/simulate/sheet_method.hpp"

namespace taut {

class Archive;

class SheetStep {
 public:
  StepReport step(const System& system, Method& method, double h, State& state, Workspace& w);
  void archive(Archive& a, const System& system);
  ContactStep& contacts() { return contacts_; }
  /// Parts of fast steps are so many times shorter.
  void divide_finer(int times) { finer_parts_ = times; }
  /// What bore a load at the end of the last step: contacts of rigid bodies, by source and feature,
  /// or where cloth touched, all together.
  std::span<const Touch> touches() const {
    return is_together_ ? std::span<const Touch>() : contacts_.touches();
  }
  std::span<const SheetLoad> loads() const {
    return is_together_ ? touching_.loads() : std::span<const SheetLoad>();
  }

 private:
  bool is_free(const System& system, const State& from, const State& to);
  StepReport part(const System& system, Method& method, double h, State& state, Workspace& w);
  /// By SheetMethod, cut where bodies rebound.
  StepReport touching_part(const System& system, Method& method, double h, State& state,
                           Workspace& w);
  /// When something hits faster than this and rebounds; `longest` if nothing does before.
  double next_rebound(const System& system, const State& state, double longest, double least);
  /// Whether it was done: not where cloth is in the way.
  bool rebound(const System& system, Method& method, double h, State& state, Workspace& w,
               StepReport& report);

  ContactStep contacts_;
  SheetMethod touching_;
  int finer_parts_ = 1;
  bool touched_ = false;      // in the last step
  bool is_together_ = false;  // the last step was done by SheetMethod
  State from_;
  std::vector<RowModes::Mode> modes_from_;
  VecX lambda_from_, moved_;
  Pose start_, end_;
  std::vector<SheetTouch> touches_;
  std::vector<Contact> contacts_ahead_;
};

}  // namespace taut
