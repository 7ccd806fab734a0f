#include "section_archive.hpp"

namespace taut::report {

// In each of these, all members are named, so that a new one is not forgotten.

template <class A, class B>
void archive_pair(Archive& a, std::pair<A, B>& pair) {
  a(pair.first, pair.second);
}

template <class A, class B>
void archive_pairs(Archive& a, std::vector<std::pair<A, B>>& pairs) {
  pairs.resize(a.count(pairs.size()));
  for (auto& pair : pairs) archive_pair(a, pair);
}

void archive_range(Archive& a, std::optional<std::pair<double, double>>& range) {
  bool has = range.has_value();
  a(has);
  if (has && !range) range.emplace();
  if (has) archive_pair(a, *range);
}

void archive(Archive& a, Series& series) {
  auto& [label, x, y, style, is_reference, method] = series;
  a(label, x, y, style, is_reference, method);
}

void archive(Archive& a, Field& field) {
  auto& [x, y, value, classes] = field;
  a(x, y, value, classes);
}

void archive(Archive& a, Plot& plot) {
  auto& [title, x_label, y_label, log_x, log_y, series, field, x_range, y_range, equal_axes,
         caption] = plot;
  a(title, x_label, y_label, log_x, log_y, series, field, equal_axes, caption);
  archive_range(a, x_range);
  archive_range(a, y_range);
}

void archive(Archive& a, Picture::Polygon& polygon) {
  auto& [corners, light, is_back, is_shape] = polygon;
  archive_pairs(a, corners);
  a(light, is_back, is_shape);
}

void archive(Archive& a, Picture& picture) {
  auto& [title, caption, polygons] = picture;
  a(title, caption, polygons);
}

void archive(Archive& a, Table& table) {
  auto& [caption, columns, rows] = table;
  a(caption, columns, rows);
}

void archive(Archive& a, Claim& claim) {
  auto& [text, measured, required, status, expected, remark, number, value] = claim;
  a(text, measured, required, status, expected, remark, number, value);
}

void archive(Archive& a, Section& section) {
  auto& [id, title, source, description, settings, claims, plots, pictures, tables, seconds] =
      section;
  a(id, title, source, description, claims, plots, pictures, tables, seconds);
  archive_pairs(a, settings);
}

}  // namespace taut::report
