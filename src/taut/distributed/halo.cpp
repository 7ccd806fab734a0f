#include <algorithm>
#include <numeric>

#include "taut/distributed/halo_internal.hpp"
#include "taut/distributed/petsc_internal.hpp"

namespace taut::distributed {
namespace {

/// Sends counts[p] things to each process p, one after the other in `out`, and returns what comes.
template <class T>
std::vector<T> exchange(const std::vector<T>& out, const std::vector<int>& counts,
                        std::vector<int>& come) {
  const std::size_t processes = counts.size();
  come.resize(processes);
  MPI_Alltoall(counts.data(), 1, MPI_INT, come.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const auto starts = [&](const std::vector<int>& of) {
    std::vector<int> begin(processes, 0);
    std::partial_sum(of.begin(), of.end() - 1, begin.begin() + 1);
    return begin;
  };
  std::vector<T> in(static_cast<std::size_t>(std::accumulate(come.begin(), come.end(), 0)));
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(out.data(), counts.data(), starts(counts).data(), type, in.data(), come.data(),
                starts(come).data(), type, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  return in;
}

}  // namespace

Halo::Halo(const Processes& processes, const std::vector<Key>& keys, const std::vector<int>& owner,
           const std::vector<int>& wanted, int width) {
  std::vector<int> mine;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (owner[i] == processes.rank()) mine.push_back(static_cast<int>(i));
  const auto key = [&](int i) -> const Key& { return keys[static_cast<std::size_t>(i)]; };
  std::sort(mine.begin(), mine.end(), [&](int a, int b) { return key(a) < key(b); });

  std::vector<int> asked = wanted;  // owner after owner
  const auto owner_of = [&](int i) { return owner[static_cast<std::size_t>(i)]; };
  std::stable_sort(asked.begin(), asked.end(),
                   [&](int a, int b) { return owner_of(a) < owner_of(b); });
  std::vector<int> counts(static_cast<std::size_t>(processes.count()), 0), come, back;
  std::vector<Key> questions;
  for (const int i : asked) {
    ++counts[static_cast<std::size_t>(owner_of(i))];
    questions.push_back(key(i));
  }
  std::vector<int> answers;
  for (const Key& question : exchange(questions, counts, come)) {
    const auto found = std::lower_bound(mine.begin(), mine.end(), question,
                                        [&](int i, const Key& other) { return key(i) < other; });
    answers.push_back(found == mine.end() || key(*found) != question ? -1 : *found);
  }
  answers = exchange(answers, come, back);

  // Everybody throws, or nobody.
  const bool is_missing = std::find(answers.begin(), answers.end(), -1) != answers.end();
  if (processes.any(is_missing))
    throw AgreedError(
        "the parts of the cloth do not agree about its yarns at their borders: this mesh "
        "cannot be divided; run it without --engine petsc");

  PetscInt* local = nullptr;
  PetscSFNode* remote = nullptr;
  require(PetscMalloc1(asked.size(), &local));
  require(PetscMalloc1(asked.size(), &remote));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    local[i] = asked[i];
    remote[i] = {owner_of(asked[i]), answers[i]};
  }
  require(PetscSFCreate(MPI_COMM_WORLD, &graph_));
  require(PetscSFSetGraph(graph_, static_cast<PetscInt>(keys.size()),
                          static_cast<PetscInt>(asked.size()), local, PETSC_OWN_POINTER, remote,
                          PETSC_OWN_POINTER));
  require(PetscSFSetUp(graph_));
  if (width > 1) {
    MPI_Type_contiguous(width, MPI_DOUBLE, &unit_);
    MPI_Type_commit(&unit_);
  }
  neighbours_ = static_cast<int>(
      std::count_if(counts.begin(), counts.end(), [](int count) { return count > 0; }));
  bytes_ = static_cast<long>(asked.size() * sizeof(double)) * width;
}

Halo::~Halo() {
  if (unit_ != MPI_DOUBLE) MPI_Type_free(&unit_);
  PetscSFDestroy(&graph_);
}

void Halo::fill(double* x) const {
  ++times_;
  require(PetscSFBcastBegin(graph_, unit_, x, x, MPI_REPLACE));
  require(PetscSFBcastEnd(graph_, unit_, x, x, MPI_REPLACE));
}

void Halo::add(double* x) const {
  TAUT_CHECK(unit_ == MPI_DOUBLE);  // MPI cannot add others
  ++times_;
  require(PetscSFReduceBegin(graph_, unit_, x, x, MPI_SUM));
  require(PetscSFReduceEnd(graph_, unit_, x, x, MPI_SUM));
}

}  // namespace taut::distributed
