#include "taut/solve/cone_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/base/error.hpp"
#include "taut/base/scratch_memory.hpp"
#include "taut/solve/cone_work_internal.hpp"

namespace taut {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double most_noise = 1e-6;    // more than this is no round-off: something is wrong
constexpr double softness = 1e-6;      // of a compromise, relative to the response
constexpr double hopeless = 0.1;       // a residual that says that nothing was achieved …
constexpr double hopeless_load = 1e6;  // … and |r| W that says why
constexpr int sweeps_alone = 200;      // of Gauss and Seidel's method without the others
constexpr int factorisations_in_real_time = 100;
constexpr double rough = 1e-7;  // a tolerance of small changes, which need no good start

bool is_number(double x) { return !std::isnan(x); }

bool is_valid(const ConeLaw& law) {
  const auto is_size = [](double x) { return std::isfinite(x) && x >= 0; };
  return is_size(law.friction) && is_size(law.spinning) && is_size(law.rolling) &&
         is_size(law.compliance) && is_size(law.softness) && is_number(law.lower) &&
         is_number(law.upper) && law.lower <= law.upper;
}

}  // namespace

ConeSolver::ConeSolver() : work_(std::make_unique<Work>()) {}
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

void ConeSolver::analyze(const ConePattern& pattern) { work_->matrix.analyze(pattern); }

ConeReport ConeSolver::solve(const ConeProblem& problem, const ConeOptions& options,
                             ConeSolution& solution) {
  Work& work = *work_;
  if (!work.begin(problem, options, solution.r)) {
    solution.r.setZero(work.matrix.rows());
    solution.v.setZero(work.matrix.velocities());
    solution.lambda.setZero(work.matrix.equations());
    work.report.residual = std::numeric_limits<double>::infinity();
    return work.report;
  }
  if (work.run(options)) {
    work.report.status = ConeReport::Status::converged;
  } else if (options.solver == ContactSolver::exact && work.is_hopeless() && !work.is_spent()) {
    work.soften();
    if (work.run(options.stages)) work.report.status = ConeReport::Status::compromise;
  }
  work.end(solution);
  return work.report;
}

// False: there is something that no r can do anything about.
bool ConeSolver::Work::begin(const ConeProblem& given, const ConeOptions& options,
                             const KeptVec& guess) {
  problem = &given;
  report = {};
  most_factorisations = options.most_factorisations;
  is_real_time = options.solver == ContactSolver::real_time;
  has_deadline = options.most_time > 0;
  if (has_deadline)
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>(options.most_time));
  const int rows = matrix.rows();
  TAUT_CHECK(matrix.fits(given));
  for (int g = 0; g < groups(); ++g)
    TAUT_CHECK(given.laws[static_cast<std::size_t>(g)].rows() ==
               matrix.pattern().groups.rows[static_cast<std::size_t>(g)]);
  laws = given.laws;
  if (!std::all_of(laws.begin(), laws.end(), is_valid)) return false;
  for (const KeptVec* values : {&given.f, &given.b, &given.w})
    if (!values->allFinite()) return false;
  if (!matrix.set(given)) return false;

  u.resize(rows);
  v.resize(matrix.velocities());
  change_v.resize(matrix.velocities());
  lambda.resize(matrix.equations());
  change_lambda.resize(matrix.equations());
  zero.setZero(matrix.equations());
  guess_motion.v.reserve(v.size());
  guess_motion.u.reserve(rows);
  guess_motion.lambda.reserve(lambda.size());
  newton_work.trial.reserve(rows);
  gauss_seidel_work.has_matrix = false;
  if (is_real_time) make_room_for_phases();

  // What cannot be moved gets the response of the others, so that its law can be judged.
  response = matrix.responses();
  double usual = 0;
  for (int g = 0; g < groups(); ++g) usual = std::max(usual, response[g]);
  if (!(usual > 0)) usual = 1;
  for (int g = 0; g < groups(); ++g)
    if (!(response[g] > 1e-14 * usual)) response[g] = usual;

  tolerance = options.tolerance;
  good_enough = options.good_enough;
  const bool has_guess = guess.size() == rows && guess.allFinite();
  if (has_guess && guess_suffices(options, guess)) return true;

  best.setZero(rows);
  for (int g = 0; g < groups(); ++g)
    cone::project(laws[static_cast<std::size_t>(g)], best.data() + row(g));
  motion_of(best);
  if (!v.allFinite()) return false;
  double speed[2] = {options.speed, options.turn};
  energy = 0;
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    const double resisted = cone::resisted(law, u.data() + row(g));
    double& largest = speed[law.unit == ConeLaw::Unit::angle];
    largest = std::max({largest, resisted, std::abs(best[row(g)]) * response[g]});
    energy += resisted * resisted / response[g];
  }
  energy = std::sqrt(energy);
  const double size = matrix.relative_size(v);
  for (double& s : speed) s = std::max(s, 1e-8 * size);
  if (!(energy > 0)) energy = std::numeric_limits<double>::min();
  scale.resize(groups());
  noise = 0;
  for (int g = 0; g < groups(); ++g) {
    const double of_unit = speed[laws[static_cast<std::size_t>(g)].unit == ConeLaw::Unit::angle];
    scale[g] = of_unit > 0 ? of_unit : 1;
    noise = std::max(noise, 8 * epsilon * size / scale[g]);
  }

  forget_answers();
  judge(best);
  if (has_guess) {
    const double without = best_residual;
    v.swap(guess_motion.v);
    u.swap(guess_motion.u);
    lambda.swap(guess_motion.lambda);
    is_guess = judge(newton_work.trial) || best_residual < without;
  }
  if (most_factorisations == 0 && options.solver == ContactSolver::real_time)
    most_factorisations = factorisations_in_real_time;
  return true;
}

