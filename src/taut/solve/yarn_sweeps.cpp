#include "taut/solve/yarn_sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/share.hpp"

namespace taut {
namespace {

constexpr int particles_worth_sweeping_together = 5'000, rows_worth_sweeping_together = 9'000;
// A row with one particle is as stiff as this at most, relative to the particle: what single
// precision can tell.
constexpr float stiffest = 1e-3F;
// Bending, relative to inertia, of a plate: 0.4 to 7 for light cloth of 71 to 141 vertices along a
// metre and steps of 1/60 s.
constexpr double of_plate = 50;

[[gnu::always_inline]] inline Eigen::Array4f sum_of_three(const Eigen::Array4f* columns,
                                                          const Eigen::Array4f& x) {
  return columns[0] * x[0] + columns[1] * x[1] + columns[2] * x[2];
}

// A path of rows that turns by more than 60° has come to a corner: the border of a sheet would be
// one yarn, and cross all others.
constexpr float least_cosine = 0.5F;

/// The chains of particles that a path of rows leads along, cut where it leads back, aside, or
/// round a corner.
template <class Found>
void each_chain(std::span<const int> path, const SingleKkt& single, const Found& found) {
  const std::vector<SingleKkt::Pair>& pairs = single.pairs();
  const int world = static_cast<int>(single.scale().size());
  const auto turns = [&](int row, int next) {
    const Eigen::Array4f &a = single.gradients()[2 * row], &b = single.gradients()[2 * next];
    const float along = (a * b).sum();
    return along * along < least_cosine * least_cosine * a.square().sum() * b.square().sum();
  };
  YarnFactor::Yarn yarn;
  std::vector<int>& chain = yarn.particles;
  const auto finish = [&] {
    if (!yarn.rows.empty()) found(yarn);
    chain.clear();
    yarn.rows.clear();
  };
  for (const int row : path) {
    int a = pairs[row].first, b = pairs[row].second;
    if (a == world || b == world) {
      finish();
      continue;
    }
    // A chain of one row may still be turned.
    if (chain.size() == 2 && (chain[0] == a || chain[0] == b)) std::swap(chain[0], chain[1]);
    if (!chain.empty() && chain.back() == b) std::swap(a, b);
    const bool goes_on = !chain.empty() && chain.back() == a && !turns(yarn.rows.back(), row) &&
                         std::find(chain.begin(), chain.end(), b) == chain.end();
    if (!goes_on) {
      finish();
      chain.push_back(a);
    }
    chain.push_back(b);
    yarn.rows.push_back(row);
  }
  finish();
}

}  // namespace

void YarnSweeps::find_yarns(const PathFactor& paths, const SingleKkt& single) {
  std::array<std::vector<char>, 2> has_yarn;
  for (int k = 0; k < 2; ++k) {
    has_yarn[k].assign(static_cast<std::size_t>(particles_), 0);
    directions_[k].yarns.clear();
    directions_[k].is_own.assign(static_cast<std::size_t>(rows_), 0);
  }
  for (int p = 0; p < paths.path_count(); ++p)
    each_chain(paths.path(p), single, [&](const YarnFactor::Yarn& yarn) {
      for (int k = 0; k < 2; ++k) {
        const auto has = [&](int particle) { return has_yarn[k][particle] != 0; };
        if (std::any_of(yarn.particles.begin(), yarn.particles.end(), has)) continue;
        for (const int particle : yarn.particles) has_yarn[k][particle] = 1;
        for (const int row : yarn.rows) directions_[k].is_own[row] = 1;
        directions_[k].yarns.push_back(yarn);
        return;
      }
    });
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < particles_; ++i)
      if (!has_yarn[k][i]) directions_[k].yarns.push_back({{i}, {}});
}

