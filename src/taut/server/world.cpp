#include "taut/server/world.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/report/method_colours.hpp"
#include "taut/server/playback.hpp"
#include "taut/solve/contact_solvers.hpp"

namespace taut::server {
namespace {

constexpr std::size_t history_bytes = std::size_t{512} << 20;  // of a world
constexpr std::size_t most_sent_text = std::size_t{1} << 20;

io::Json run_json(const io::MethodPlan& plan, bool is_chosen, double step,
                  const std::string& contact_solver) {
  io::Json options = io::Json::object();
  for (const OptionValue& option : plan.options) options[option.name] = option.value;
  const std::size_t place = static_cast<std::size_t>(plan.info - methods().data());
  const report::MethodColour colour = report::method_colour(place);
  return {{"method", plan.info->name},
          {"chosen", is_chosen},
          {"reason", plan.reason},
          {"step", step},
          {"options", std::move(options)},
          {"contact_solver", contact_solver},
          {"colour", {{"light", colour.on_light}, {"dark", colour.on_dark}}}};
}

}  // namespace

World::World(std::string id, Document document, std::vector<RunRequest> runs, HandRules hands)
    : id_(std::move(id)), rules_(std::move(hands)) {
  if (runs.empty()) runs.push_back({});
  install(std::move(document), std::move(runs), std::nullopt);
  last_tick_ = measured_at_ = Clock::now();
  deserted_ = Clock::now();
  clock_ = std::thread([this] { keep_time(); });
}

World::World(std::string id, const std::string& recording)
    : id_(std::move(id)), is_recording_(true) {
  auto run = std::make_shared<Playback>(recording);
  StageFacts facts{1};
  facts.more["type"] = "scene";
  facts.more["world"] = id_;
  facts.more["generation"] = 1;
  facts.more["duration"] = run->recorded().last;
  const std::string& method = run->info().method;
  const MethodInfo* known = nullptr;
  for (const MethodInfo& info : methods())
    if (info.name == method) known = &info;
  io::Json json{{"method", method},
                {"chosen", false},
                {"reason", ""},
                {"step", run->step()},
                {"options", io::Json::object()}};
  if (known) {
    const auto colour = report::method_colour(static_cast<std::size_t>(known - methods().data()));
    json["colour"] = {{"light", colour.on_light}, {"dark", colour.on_dark}};
  }
  facts.more["runs"] = io::Json::array({std::move(json)});
  name_ = run->info().scene;
  title_ = run->info().title;
  duration_ = run->recorded().last;
  generation_ = 1;
  stage_ = std::make_shared<StageMessages>(describe_stage(run->info(), run->first_frame(), facts));
  goal_ = run->time();
  runs_.push_back(std::move(run));
  last_tick_ = measured_at_ = Clock::now();
  deserted_ = Clock::now();
  clock_ = std::thread([this] { keep_time(); });
}

World::~World() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  closing_.notify_all();
  clock_.join();
}

World::Planned World::planned(const Document& document, const io::Scene& scene,
                              const RunRequest& request, std::size_t share) const {
  Planned out;
  out.request = request;
  LivePlan& plan = out.plan;
  plan.step = request.step > 0 ? request.step : scene.step;
  if (!(plan.step > 0) || !std::isfinite(plan.step) || scene.duration / plan.step > 1e12)
    throw Error(fmt::format("the step must be a number > 0, found {}", plan.step));
  plan.method = io::plan_method(scene, request.method, plan.step, scene.duration, request.options);
  plan.scene = [document] { return document.read(); };
  plan.history_bytes = history_bytes / share;
  set_contact_solver(scene, request, plan);
  plan.display_rate = rules_.display_rate;
  plan.devices = rules_.devices;
  return out;
}

// Hands are there to be moved, and their runs keep the pace of the clock.
void World::set_contact_solver(const io::Scene& scene, const RunRequest& request, LivePlan& plan) {
  const bool has_hands = !hand::hands_of(scene.system).empty();
  const std::string& wanted = request.contact_solver;
  plan.contact_solver = find_contact_solver(!wanted.empty() ? wanted
                                            : has_hands     ? "real_time"
                                                            : "exact")
                            .name;
}

