// What one process has of the cloth: its own vertices and rows, and those of others around them.
//
// Vertices are owned as the mesh was divided; a row, by the owner of its lowest vertex. All rows
// that touch an owned vertex, or a vertex of an owned row, matter: with their multipliers known,
// W Jᵀλ is complete where owned rows and owned vertices need it.
#pragma once

#include <vector>

#include "taut/distributed/halo_internal.hpp"
#include "taut/distributed/processes.hpp"
#include "taut/methods/workspace.hpp"
#include "taut/scene/scene_share.hpp"
#include "taut/solve/parts.hpp"

namespace taut::distributed {

class Domain final : public Parts {
 public:
  Domain(const Processes& processes, const io::SceneShare& share);

  const Processes& processes;
  const io::SceneShare& share;
  const System& system;
  Workspace workspace;  ///< whose pattern has all rows that there are here

  const std::vector<int>& owned_bodies() const { return owned_bodies_; }
  const std::vector<int>& owned_rows() const { return owned_rows_; }
  const std::vector<int>& near_rows() const { return near_rows_; }  ///< of others, that matter
  /// The number of a body in the whole scene.
  int number(int body) const { return number_[static_cast<std::size_t>(body)]; }
  int owner(int body) const { return owner_[static_cast<std::size_t>(body)]; }
  bool owns_body(int body) const { return owner(body) == processes.rank(); }
  bool owns_row(int row) const {
    return row_owner_[static_cast<std::size_t>(row)] == processes.rank();
  }
  const std::vector<int>& row_owner() const { return row_owner_; }
  const Halo& bodies() const { return *bodies_; }  ///< three numbers each
  const Halo& rows() const { return *rows_; }
  long whole_rows() const { return whole_rows_; }

  double sum(double mine) const override { return processes.sum(mine); }
  bool any(bool mine) const override { return processes.any(mine); }
  double norm(const VecX& x) const override;
  void complete(VecX& x) const override { bodies_->fill(x.data()); }
  void keep_own(VecX& x) const override;
  Eigen::Index whole_size(const VecX&) const override { return 3L * share.whole_bodies; }
  Eigen::Index whole_number(Eigen::Index entry) const override {
    return 3L * number(static_cast<int>(entry / 3)) + entry % 3;
  }

 private:
  std::vector<Halo::Key> find_rows();

  std::vector<int> number_, owner_;  // per body
  std::vector<int> owned_bodies_, other_bodies_;
  std::vector<int> owned_rows_, near_rows_, row_owner_;
  std::unique_ptr<Halo> bodies_, rows_;
  long whole_rows_ = 0;
};

}  // namespace taut::distributed
