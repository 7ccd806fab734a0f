#include "taut/collision/sheet_contacts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "taut/base/share.hpp"
#include "taut/collision/first_contact.hpp"
#include "taut/collision/nearest.hpp"

namespace taut::collision {
namespace {

// By how much boxes are larger than asked for, of the ways and of the margin.
constexpr double slack_of_way = 0.25, slack_of_margin = 0.5;

std::array<Vec3, 4> places(std::span<const Vec3> x, const std::array<int, 4>& vertex) {
  return {x[static_cast<std::size_t>(vertex[0])], x[static_cast<std::size_t>(vertex[1])],
          x[static_cast<std::size_t>(vertex[2])], x[static_cast<std::size_t>(vertex[3])]};
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15u * (value + 1);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// Only what has a weight, in an order of its own: the same features always look the same.
NearPair near_pair(bool is_edges, const std::array<int, 4>& vertex, const Nearest& nearest) {
  struct Side {
    std::array<int, 3> vertex{-1, -1, -1};
    std::array<double, 3> weight{};
    std::size_t count = 0;
  };
  std::array<Side, 2> side;
  for (std::size_t k = 0; k < 4; ++k) {
    if (nearest.weight[k] == 0) continue;
    Side& s = side[k < (is_edges ? 2u : 1u) ? 0 : 1];
    std::size_t at = s.count++;
    for (; at > 0 && s.vertex[at - 1] > vertex[k]; --at) {
      s.vertex[at] = s.vertex[at - 1];
      s.weight[at] = s.weight[at - 1];
    }
    s.vertex[at] = vertex[k];
    s.weight[at] = nearest.weight[k];
  }
  // Fewer vertices first; then the lower one.
  const bool turns = side[0].count > side[1].count ||
                     (side[0].count == side[1].count && side[0].vertex[0] > side[1].vertex[0]);
  if (turns) std::swap(side[0], side[1]);
  NearPair pair;
  pair.distance = nearest.distance;
  pair.normal = turns ? Vec3(-nearest.normal) : nearest.normal;
  const double sign = turns ? -1 : 1;
  std::size_t at = 0;
  for (const Side& s : side)
    for (std::size_t k = 0; k < s.count; ++k, ++at) {
      pair.vertex[at] = s.vertex[k];
      pair.weight[at] = sign * s.weight[k];
    }
  if (side[0].count == 2)
    pair.kind = NearPair::Kind::edge_edge;
  else if (side[1].count == 1)
    pair.kind = NearPair::Kind::vertex_vertex;
  else
    pair.kind = side[1].count == 2 ? NearPair::Kind::vertex_edge : NearPair::Kind::vertex_face;
  pair.feature = static_cast<std::uint64_t>(pair.kind);
  for (const int v : pair.vertex)
    pair.feature = mix(pair.feature, static_cast<std::uint64_t>(v + 1));
  return pair;
}

}  // namespace

std::array<int, 4> SheetContacts::vertices(const SheetTree::Candidate& candidate) const {
  if (candidate.is_edges) {
    const std::array<int, 2>&a = sheet_->edge(candidate.first), &b = sheet_->edge(candidate.second);
    return {a[0], a[1], b[0], b[1]};
  }
  const Sheet::Element& face = sheet_->element(candidate.second);
  return {candidate.first, face.vertex[0], face.vertex[1], face.vertex[2]};
}

/// Whoever is free takes the next task; results are kept per task.
template <class Work>
void SheetContacts::for_each_task(const Work& work) {
  const int count = tree_.task_count();
  std::atomic<int> next{0};
  share(share_count(), count > 1 ? 0 : share_count() + 1, [&](int begin, int) {
    for (int task; (task = next++) < count;) work(begin, static_cast<std::size_t>(task));
  });
}

Vec3 SheetContacts::origin(std::span<const Vec3> x) const {
  Vec3 sum = Vec3::Zero();
  const auto is_fixed = [](const Sheet::Part& part) { return part.is_fixed; };
  if (x.empty() || std::any_of(sheet_->parts().begin(), sheet_->parts().end(), is_fixed))
    return sum;
  for (const Vec3& place : x) sum += place;
  return sum / static_cast<double>(x.size());
}

void SheetContacts::fit_boxes(const SheetTree::Motion& motion) {
  const auto of = [](int v) { return static_cast<std::size_t>(v); };
  boxes_.resize(motion.from.size());
  is_finite_ = true;
  for (std::size_t v = 0; v < boxes_.size(); ++v) {
    boxes_[v] = motion.box(v);
    is_finite_ =
        is_finite_ && motion.from[v].allFinite() && (motion.to.empty() || motion.to[v].allFinite());
  }
  edge_boxes_.resize(of(sheet_->edge_count()));
  for (int e = 0; e < sheet_->edge_count(); ++e) {
    const std::array<int, 2>& end = sheet_->edge(e);
    edge_boxes_[of(e)] = boxes_[of(end[0])].united(boxes_[of(end[1])]);
  }
  face_boxes_.resize(sheet_->elements().size());
  for (std::size_t f = 0; f < face_boxes_.size(); ++f) {
    const Sheet::Element& face = sheet_->elements()[f];
    if (face.is_triangle())
      face_boxes_[f] = edge_boxes_[of(face.edge[0])].united(boxes_[of(face.vertex[2])]);
  }
}

bool SheetContacts::are_apart(const SheetTree::Candidate& candidate) const {
  const auto first = static_cast<std::size_t>(candidate.first);
  const auto second = static_cast<std::size_t>(candidate.second);
  return candidate.is_edges ? !edge_boxes_[first].overlaps(edge_boxes_[second])
                            : !boxes_[first].overlaps(face_boxes_[second]);
}

bool SheetContacts::is_in_boxes() const {
  for (std::size_t v = 0; v < boxes_.size(); ++v)
    if (!tree_.vertex_box(static_cast<int>(v)).contains(boxes_[v])) return false;
  return true;
}

bool SheetContacts::cover(std::span<const Vec3> from, std::span<const Vec3> to, double margin) {
  margin_ = std::max(margin_, margin);
  SheetTree::Motion motion{from, to, {}, margin, origin(from), origin(to)};
  fit_boxes(motion);
  if (is_covered_ && is_finite_ && is_in_boxes()) return true;
  slack_.resize(from.size());
  for (std::size_t v = 0; v < from.size(); ++v) {
    const Vec3 way = to.empty() ? Vec3(Vec3::Zero())
                                : (to[v] - motion.to_origin) - (from[v] - motion.from_origin);
    slack_[v] = slack_of_margin * margin_ + slack_of_way * way.norm();
  }
  motion.radius = slack_;
  motion.margin = margin_;
  is_covered_ = tree_.refit(motion);
  if (is_covered_) search();
  return is_covered_;
}

void SheetContacts::search() {
  ++searches_;
  workers_.resize(static_cast<std::size_t>(share_count()));
  for (Worker& worker : workers_) worker.candidates.clear();
  slices_.resize(static_cast<std::size_t>(tree_.task_count()));
  for_each_task([&](int worker, std::size_t task) {
    std::vector<SheetTree::Candidate>& all = workers_[static_cast<std::size_t>(worker)].candidates;
    const std::size_t begin = all.size();
    tree_.candidates(static_cast<int>(task), all);
    slices_[task] = {worker, begin, all.size() - begin};
  });
  // Who gets which task next time is not known: each has room for all.
  std::size_t all = 0;
  for (const Slice& slice : slices_) all += slice.size;
  for (Worker& worker : workers_) worker.candidates.reserve(all);
}

std::span<const SheetTree::Candidate> SheetContacts::candidates(std::size_t task) const {
  const Slice& slice = slices_[task];
  return std::span(workers_[static_cast<std::size_t>(slice.worker)].candidates)
      .subspan(slice.begin, slice.size);
}

bool SheetContacts::find(const Near& near, std::vector<NearPair>& out) {
  out.clear();
  if (!cover(near.x, near.to, 0.5 * near.reach)) return false;
  if (found_.size() < static_cast<std::size_t>(tree_.task_count()))
    found_.resize(static_cast<std::size_t>(tree_.task_count()));
  const auto closing = [&](const std::array<int, 4>& vertex, const Nearest& nearest) {
    double sum = 0;
    if (near.to.empty()) return sum;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(vertex[k]);
      sum -= nearest.weight[k] * nearest.normal.dot(near.to[v] - near.x[v]);
    }
    return sum;
  };
  for_each_task([&](int, std::size_t task) {
    std::vector<NearPair>& found = found_[task];
    found.clear();
    for (const SheetTree::Candidate& candidate : candidates(task)) {
      if (are_apart(candidate)) continue;
      const std::array<int, 4> vertex = vertices(candidate);
      const std::array<Vec3, 4> x = places(near.x, vertex);
      const std::span<const Vec3> then = near.to.empty() ? near.x : near.to;
      if (stay_apart(x, places(then, vertex), candidate.is_edges, near.reach)) continue;
      const Nearest nearest = candidate.is_edges ? edge_edge(x) : point_triangle(x);
      if (nearest.distance - std::max(0.0, closing(vertex, nearest)) <= near.reach)
        found.push_back(near_pair(candidate.is_edges, vertex, nearest));
    }
  });
  for (std::size_t task = 0; task < static_cast<std::size_t>(tree_.task_count()); ++task)
    out.insert(out.end(), found_[task].begin(), found_[task].end());
  keep_once(out);
  return true;
}

/// A vertex and a triangle, and two edges that are near inside, come once. What is near at a border
/// comes from all that share it.
void SheetContacts::keep_once(std::vector<NearPair>& out) {
  last_.assign(static_cast<std::size_t>(sheet_->vertex_count()), -1);
  before_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const NearPair& pair = out[i];
    bool is_known = false;
    int link = -1;
    if (pair.vertex[3] < 0) {
      int& last = last_[static_cast<std::size_t>(pair.vertex[0])];
      for (int k = last; k >= 0 && !is_known; k = before_[static_cast<std::size_t>(k)])
        is_known = out[static_cast<std::size_t>(k)].vertex == pair.vertex;
      if (is_known) continue;
      link = last;
      last = static_cast<int>(kept);
    }
    before_.push_back(link);
    if (kept != i) out[kept] = out[i];
    ++kept;
  }
  out.resize(kept);
}

