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

namespace taut::distributed {

class Domain {
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

  /// Of numbers per velocity: the sum over owned bodies, of all processes.
  double dot(const VecX& a, const VecX& b) const;
  double norm(const VecX& a) const;

 private:
  std::vector<Halo::Key> find_rows();

  std::vector<int> number_, owner_;  // per body
  std::vector<int> owned_bodies_, owned_rows_, near_rows_, row_owner_;
  std::unique_ptr<Halo> bodies_, rows_;
  long whole_rows_ = 0;
};

}  // namespace taut::distributed
