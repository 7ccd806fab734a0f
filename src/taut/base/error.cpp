#include "taut/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace taut {
namespace {

// Levenshtein distance, ignoring case: two rolling rows of the dynamic programme.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (lower(a[i]) != lower(b[j]) ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 2) + 1;
  if (word.size() > 64) return best;
  for (std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (known.empty()) return "";
  if (const std::string_view near = nearest_name(word, known); !near.empty())
    return " (did you mean \"" + std::string(near) + "\"?)";
  constexpr std::size_t most = 30;
  std::string text = " (known: ";
  for (std::size_t i = 0; i < std::min(most, known.size()); ++i)
    text += (i ? ", " : "") + std::string(known[i]);
  if (known.size() > most) text += " and " + std::to_string(known.size() - most) + " more";
  return text + ")";
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "taut: internal error: %s does not hold (%s:%d). Please report this.\n",
               condition, file, line);
  std::abort();
}

}  // namespace taut
