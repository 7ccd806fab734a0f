// What a report is made of: sections with text, plots, pictures, tables and claims. Plain data;
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
  bool equal_axes = false;  ///< a circle is to look like one
  std::string caption;
};

/// Flat polygons, painted one over the other.
struct Picture {
  struct Polygon {
    std::vector<std::pair<double, double>> corners;  ///< to the right, and up
    double light = 1;                                ///< 0: dark, 1: light
    bool is_back = false;                            ///< the other side, in another colour
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
  std::string expected;  ///< "≥ 2"
  enum class Status { holds, fails, waiting } status = Status::holds;
  std::string remark;  ///< why it fails or waits; may be empty
  double value = 0;    ///< `measured` as a number
};

/// "holds", "fails" or "waiting".
constexpr std::string_view status_text(Claim::Status status) {
  switch (status) {
    case Claim::Status::holds:
      return "holds";
    case Claim::Status::fails:
      return "fails";
    case Claim::Status::waiting:
      return "waiting";
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