void ConeSolver::Work::forget_answers() {
  best_residual = std::numeric_limits<double>::infinity();
  largest_load = 0;
  is_guess = false;
}

// What rests asks for the same impulses in every step. They are judged as strictly as can be, by
// the least scale that there may be: then nothing needs to be known of what would happen without
// them. Otherwise their motion is kept, to be judged again.
bool ConeSolver::Work::guess_suffices(const ConeOptions& options, const KeptVec& guess) {
  KeptVec& allowed = newton_work.trial;
  allowed = guess;
  for (int g = 0; g < groups(); ++g)
    cone::project(laws[static_cast<std::size_t>(g)], allowed.data() + row(g));
  motion_of(allowed);
  noise = 0;
  scale.resize(groups());
  bool has_scale = true;
  for (int g = 0; g < groups(); ++g) {
    const bool is_angle = laws[static_cast<std::size_t>(g)].unit == ConeLaw::Unit::angle;
    scale[g] = is_angle ? options.turn : options.speed;
    has_scale = has_scale && scale[g] > 0;
  }
  forget_answers();
  is_guess = has_scale && judge(allowed) && !(best_residual > options.at_rest);
  if (is_guess) return true;
  guess_motion.v.swap(v);
  guess_motion.u.swap(u);
  guess_motion.lambda.swap(lambda);
  v.resize(matrix.velocities());
  u.resize(matrix.rows());
  lambda.resize(matrix.equations());
  return false;
}

// Some of them are seldom needed, and in a haptic loop that is no time to ask for memory.
void ConeSolver::Work::make_room_for_phases() {
  const Eigen::Index rows = matrix.rows();
  const std::size_t blocks = matrix.first_in_G(groups());
  Newton& n = newton_work;
  Admm& a = admm_work;
  GaussSeidel& s = gauss_seidel_work;
  for (KeptVec* per_row :
       {&n.r,      &n.U, &n.anchor, &n.dr, &n.dU, &n.trial, &n.trial_U, &n.f,
        &a.t,      &a.y, &a.y_next, &a.z,  &a.x,  &a.T,     &a.F,       &a.T_last,
        &a.F_last, &a.c, &a.weight, &s.r,  &s.u,  &s.unit,  &s.column})
    per_row->reserve(rows);
  for (auto* history : {&a.dT, &a.dF})
    for (KeptVec& each : *history) each.reserve(rows);
  for (std::vector<double>* G : {&n.G, &a.G}) make_room(*G, blocks);
  if (groups() <= small_problem) s.A.reserve(rows * rows);
}

bool ConeSolver::Work::run(const ConeOptions& options) {
  switch (options.solver) {
    case ContactSolver::dantzig_pyramid:
    case ContactSolver::dantzig_box:
      return pivoting(options.solver == ContactSolver::dantzig_pyramid);
    case ContactSolver::gauss_seidel:
      return best_residual <= report.tolerance || gauss_seidel(sweeps_alone);
    case ContactSolver::real_time:
      if (best_residual > report.tolerance) return run(1);
      if (is_guess && best_residual > std::max(options.at_rest, 10 * round_off))
        newton(1e-7, 1, 2, Step::bold);
      return true;
    default:
      return run(options.stages);
  }
}

