// The content of a report: sections with text, plots, pictures, tables and claims. Plain data;
// report/html.hpp turns it into a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taut::report {

struct Series {
  std::string label;
  std::vector<double> x, y;  ///< non-finite values are gaps
  enum class Style { line, points, line_and_points, dashed } style = Style::line;
  bool is_reference = false;  ///< drawn thick and grey, behind the others
  int method = -1;  ///< place of its method in the list of methods, for its colour; −1: none
};

/// A field of classes over a rectangle, such as stable / oscillating / divergent.
struct Field {
  std::vector<double> x, y;          ///< centres of the cells
  std::vector<int> value;            ///< row by row (y outer, x inner), an index into `classes`
  std::vector<std::string> classes;  ///< names
};

struct Plot {
  std::string title;
  std::string x_label, y_label;  ///< with units
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::optional<Field> field;  ///< drawn behind the series
  std::optional<std::pair<double, double>> x_range, y_range;
  bool equal_axes = false;  ///< a circle looks like one
  std::string caption;
};

/// Flat polygons, painted one over the other.
struct Picture {
  struct Polygon {
    std::vector<std::pair<double, double>> corners;  ///< to the right, and up
    double light = 1;                                ///< 0: dark, 1: light
    bool is_back = false;                            ///< the other side, in another colour
    bool is_shape = false;                           ///< something beside the cloth, in grey
  };
  std::string title, caption;
  std::vector<Polygon> polygons;
};

struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< the first cell is a name, the others numbers
};

struct Claim {
  std::string text;      ///< what is claimed, in words
  std::string measured;  ///< what was measured, with its unit
  std::string required;  ///< "at least 2 m"
  enum class Status { holds, fails } status = Status::holds;
  /// Whether it is known to hold; varies: that depends on the machine.
  enum class Expected { holds, fails, varies } expected = Expected::holds;
  std::string remark;  ///< why it is not expected to hold, or what to know about it; may be empty
  std::string number;  ///< what the number is, where the text does not say it
  double value = 0;    ///< `measured` as a number

  bool is_as_expected() const {
    return expected == Expected::varies ||
           (expected == Expected::holds) == (status == Status::holds);
  }
};

constexpr std::string_view status_text(Claim::Status status) {
  return status == Claim::Status::holds ? "holds" : "fails";
}

constexpr std::string_view expected_text(Claim::Expected expected) {
  switch (expected) {
    case Claim::Expected::holds:
      return "holds";
    case Claim::Expected::fails:
      return "fails";
    case Claim::Expected::varies:
      return "varies";
  }
  return "";
}

struct Section {
  std::string id, title, source;  ///< source: which figure of which paper
  std::string description;        ///< paragraphs are separated by empty lines
  std::vector<std::pair<std::string, std::string>> settings;  ///< name, value: everything chosen
  std::vector<Claim> claims;
  std::vector<Plot> plots;
  std::vector<Picture> pictures;
  std::vector<Table> tables;
  double seconds = 0;  ///< it took to compute
};

struct Document {
  std::string title, subtitle;
  std::vector<std::pair<std::string, std::string>> facts;  ///< version, processor, …
  std::vector<Section> sections;
};

}  // namespace taut::report
