// What of a Sheet is near, and what meets on its way.
//
// Both look at the candidates of a SheetTree, on all cores. The results and their order are the
// same whatever the number of cores is. Candidates are those of boxes that are a little larger than
// asked for, and are kept as long as all ways stay in these: looking for what is near, proving that
// a way is free, and looking again at its end need them once, and cloth at rest seldom.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "taut/collision/sheet_tree.hpp"

namespace taut::collision {

/// Nearest points of two features. They are known by the vertices that take part: a vertex near the
/// border of a triangle is near an edge, whichever triangles and edges were looked at, and is
/// reported once.
struct NearPair {
  enum class Kind : std::uint8_t { vertex_vertex, vertex_edge, vertex_face, edge_edge };
  Kind kind = Kind::vertex_vertex;
  /// First those of the first feature, then those of the second. Of vertex and edge or face the
  /// vertex is the first. −1: fewer take part.
  std::array<int, 4> vertex{-1, -1, -1, -1};
  std::array<double, 4> weight{};  ///< Σ weight·x = distance·normal: see nearest.hpp
  Vec3 normal = Vec3::UnitZ();     ///< moving the first along it opens the gap
  double distance = 0;
  std::uint64_t feature = 0;  ///< made of kind and vertices

  int first_count() const { return kind == Kind::edge_edge ? 2 : 1; }
};

class SheetContacts {
 public:
  explicit SheetContacts(const Sheet& sheet) : sheet_(&sheet), tree_(sheet) {}

  struct Near {
    std::span<const Vec3> x;     ///< of each vertex
    double reach = 0;            ///< pairs nearer than this
    std::span<const Vec3> to{};  ///< where they are expected to go; may be empty
  };
  /// All pairs whose nearest points are at most `reach` apart, now or on straight ways on which
  /// these go on; of the latter, some that are not. Replaces `out`. False, and none, when a place
  /// is not finite.
  bool find(const Near& near, std::vector<NearPair>& out);

  struct Way {
    std::span<const Vec3> from, to;
    /// What begins farther apart stays farther apart than this. What begins nearer may lose a tenth
    /// of its distance: it could not move at all otherwise, not even apart.
    double separation = 0;
    /// Below this distance at the start nothing may move (a distance that may always lose a tenth
    /// ends in rounding errors).
    double least = 0;
  };
  struct FirstImpact {
    bool hit = false;
    double t = 1;     ///< all may go as far as this
    NearPair pair;    ///< what is first, if there is a hit
    long tested = 0;  ///< candidates
  };
  /// How far all vertices can go together without coming nearer than allowed: never too far, by
  /// collision/first_contact.hpp. A way that is not finite is a hit at 0.
  FirstImpact first_impact(const Way& way);

  int searches() const { return searches_; }  ///< how often candidates were looked for
  void forget() { is_covered_ = false; }      ///< the candidates

 private:
  struct Worker {
    std::vector<SheetTree::Candidate> candidates;
  };
  /// The candidates of a task.
  struct Slice {
    int worker = 0;
    std::size_t begin = 0, size = 0;
  };
  /// Sees to it that all pairs that come nearer than twice the margin are candidates. False: a
  /// place is not finite.
  bool cover(std::span<const Vec3> from, std::span<const Vec3> to, double margin);
  bool is_in_boxes() const;
  void fit_boxes(const SheetTree::Motion& motion);
  /// Whether the boxes of what was asked for are apart.
  bool are_apart(const SheetTree::Candidate& candidate) const;
  void search();
  template <class Work>
  void for_each_task(const Work& work);
  std::span<const SheetTree::Candidate> candidates(std::size_t task) const;
  std::array<int, 4> vertices(const SheetTree::Candidate& candidate) const;
  /// Their mean: what all have in common does not bring them nearer. 0 if something stays behind.
  Vec3 origin(std::span<const Vec3> x) const;
  void keep_once(std::vector<NearPair>& out);

  const Sheet* sheet_;
  SheetTree tree_;
  std::vector<Bounds> boxes_, edge_boxes_, face_boxes_;  // of what was asked for
  bool is_finite_ = false;
  std::vector<double> slack_;  // per vertex
  double margin_ = 0;          // the largest that was asked for
  bool is_covered_ = false;
  int searches_ = 0;
  std::vector<Worker> workers_;
  std::vector<Slice> slices_;                 // per task
  std::vector<std::vector<NearPair>> found_;  // per task
  std::vector<FirstImpact> impacts_;          // per task
  // Of pairs with the same lowest vertex: the last one that was kept, and the one before.
  std::vector<int> last_, before_;
};

}  // namespace taut::collision