void YarnSweeps::plan(Direction& d, const SingleKkt& single) const {
  d.across.clear();
  for (int r = 0; r < rows_; ++r)
    if (!d.is_own[r]) d.across.push_back(r);
  // Where a particle is: in which yarn, and at which place.
  std::vector<std::array<int, 2>> at(static_cast<std::size_t>(particles_));
  for (std::size_t y = 0; y < d.yarns.size(); ++y)
    for (std::size_t k = 0; k < d.yarns[y].particles.size(); ++k)
      at[d.yarns[y].particles[k]] = {static_cast<int>(y), static_cast<int>(k)};

  const SingleKkt::Couplings& couplings = single.couplings();
  d.pull_begin.assign(1, 0);
  d.rest_begin.assign(1, 0);
  d.pulls.clear();
  d.rest.clear();
  for (int i = 0; i < particles_; ++i) {
    for (int p = single.pull_begin()[i]; p < single.pull_begin()[i + 1]; ++p)
      if (!d.is_own[single.pulls()[p].row])
        d.pulls.push_back({Quad::Zero(), single.pulls()[p].gradient});
    for (int p = couplings.scalar_begin[i]; p < couplings.scalar_begin[i + 1]; ++p) {
      const int column = couplings.scalar_column[p];
      const auto [yarn, place] = at[column];
      if (yarn != at[i][0] || std::abs(place - at[i][1]) > 2) d.rest.push_back({column, p, 0});
    }
    d.pull_begin.push_back(static_cast<int>(d.pulls.size()));
    d.rest_begin.push_back(static_cast<int>(d.rest.size()));
  }

  const auto coupling = [&](int i, int j) {
    const auto begin = couplings.scalar_column.begin();
    const auto end = begin + couplings.scalar_begin[i + 1];
    const auto found = std::find(begin + couplings.scalar_begin[i], end, j);
    return found == end ? -1 : static_cast<int>(found - begin);
  };
  d.bends.clear();
  d.factors.plan(d.yarns, [&](const YarnFactor::Yarn& yarn, int k) {
    const int count = static_cast<int>(yarn.particles.size()), particle = yarn.particles[k];
    YarnFactor::Place place;
    place.particle = particle;
    const auto gradient = [&](int row) {
      return 2 * row + (single.pairs()[row].first == particle ? 0 : 1);
    };
    if (k > 0) {
      place.row = yarn.rows[k - 1];
      place.right = gradient(place.row);
    }
    if (k + 1 < count) {
      place.left = gradient(yarn.rows[k]);
      place.next = coupling(particle, yarn.particles[k + 1]);
    }
    if (k + 2 < count) place.second = coupling(particle, yarn.particles[k + 2]);
    if (place.second >= 0) d.bends.push_back({particle, place.second});
    return place;
  });
  for (auto* per_gradient : {&d.inverse, &d.share, &d.seen})
    per_gradient->assign(2 * static_cast<std::size_t>(rows_), 0);
  d.x.assign(static_cast<std::size_t>(particles_) + 1, Quad::Zero());
  d.blocks.assign(2 * static_cast<std::size_t>(particles_), Quad::Zero());
}

bool YarnSweeps::is_plate(const Terms& terms) const {
  std::size_t stiff = 0, all = 0;
  for (const Direction& direction : directions_)
    for (const auto& [particle, source] : direction.bends) {
      const double inertia = terms.mass * terms.system.mass({particle});
      stiff += std::abs(terms.single.couplings().scalars[source]) > of_plate * inertia;
      ++all;
    }
  return 2 * stiff > all;
}

bool YarnSweeps::factor(const Terms& terms) {
  const SingleKkt& single = terms.single;
  is_factored_ = false;
  if (planned_ != single.planned()) {
    planned_ = single.planned();
    particles_ = static_cast<int>(single.scale().size());
    rows_ = static_cast<int>(single.pairs().size());
    find_yarns(terms.paths, single);
    for (Direction& direction : directions_) plan(direction, single);
    diagonal_.assign(2 * static_cast<std::size_t>(particles_), Quad::Zero());
    give_.assign(2 * static_cast<std::size_t>(rows_), 0);
    f_.assign(static_cast<std::size_t>(particles_), Quad::Zero());
    pulled_ = f_;
    for (Eigen::VectorXf* per_row : {&c_, &y_, &found_}) per_row->setZero(rows_);
  }
  if (is_plate(terms)) return false;
  const BlockMatrix& matrix = terms.H.matrix();
  const std::vector<Quad>& J = single.gradients();
  share(particles_, particles_worth_sweeping_together, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Eigen::Map<const Mat3> D(matrix.values() + matrix.find(i, i).value);
      diagonal_[2 * i] = Eigen::Array4d(D(0, 0), D(1, 1), D(2, 2), 0).cast<float>();
      diagonal_[2 * i + 1] = Eigen::Array4d(D(0, 1), D(0, 2), D(1, 2), 0).cast<float>();
      const Quad* mobility = single.inverse_diagonal().data() + 3 * i;
      for (int p = single.pull_begin()[i]; p < single.pull_begin()[i + 1]; ++p) {
        const Quad& g = J[single.pulls()[p].gradient];
        give_[single.pulls()[p].gradient] = (g * sum_of_three(mobility, g)).sum();
      }
    }
  });
  is_factored_ = factor(directions_[0], single) && factor(directions_[1], single);
  return is_factored_;
}