SheetContacts::FirstImpact SheetContacts::first_impact(const Way& way) {
  FirstImpact first;
  double size = 0;  // of numbers: their rounding errors, when the origin is taken off
  for (const std::span<const Vec3>& places : {way.from, way.to})
    for (const Vec3& x : places) size = std::max(size, x.cwiseAbs().maxCoeff());
  const double margin = 0.5 * way.separation * (1 + 1e-9) + 1e-15 * size;
  if (!cover(way.from, way.to, margin)) {
    first.hit = true;
    first.t = 0;
    return first;
  }
  // What is farther apart from the start on may lose a tenth of its distance and is not too near.
  const double clear = std::max(1.12 * way.separation, way.least);
  impacts_.assign(static_cast<std::size_t>(tree_.task_count()), {});
  for_each_task([&](int, std::size_t task) {
    FirstImpact& best = impacts_[task];
    best.tested = static_cast<long>(slices_[task].size);
    for (const SheetTree::Candidate& candidate : candidates(task)) {
      if (are_apart(candidate)) continue;
      const std::array<int, 4> vertex = vertices(candidate);
      const std::array<Vec3, 4> from = places(way.from, vertex), to = places(way.to, vertex);
      if (stay_apart(from, to, candidate.is_edges, clear)) continue;
      const Nearest nearest = candidate.is_edges ? edge_edge(from) : point_triangle(from);
      const double separation = std::min(way.separation, 0.9 * nearest.distance);
      const bool stays = nearest.distance < way.least;
      const FirstContact contact =
          stays ? FirstContact{true, 0, 0}
                : (candidate.is_edges ? edge_edge_contact(from, to, separation)
                                      : point_triangle_contact(from, to, separation));
      if (!contact.hit || (best.hit && contact.t >= best.t)) continue;
      best.hit = true;
      best.t = contact.t;
      best.pair = near_pair(candidate.is_edges, vertex, nearest);
    }
  });
  for (const FirstImpact& impact : impacts_) {
    first.tested += impact.tested;
    if (!impact.hit || (first.hit && impact.t >= first.t)) continue;
    const long tested = first.tested;
    first = impact;
    first.tested = tested;
  }
  return first;
}

}  // namespace taut::collision
