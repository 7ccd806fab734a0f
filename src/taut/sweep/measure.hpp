// What a table has of each run:
//
//   energy.max_abs_error     a value of the report (taut run --json), by the names on its way; of a
//                            list, by the name of the entry: joints.hinge1.force.largest
//   height                   a sensor, at the end; min(height), max(height) and last(height) also
//   at(height, 2.5)          … at a time, between two recorded states on a straight line
//   peak=max(height)         under another name
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/simulate/simulation.hpp"
#include "taut/text/node.hpp"

namespace taut::sweep {

struct Measure {
  enum class Kind { report, least, largest, last, at };
  std::string label;
  Kind kind = Kind::report;
  std::string name;  ///< of the sensor; the way to the value
  double time = 0;   ///< of kind at
};

/// `sensors`: names of those there are. Throws Error.
Measure parse_measure(const std::string& text, const std::vector<std::string>& sensors);
/// What is measured where nothing else is asked for.
std::vector<std::string> usual_measures(const std::vector<std::string>& sensors);

/// The value at the end of a way, as a cell of a table; empty where it is null. Throws Error, with
/// the nearest name, where there is none.
std::string value_at(const io::Node& report, const std::string& way);

}  // namespace taut::sweep