bool YarnSweeps::factor(Direction& d, const SingleKkt& single) const {
  for (Direction::Rest& rest : d.rest) rest.value = single.couplings().scalars[rest.source];
  for (const int row : d.across) {
    const auto [first, second] = single.pairs()[row];
    const float compliance = single.compliance()[row];
    for (int side = 0; side < 2; ++side) {
      const int gradient = 2 * row + side;
      const bool is_alone = second == particles_;
      const float softness =
          compliance + (is_alone ? stiffest * give_[gradient] : give_[gradient ^ 1]);
      const bool is_there = (side == 0 ? first : second) != particles_ && softness > 0;
      d.inverse[gradient] = is_there ? 1 / softness : 0;
      d.share[gradient] = is_alone ? d.inverse[gradient] : 0.5F * d.inverse[gradient];
    }
  }
  const std::vector<Quad>& J = single.gradients();
  share(particles_, particles_worth_sweeping_together, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad straight = diagonal_[2 * i], mixed = diagonal_[2 * i + 1];
      for (int p = d.pull_begin[i]; p < d.pull_begin[i + 1]; ++p) {
        const Quad g = d.pulls[p].along = J[d.pulls[p].gradient];
        const float stiffness = d.inverse[d.pulls[p].gradient];
        straight += stiffness * g * g;
        mixed += stiffness * Quad(g[0] * g[1], g[0] * g[2], g[1] * g[2], 0);
      }
      d.blocks[2 * i] = straight;
      d.blocks[2 * i + 1] = mixed;
    }
  });
  const SingleKkt::Couplings& couplings = single.couplings();
  return d.factors.factor({d.blocks,
                           J,
                           {single.compliance().data(), static_cast<std::size_t>(rows_)},
                           couplings.scalars});
}

// f_, c_ ← what is left of them. x is in the direction; its rows' multipliers are added to y_.
void YarnSweeps::sweep(Direction& d, const SingleKkt& single) {
  const std::vector<Quad>& J = single.gradients();
  share(particles_, particles_worth_sweeping_together, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad sum = f_[i];
      for (int p = d.pull_begin[i]; p < d.pull_begin[i + 1]; ++p)
        sum += d.pulls[p].along * (d.share[d.pulls[p].gradient] * c_[d.pulls[p].gradient / 2]);
      pulled_[i] = sum;
    }
  });
  d.factors.solve(pulled_.data(), c_.data(), d.x.data(), found_.data());

  share(rows_, rows_worth_sweeping_together, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      if (d.is_own[row]) {
        c_[row] = 0;
        y_[row] += found_[row];
        continue;
      }
      const int g = 2 * row;
      const auto [first, second] = single.pairs()[row];
      const float a = (J[g] * d.x[first]).sum(), b = (J[g + 1] * d.x[second]).sum();
      d.seen[g] = d.inverse[g] * a - d.share[g] * c_[row];
      d.seen[g + 1] = d.inverse[g + 1] * b - d.share[g + 1] * c_[row];
      const float y = d.seen[g] + d.seen[g + 1];
      y_[row] += y;
      c_[row] += single.compliance()[row] * y - (a + b);
    }
  });

  share(particles_, particles_worth_sweeping_together, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad left = Quad::Zero();
      for (int p = d.pull_begin[i]; p < d.pull_begin[i + 1]; ++p)
        left -= d.pulls[p].along * d.seen[d.pulls[p].gradient ^ 1];
      for (int p = d.rest_begin[i]; p < d.rest_begin[i + 1]; ++p)
        left -= d.rest[p].value * d.x[d.rest[p].column];
      f_[i] = left;
    }
  });
}

void YarnSweeps::solve(const SingleKkt& single, Eigen::Ref<const Eigen::VectorXf> v,
                       Eigen::VectorXf& left) {
  for (int i = 0; i < particles_; ++i)
    f_[i] = Eigen::Map<const Quad>(v.data() + 4 * i) * single.inverse_scale()[i];
  c_ = v.tail(rows_);
  y_.setZero();
  for (Direction& direction : directions_) sweep(direction, single);

  left.resize(v.size());
  std::vector<Quad>& x = directions_[0].x;
  const std::vector<Quad>& other = directions_[1].x;
  for (int i = 0; i < particles_; ++i) x[i] += other[i];
  const SingleKkt::Couplings& couplings = single.couplings();
  share(particles_, particles_worth_sweeping_together, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Quad sum = f_[i];
      for (int p = couplings.block_begin[i]; p < couplings.block_begin[i + 1]; ++p)
        sum -= sum_of_three(couplings.blocks.data() + 3 * p, x[couplings.block_column[p]]);
      Eigen::Map<Quad>(left.data() + 4 * i) = sum * single.scale()[i];
    }
  });
  left.tail(rows_) = c_;
}

void YarnSweeps::add_to(VecX& z) const {
  const std::vector<Quad>& x = directions_[0].x;
  for (int i = 0; i < particles_; ++i)
    for (int k = 0; k < 3; ++k) z[3 * i + k] += x[i][k];
  z.tail(rows_) += y_.cast<double>();
}

}  // namespace taut