void World::install(Document document, std::vector<RunRequest> requests, std::optional<State> start,
                    std::map<std::string, double> inputs) {
  const io::Scene scene = document.read();
  std::uint32_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    generation = generation_ + 1;
  }
  note_hands(scene, requests.size());
  std::vector<Planned> all;
  Runs runs;
  std::shared_ptr<const History> reference;
  for (const RunRequest& request : requests) {
    all.push_back(planned(document, scene, request, requests.size()));
    all.back().plan.generation = generation;
    all.back().plan.inputs = inputs;
    auto run = std::make_shared<LiveRun>(all.back().plan, start, reference);
    if (!reference) reference = run->history();
    runs.push_back(std::move(run));
  }
  if (defaults_.empty())
    for (const io::SceneParameter& parameter : scene.parameters)
      defaults_[parameter.name] = parameter.value;
  describe(document, scene, all, generation);
  Runs former;
  {
    const std::lock_guard lock(mutex_);
    former = std::exchange(runs_, std::move(runs));
    generation_ = generation;
    until_.reset();
    goal_ = runs_[0]->time();
    grabs_.clear();
    ++revision_;
  }
  plans_.clear();
  for (const Planned& each : all) plans_.push_back(each.plan.method);
  document_ = std::move(document);
  requests_ = std::move(requests);
  pass_wishes_on();
}

void World::describe(const Document& document, const io::Scene& scene,
                     const std::vector<Planned>& planned, std::uint32_t generation) {
  StageFacts facts{generation};
  facts.more["type"] = "scene";
  facts.more["world"] = id_;
  facts.more["generation"] = generation;
  facts.more["runs"] = io::Json::array();
  for (const Planned& each : planned) {
    const std::string& wanted = each.request.method.empty() ? scene.method : each.request.method;
    facts.more["runs"].push_back(run_json(each.plan.method, wanted == auto_method, each.plan.step,
                                          each.plan.contact_solver));
  }
  io::Json defaults = io::Json::object();
  for (const auto& [name, value] : defaults_) defaults[name] = value;
  facts.more["defaults"] = std::move(defaults);
  if (document.text().size() <= most_sent_text) facts.more["text"] = document.text();
  auto stage = std::make_shared<StageMessages>(describe_stage(scene, facts));
  const std::lock_guard lock(mutex_);
  stage_ = std::move(stage);
  name_ = scene.name;
  title_ = scene.title;
  duration_ = scene.duration;
  text_ = document.text();
}

void World::exchange(Document document) {
  const io::Scene scene = document.read();
  std::uint32_t generation = 0;
  {
    const std::lock_guard lock(mutex_);
    generation = generation_ + 1;
  }
  std::vector<Planned> all;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    Planned next;
    next.request = requests_[i];
    next.plan.step = requests_[i].step > 0 ? requests_[i].step : scene.step;
    next.plan.method = plans_[i];  // what was chosen for the scene stays while it goes on
    next.plan.scene = [document] { return document.read(); };
    next.plan.generation = generation;
    next.plan.history_bytes = history_bytes / requests_.size();
    set_contact_solver(scene, requests_[i], next.plan);
    all.push_back(std::move(next));
  }
  // If one of them cannot, it is for the scene's sake, and the first fails already.
  for (std::size_t i = 0; i < all.size(); ++i) live(static_cast<int>(i))->replace(all[i].plan);
  describe(document, scene, all, generation);
  {
    const std::lock_guard lock(mutex_);
    generation_ = generation;
    ++revision_;
  }
  document_ = std::move(document);
}

// Seeing ------------------------------------------------------------------------------------------

std::string World::name() const {
  const std::lock_guard lock(mutex_);
  return name_;
}
std::string World::title() const {
  const std::lock_guard lock(mutex_);
  return title_;
}
double World::duration() const {
  const std::lock_guard lock(mutex_);
  return duration_;
}
std::uint32_t World::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}
std::shared_ptr<const StageMessages> World::stage() const {
  const std::lock_guard lock(mutex_);
  return stage_;
}
World::Runs World::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}
std::uint64_t World::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}
std::string World::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

void World::enter(const void* client, const Wishes& wishes) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    clients_[client] = wishes;
    deserted_.reset();
    is_first = std::exchange(is_waiting_, false);
  }
  pass_wishes_on();
  if (is_first) play(std::nullopt, std::nullopt);
}

void World::pass_wishes_on() {
  Runs runs;
  Wishes all;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_;
    for (const auto& [client, wished] : clients_) {
      all.forces |= wished.forces;
      all.contacts |= wished.contacts;
      all.tension |= wished.tension;
    }
  }
  for (const auto& run : runs) run->wish(all);
}

void World::leave(const void* client) {
  {
    const std::lock_guard hands(hands_mutex_);
    for (Mover& mover : movers_)
      if (mover.client == client) mover.client = nullptr;  // the hand stays where it is
  }
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
  if (clients_.empty() && !deserted_) deserted_ = Clock::now();
}

std::size_t World::client_count() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

std::optional<World::Clock::time_point> World::deserted_since() const {
  const std::lock_guard lock(mutex_);
  return deserted_;
}

void World::note_change() {
  const std::lock_guard lock(mutex_);
  ++revision_;
}

}  // namespace taut::server
