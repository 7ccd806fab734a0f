// What the processes have in parts, brought to the first of them: piece by piece, so that it never
// has the whole.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "taut/distributed/processes.hpp"

namespace taut::distributed {

/// What everybody has, by rank, for everybody.
template <class T>
std::vector<T> gather(const Processes& processes, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(processes.count()));
  MPI_Allgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

/// Everybody calls it with things it owns: their numbers in the whole, ascending, and value(i) of
/// the i-th of them. The first process gets visit(values) for one piece of [0, whole) after the
/// other. Every number is owned by somebody.
template <class T, class Value, class Visit>
void gather_in_order(const Processes& processes, std::span<const int> numbers, int whole,
                     const Value& value, const Visit& visit) {
  static_assert(std::is_trivially_copyable_v<T>);
  struct Item {
    int number;
    T value;
  };
  constexpr int piece = 1 << 16;
  std::vector<Item> mine, all;
  std::vector<T> values;
  std::vector<int> counts(static_cast<std::size_t>(processes.count()));
  std::vector<int> starts(counts.size());
  std::size_t next = 0;
  for (int begin = 0; begin < whole; begin += std::min(piece, whole - begin)) {
    const int end = begin + std::min(piece, whole - begin);
    mine.clear();
    for (; next < numbers.size() && numbers[next] < end; ++next)
      mine.push_back({numbers[next], value(next)});
    const int size = static_cast<int>(mine.size() * sizeof(Item));
    MPI_Gather(&size, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int sum = 0;
    if (processes.is_first())
      for (std::size_t p = 0; p < counts.size(); ++p) {
        starts[p] = sum;
        sum += counts[p];
      }
    all.resize(static_cast<std::size_t>(sum) / sizeof(Item));
    MPI_Gatherv(mine.data(), size, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, 0,
                MPI_COMM_WORLD);
    if (!processes.is_first()) continue;
    values.resize(static_cast<std::size_t>(end - begin));
    for (const Item& item : all) values[static_cast<std::size_t>(item.number - begin)] = item.value;
    visit(std::span<const T>(values));
  }
}

}  // namespace taut::distributed