// Where much is held twice over, such as a table with four legs, a row that gets to its bound
// changes the others by far more than a search along a line lets it, but all is well a few steps
// later. With a larger proximal term it gets there less fast, and not beyond.
bool ConeSolver::Work::newton_from_guess() {
  constexpr int most_steps = 6;
  if (newton(1e-7, 6, most_steps, Step::bold) ||
      newton(std::clamp(10 * best_residual, 1e-6, 1e-4), 6, most_steps, Step::bold))
    return true;
  // Where much has changed a search takes long, and a better start is found sooner: in a heap that
  // tumbles a third of all factorisations went into 22 such searches, and 4 of them succeeded.
  return !is_real_time && newton(1e-7, 6, 10);
}

bool ConeSolver::Work::run(int stages) {
  const auto is_done = [&] { return best_residual <= report.tolerance; };
  if (is_done()) return true;
  if (is_guess ? newton_from_guess() : tolerance >= rough && newton(1e-5, 3, 8)) return true;
  const auto is_good_enough = [&] {
    if (!(best_residual <= good_enough)) return false;
    report.tolerance = good_enough;
    return true;
  };
  if (is_guess && is_good_enough()) return true;
  constexpr int iterations[] = {40, 200, 1000}, outer[] = {12, 40, 40};
  constexpr double kappa[] = {1e-4, 1e-2, 1};
  for (int stage = 0; stage < std::min(stages, 3) && !is_spent(); ++stage) {
    if (admm(iterations[stage])) return true;
    if (stage >= 1 || groups() <= 2) {
      if (groups() <= small_problem && gauss_seidel(stage == 0 ? 20 : 50 * stage)) return true;
    }
    if (newton(kappa[stage], outer[stage], 30)) return true;
    if (is_good_enough()) return true;
    if (is_hopeless() && largest_load > (stage == 0 ? 100 : 1) * hopeless_load) return false;
  }
  return false;
}

bool ConeSolver::Work::is_hopeless() const { return best_residual > hopeless; }

void ConeSolver::Work::soften() {
  for (int g = 0; g < groups(); ++g)
    laws[static_cast<std::size_t>(g)].softness += softness * response[g];
  gauss_seidel_work.has_matrix = false;
  best.setZero();
  for (int g = 0; g < groups(); ++g)
    cone::project(laws[static_cast<std::size_t>(g)], best.data() + row(g));
  best_residual = std::numeric_limits<double>::infinity();
  consider(best);
}

void ConeSolver::Work::motion_of(const KeptVec& r) {
  is_of_best = false;
  momenta = problem->f;
  if (!r.isZero(0)) matrix.push(r, momenta);
  matrix.free_motion(momenta, problem->b, v, lambda);
  ++report.free_solves;
  matrix.relative(v, u);
  u += problem->w;
}

void ConeSolver::Work::change_of(const KeptVec& dr) {
  momenta.setZero();
  matrix.push(dr, momenta);
  matrix.free_motion(momenta, zero, change_v, change_lambda);
  ++report.free_solves;
}

double ConeSolver::Work::residual_of(const KeptVec& r) const {
  double worst = 0;
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    const int first = row(g);
    double with_compliance[ConeLaw::most_rows];
    for (int i = 0; i < law.rows(); ++i)
      with_compliance[i] = u[first + i] + law.compliance_of(i) * r[first + i];
    const double here =
        cone::contradiction(law, r.data() + first, with_compliance, response[g]) / scale[g];
    if (!(here <= worst)) worst = std::isnan(here) ? std::numeric_limits<double>::infinity() : here;
  }
  return worst;
}

bool ConeSolver::Work::consider(const KeptVec& r) {
  motion_of(r);
  return judge(r);
}

bool ConeSolver::Work::judge(const KeptVec& r) {
  const double residual = residual_of(r);
  double load = 0;  // |r| W / scale
  for (int g = 0; g < groups(); ++g) {
    const ConeLaw& law = laws[static_cast<std::size_t>(g)];
    for (int i = 0; i < law.rows(); ++i)
      load = std::max(load, std::abs(r[row(g) + i]) * response[g] / scale[g]);
  }
  largest_load = std::max(largest_load, load);
  is_of_best = residual < best_residual;
  if (!is_of_best) return false;
  best_residual = residual;
  if (best.data() != r.data()) best = r;
  round_off = std::max(noise, 8 * epsilon * load);
  report.tolerance = round_off <= most_noise ? std::max(tolerance, round_off) : tolerance;
  return residual <= report.tolerance;
}

void ConeSolver::Work::end(ConeSolution& solution) {
  if (!is_of_best) motion_of(best);
  solution.r = best;
  solution.v = v;
  solution.lambda = lambda;
  report.residual = best_residual;
  report.equation_error = matrix.equation_error(v, problem->b);
}

}  // namespace taut
