#include <algorithm>
#include <array>

#include "taut/base/symmetric_eigenvalues.hpp"
#include "taut/model/anchor_stiffness.hpp"

namespace taut {

void keep_positive_part(double* symmetric, int size) {
  double* const end = symmetric + size * size;
  if (std::all_of(symmetric, end, [](double x) { return x == 0; })) return;
  constexpr int most = 3 * most_anchors;
  std::array<double, most * most> values, vectors{};
  std::copy(symmetric, end, values.begin());
  for (int k = 0; k < size; ++k) vectors[k + size * k] = 1;
  diagonalize(values.data(), vectors.data(), size);

  std::fill(symmetric, end, 0.0);
  for (int k = 0; k < size; ++k) {
    const double value = values[k + size * k];
    const double* v = vectors.data() + size * k;
    if (value > 0)
      for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) symmetric[i + size * j] += value * v[i] * v[j];
  }
}

}  // namespace taut
