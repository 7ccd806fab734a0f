#include "taut/solve/kkt_krylov.hpp"

#include <algorithm>
#include <cmath>

#include "taut/base/archive.hpp"

namespace taut {
namespace {

constexpr double dependent_pivot = 1e-12;  // relative: of a row that follows from others
constexpr int most_directions = 40, least_directions = 8;
constexpr double most_numbers = 6e7;  // in all directions together: a quarter of a gigabyte
constexpr int most_krylov_iterations = 400;
// In a solve, with paths: then the whole of A may be the better one to factor. It is tried once.
// On a disc of triangles it takes a fifth of the iterations, on square cloth nearly as many.
constexpr int many_iterations = 30;
constexpr double much_left_out = 0.15;  // by the paths: 0.2 of the disc, 0 of a flat grid
constexpr double worth_it = 0.4;        // of the iterations
// To factor the whole of A takes as long as several iterations: the old factors do as long as they
// take no more than this times the iterations that they took when they were new.
constexpr double still_good = 1.6;

}  // namespace

KktKrylov::KktKrylov(const System& system, const RowPattern& pattern)
    : pattern_(pattern), H_(system), rows_(pattern), A_(pattern) {
  paths_.analyze(A_.matrix());
  const int unknowns = system.velocity_size() + pattern.rows();
  const bool all_particles = system.velocity_size() == 3 * system.body_count();
  if (all_particles && SingleKkt::suits(pattern)) {
    single_ = std::make_unique<SingleKkt>(pattern, system.body_count());
    lines_ = std::make_unique<TautLines>(pattern, system.body_count());
    yarns_ = std::make_unique<YarnSweeps>();
    for (Eigen::VectorXf* packed : {&single_whole_, &single_beside_})
      packed->setZero(single_->size());
  }
  for (VecX* per_unknown : {&scale_, &right_, &solution_, &found_}) per_unknown->setOnes(unknowns);
  for (VecX* per_velocity : {&x_, &f_}) per_velocity->setZero(system.velocity_size());
  for (VecX* per_row : {&y_, &Jx_, &compliance_}) per_row->setZero(pattern.rows());
}

// Where numbers are beyond those of single precision, directions are as long as all unknowns.
void KktKrylov::fit_scratch() {
  const Eigen::Index unknowns = right_.size(),
                     packed = single_will_do_ ? single_->size() : unknowns;
  if (scratch_.next.size() == packed) return;
  scratch_.resize(unknowns,
                  std::clamp(static_cast<int>(most_numbers / static_cast<double>(unknowns)),
                             least_directions, most_directions),
                  packed);
}

bool KktKrylov::factor(const System& system, const Terms& terms, double compliance) {
  if (!H_.assemble(system, pattern_,
                   {terms.mass, &terms.turning, terms.stiffness, &terms.G, &terms.K, terms.added}))
    return false;
  scale_.head(x_.size()) = terms.motion * H_.mobility();
  rows_.set(pattern_, terms.J, terms.B);
  H_.inverse_diagonal().apply(pattern_, terms.B, DB_);
  compliance_.setConstant(compliance);
  for (const RowModes::Mode& mode : terms.modes.modes())
    compliance_[mode.row] += terms.modes.compliance(mode) / terms.mass;
  is_complete_ = whole_ || wants_complete_ || paths_.reads().empty();
  if (is_complete_)
    A_.assemble(terms.J, DB_);
  else
    A_.assemble(terms.J, DB_, paths_.reads());
  for (int r = 0; r < pattern_.rows(); ++r) A_.add_to_diagonal(r, compliance_[r]);
  if (!whole_ || !terms.modes.modes().empty() || terms.mass != factored_mass_ ||
      compliance != factored_compliance_ || effort_ > still_good * effort_when_new_)
    factor_preconditioner();
  factored_mass_ = terms.mass;
  factored_compliance_ = compliance;
  single_will_do_ = single_ && single_->set(pattern_, {H_, terms.J, terms.B, compliance_, scale_});
  const bool is_plain = !terms.added && &terms.J == &terms.B;
  may_have_yarns_ = single_will_do_ && is_plain && !whole_;
  if (yarns_) yarns_->clear();
  if (may_have_yarns_ && yarn_choice_.uses() &&
      !yarns_->factor({system, H_, terms.mass, *single_, paths_}))
    yarn_choice_.give_up();
  if (lines_ && is_plain && !whole_ && !has_yarns())
    lines_->set({system, H_, terms.mass, terms.J, compliance_, paths_});
  else if (lines_)
    lines_->clear();
  return true;
}

// Factors of the whole are used for more than one system.
void KktKrylov::archive(Archive& a) {
  bool has_whole = whole_ != nullptr;
  a(wants_complete_, has_tried_whole_, factored_mass_, factored_compliance_, effort_,
    effort_when_new_, has_whole, whole_of_);
  yarn_choice_.archive(a);
  paths_.archive(a, A_.matrix());
  if (!a.is_reading() || !has_whole) return;
  whole_ = make_sparse_factorization();
  whole_->analyze(A_.matrix());
  if (whole_of_.size() != A_.matrix().value.size()) return;
  for (Eigen::Index i = 0; i < whole_of_.size(); ++i) A_.set(static_cast<int>(i), whole_of_[i]);
  whole_->factor(A_.matrix(), 0, dependent_pivot);
}

void KktKrylov::factor_preconditioner() {
  effort_ = effort_when_new_ = 0;
  if (whole_) {
    whole_of_ = A_.matrix().value;
    whole_->factor(A_.matrix(), 0, dependent_pivot);
  } else {
    paths_.factor(A_.matrix());
  }
  if (single_) paths_.round_off();
}

void KktKrylov::solve_rows(VecX& y) {
  if (whole_)
    whole_->solve_in_place(y);
  else
    paths_.solve(y);
}

void KktKrylov::solve_rows(Eigen::VectorXf& y) {
  if (!whole_) return paths_.solve(y);
  y_ = y.cast<double>();
  whole_->solve_in_place(y_);
  y = y_.cast<float>();
}

// Along yarns in single precision; what that makes of the matrix in double precision.
void KktKrylov::direction_along_yarns(const VecX& r, VecX& z, VecX& Az) {
  const Eigen::Index velocities = x_.size();
  beside_ = r.cwiseProduct(scale_);
  single_->pack(beside_, single_whole_);
  yarns_->solve(*single_, single_whole_, single_beside_);
  single_->solve(single_beside_, z, [this](Eigen::VectorXf& y) { solve_rows(y); });
  yarns_->add_to(z);
  x_ = z.head(velocities);
  y_ = z.tail(pattern_.rows());
  rows_.multiply(x_, Jx_);
  Az.tail(pattern_.rows()) = Jx_ - compliance_.cwiseProduct(y_);
  H_.multiply(x_, f_);
  y_ = -y_;
  rows_.subtract_transposed(y_, f_);
  Az.head(velocities) = f_;
}

void KktKrylov::direction(const VecX& r, VecX& z, VecX& Az) {
  if (has_yarns()) return direction_along_yarns(r, z, Az);
  if (!has_lines()) return direction_beside_lines(r, z, Az);
  const Eigen::Index velocities = x_.size();
  beside_ = r;
  lines_->solve([&](int i) { return Vec3(r.segment<3>(3 * i)); },
                [&](int row) { return r[velocities + row]; });
  lines_->each_of_image([&](int i, const Vec3& f) { beside_.segment<3>(3 * i) -= f; },
                        [&](int row, double c) { beside_[velocities + row] -= c; });
  direction_beside_lines(beside_, z, Az);
  add_lines(z);
  lines_->each_of_image([&](int i, const Vec3& f) { Az.segment<3>(3 * i) += f; },
                        [&](int row, double c) { Az[velocities + row] += c; });
}

void KktKrylov::take_lines(Eigen::Ref<const Eigen::VectorXf> v) {
  const SingleKkt& single = *single_;
  Eigen::VectorXf& beside = single_beside_;
  beside = v;
  lines_->solve([&](int i) { return single.force(beside, i); },
                [&](int row) { return single.row(beside, row); });
  lines_->each_of_image([&](int i, const Vec3& f) { single.add_force(-f, i, beside); },
                        [&](int row, double c) { single.add_row(-c, row, beside); });
}

void KktKrylov::add_lines(VecX& z) const {
  const Eigen::Index velocities = x_.size();
  lines_->each_of_solution([&](int i, const Vec3& x) { z.segment<3>(3 * i) += x; },
                           [&](int row, double y) { z[velocities + row] += y; });
}

// D x + B y = f,  J x − ε y = c  ⇒  (J D⁻¹ B + ε) y = J D⁻¹ f − c,  x = D⁻¹(f − B y)
void KktKrylov::direction_beside_lines(const VecX& r, VecX& z, VecX& Az) {
  const Eigen::Index velocities = x_.size();
  const auto c = r.tail(pattern_.rows());
  f_ = r.head(velocities);
  H_.inverse_diagonal().apply(f_, x_);
  rows_.multiply(x_, Jx_);
  y_ = Jx_ - c;
  solve_rows(y_);
  rows_.subtract_transposed(y_, f_);
  H_.inverse_diagonal().apply(f_, x_);
  z.head(velocities) = x_;
  z.tail(pattern_.rows()) = y_;

  rows_.multiply(x_, Jx_);
  Az.tail(pattern_.rows()) = Jx_ - compliance_.cwiseProduct(y_);
  if (H_.all_particles()) {  // D x + B y = f
    Az.head(velocities) = r.head(velocities);
    H_.add_beside_diagonal(x_, Az);
  } else {  // where D is symmetric and the diagonal blocks of H are not
    H_.multiply(x_, f_);
    y_ = -y_;
    rows_.subtract_transposed(y_, f_);
    Az.head(velocities) = f_;
  }
}

KrylovResult KktKrylov::iterate(double tolerance) {
  const auto exact = [this](const VecX& r, VecX& z, VecX& Az) { direction(r, z, Az); };
  const KrylovLimits limits{tolerance, most_krylov_iterations};
  fit_scratch();
  if (!single_will_do_) return gmres(exact, scale_, right_, solution_, scratch_, limits);
  struct {
    KktKrylov& kkt;

    void pack(const VecX& from, Eigen::Ref<Eigen::VectorXf> to) const {
      kkt.single_->pack(from, to);
    }
    void unpack(const Eigen::VectorXf& from, VecX& to) const { kkt.single_->unpack(from, to); }
    void image(Eigen::Ref<const Eigen::VectorXf> v, Eigen::VectorXf& out) {
      if (kkt.has_yarns()) {
        kkt.yarns_->solve(*kkt.single_, v, kkt.single_beside_);
        image_beside_lines(kkt.single_beside_, out);
        out += v - kkt.single_beside_;
        return;
      }
      if (!kkt.has_lines()) return image_beside_lines(v, out);
      const SingleKkt& single = *kkt.single_;
      kkt.take_lines(v);
      image_beside_lines(kkt.single_beside_, out);
      kkt.lines_->each_of_image([&](int i, const Vec3& f) { single.add_force(f, i, out); },
                                [&](int row, double c) { single.add_row(c, row, out); });
    }
    void solution(const Eigen::VectorXf& v, VecX& z) {
      const auto solve = [this](Eigen::VectorXf& y) { kkt.solve_rows(y); };
      if (kkt.has_yarns()) {
        kkt.yarns_->solve(*kkt.single_, v, kkt.single_beside_);
        kkt.single_->solve(kkt.single_beside_, z, solve);
        kkt.yarns_->add_to(z);
        return;
      }
      if (!kkt.has_lines()) return kkt.single_->solve(v, z, solve);
      kkt.take_lines(v);
      kkt.single_->solve(kkt.single_beside_, z, solve);
      kkt.add_lines(z);
    }
    void image_beside_lines(Eigen::Ref<const Eigen::VectorXf> v, Eigen::VectorXf& out) {
      kkt.single_->apply(v, out, [this](Eigen::VectorXf& y) { kkt.solve_rows(y); });
    }
  } rounded{*this};
  return gmres(exact, rounded, scale_, right_, solution_, scratch_, limits);
}

int KktKrylov::judge_yarns(double tolerance, int iterations) {
  if (!may_have_yarns_ || has_yarns() != yarn_choice_.uses()) return 0;
  yarn_choice_.learn(iterations);
  if (!has_yarns() || !yarn_choice_.is_in_doubt()) return 0;
  found_ = solution_;
  yarns_->clear();
  const KrylovResult result = iterate(tolerance);
  yarn_choice_.judge(result.residual <= tolerance ? result.iterations : most_krylov_iterations);
  solution_ = found_;
  if (yarn_choice_.uses()) yarns_->restore();
  return result.iterations;
}

void KktKrylov::try_whole(double tolerance, int with_paths) {
  has_tried_whole_ = true;
  wants_complete_ = false;
  const VecX found = solution_;
  whole_ = make_sparse_factorization();
  whole_->analyze(A_.matrix());
  if (lines_) lines_->clear();
  if (yarns_) yarns_->clear();
  factor_preconditioner();
  const KrylovResult result = iterate(tolerance);
  if (result.residual <= tolerance && result.iterations <= worth_it * with_paths) return;
  solution_ = found;
  whole_.reset();
  factor_preconditioner();
}

void KktKrylov::solve(VecX& x, VecX& y, double tolerance, LinearCost& cost) {
  ++cost.linear_solves;
  right_ << x, y;
  const int iterations = iterate(tolerance).iterations;
  cost.linear_iterations += iterations;
  cost.linear_iterations += judge_yarns(tolerance, iterations);
  effort_ = iterations / -std::log10(tolerance);
  if (effort_when_new_ == 0) effort_when_new_ = effort_;
  if (!has_tried_whole_ && iterations > many_iterations) {
    wants_complete_ = true;  // if it is not now, then when it is next made
    if (is_complete_ && paths_.left_out(A_.matrix()) > much_left_out)
      try_whole(tolerance, iterations);
  }
  x = solution_.head(x.size());
  y = solution_.tail(y.size());
}

}  // namespace taut
