#include "taut/server/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/server/places.hpp"

namespace taut::server {
namespace {

using io::Json;

constexpr auto status_interval = std::chrono::milliseconds(250);

Outgoing outgoing(std::string bytes, bool is_binary = false) {
  return {std::make_shared<const std::string>(std::move(bytes)), is_binary};
}

std::string hello(const Hub& hub, Rights rights) {
  Json list = Json::array();
  for (const MetricInfo& metric : metrics)
    list.push_back(
        {{"name", metric.name}, {"unit", metric.unit}, {"description", metric.description}});
  const std::string first = hub.first();
  return Json{{"type", "hello"},
              {"protocol", protocol_version},
              {"taut", version},
              {"control", rights == Rights::control},
              {"hands", rights >= Rights::hands},
              {"start", first.empty() ? Json() : Json(first)},
              {"metrics", std::move(list)}}
      .dump();
}

Json error_json(std::uint32_t id, std::string_view message) {
  Json json{{"type", "error"}, {"message", message}};
  if (id > 0) json["id"] = id;
  return json;
}

}  // namespace

Session::~Session() {
  if (const auto left = world()) left->leave(this);
}

std::shared_ptr<World> Session::world() const {
  const std::lock_guard lock(mutex_);
  return world_;
}
std::shared_ptr<World> Session::require_world() const {
  auto found = world();
  if (!found) throw Error("nothing is open: \"open\" or \"watch\" something first");
  return found;
}

Wishes Session::wishes() const {
  return {show_.forces, show_.contacts, show_.colour == Colour::tension};
}

void Session::watch(std::shared_ptr<World> world) {
  std::shared_ptr<World> former;
  Wishes wished;
  {
    const std::lock_guard lock(mutex_);
    former = std::exchange(world_, world);
    sent_generation_ = 0;
    sent_revision_ = 0;
    sent_versions_.clear();
    wished = wishes();
  }
  if (world) world->enter(this, wished);
  if (former && former != world) {
    former->leave(this);
    hub_.close_if_deserted(former->id());
  }
}

// Unasked -----------------------------------------------------------------------------------------

std::vector<Outgoing> Session::next(Clock::time_point now) {
  std::vector<Outgoing> out;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(has_greeted_, true)) out.push_back(outgoing(hello(hub_, rights_)));
  if (!world_) return out;
  const std::uint32_t generation = world_->generation();
  if (generation != sent_generation_) {
    const auto stage = world_->stage();
    out.push_back({std::shared_ptr<const std::string>(stage, &stage->scene), false});
    for (const std::string& frame : stage->frames)
      out.push_back({std::shared_ptr<const std::string>(stage, &frame), true});
    sent_generation_ = generation;
    sent_versions_.clear();
    sent_revision_ = 0;
    next_frame_ = now;
  }
  const std::uint64_t revision = world_->revision();
  if (revision != sent_revision_ || now - last_status_ >= status_interval) {
    out.push_back(outgoing(world_->status()));
    sent_revision_ = revision;
    last_status_ = now;
  }
  if (!(show_.rate > 0) || now < next_frame_) return out;
  const World::Runs runs = world_->runs();
  sent_versions_.resize(runs.size());
  bool was_sent = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SnapshotPointer shot;
    try {
      shot = runs[i]->newest();
    } catch (const std::exception& error) {  // a recording that is damaged somewhere
      out.push_back(outgoing(error_json(0, error.what()).dump()));
      next_frame_ = now + std::chrono::seconds(1);
      return out;
    }
    if (shot->version == sent_versions_[i] || shot->generation != sent_generation_) continue;
    sent_versions_[i] = shot->version;
    out.push_back(outgoing(encode(*shot, show_, {static_cast<std::uint32_t>(i), 0, false}), true));
    was_sent = true;
  }
  if (was_sent) {
    const auto pause =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / show_.rate));
    next_frame_ = std::max(next_frame_ + pause, now);
  }
  return out;
}

// Messages ----------------------------------------------------------------------------------------

std::vector<Outgoing> Session::refuse(std::string_view why) {
  ++bad_in_a_row_;
  return {outgoing(error_json(0, why).dump())};
}

std::vector<Outgoing> Session::receive(std::string_view text) {
  std::optional<Message> message;
  try {
    message.emplace(text);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  bad_in_a_row_ = 0;
  std::vector<Outgoing> out;
  try {
    Json json = answer(*message, out);
    if (message->id() > 0 && out.empty()) {
      json["type"] = "answer";
      json["id"] = message->id();
      out.push_back(outgoing(json.dump()));
    }
  } catch (const std::exception& error) {
    Json json = error_json(message->id(), error.what());
    if (const auto scene = message->find("text"); scene && scene->text()) {
      const ErrorPlace place = error_place(error.what(), *scene->text());
      if (!place.path.empty()) json["path"] = place.path;
      if (place.at) {
        json["line"] = place.at->line;
        json["column"] = place.at->column;
      }
    }
    out.clear();
    out.push_back(outgoing(json.dump()));
  }
  return out;
}

std::shared_ptr<Run> Session::run(const Message& message) const {
  const World::Runs runs = require_world()->runs();
  return runs[static_cast<std::size_t>(
      message.whole_or("run", 0, 0, static_cast<long>(runs.size()) - 1))];
}

void Session::send_frame(const Message& message, std::vector<Outgoing>& out) {
  const auto of = run(message);
  std::optional<std::size_t> index;
  if (message.has("index"))
    index = static_cast<std::size_t>(message.whole("index", 0, 1L << 53));
  else
    index = of->find_recorded(message.number("time"));
  const SnapshotPointer shot = index ? of->recorded_at(*index) : nullptr;
  if (!shot) throw Error("nothing was recorded there");
  const std::string precision = message.text_if("precision").value_or("float32");
  if (precision != "float32" && precision != "float64")
    throw Error(fmt::format("precision: found \"{}\", expected float32 or float64", precision));
  Show show;
  {
    const std::lock_guard lock(mutex_);
    show = show_;
  }
  out.push_back(
      outgoing(encode(*shot, show,
                      {static_cast<std::uint32_t>(message.whole_or("run", 0, 0, most_runs)),
                       message.id(), precision == "float64"}),
               true));
}

io::Json Session::history(const Message& message) {
  const auto of = run(message);
  const History::Range range = of->recorded();
  Json json{{"count", range.count}, {"first", range.first}, {"last", range.last}};
  std::vector<double> times = of->recorded_times();
  if (const io::Node* wanted = message.find("metrics")) {
    if (!wanted->items()) throw Error("metrics: expected a list of names");
    constexpr std::size_t most = 2000;
    const std::size_t every = std::max<std::size_t>(1, (times.size() + most - 1) / most);
    const auto thinned = [&](const std::vector<double>& all) {
      Json list = Json::array();
      for (std::size_t i = 0; i < all.size(); i += every)
        list.push_back(Json::number_or_null(all[i]));
      return list;
    };
    Json curves = Json::object();
    for (const io::Node& name : *wanted->items()) {
      const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricInfo& m) {
        return name.text() && m.name == *name.text();
      });
      if (found == metrics.end()) throw Error("metrics: found a name that \"hello\" does not list");
      curves[found->name] =
          thinned(of->recorded_values(static_cast<Metric>(found - metrics.begin())));
    }
    json["times"] = thinned(times);
    json["metrics"] = std::move(curves);
  } else if (times.size() <= most_listed) {
    json["times"] = times;
  }
  return json;
}

void Session::change_show(const Message& message) {
  constexpr std::array<std::string_view, 4> colours{"none", "strain", "tension", "speed"};
  std::shared_ptr<World> watched;
  Wishes wished;
  {
    const std::lock_guard lock(mutex_);
    Show next = show_;
    next.rate = message.number_or("rate", next.rate, 0, 1000);
    next.forces = message.flag_or("forces", next.forces);
    next.contacts = message.flag_or("contacts", next.contacts);
    if (const auto colour = message.text_if("colour")) {
      const auto found = std::find(colours.begin(), colours.end(), *colour);
      if (found == colours.end())
        throw Error(fmt::format("colour: found \"{}\"{}", *colour, suggestion(*colour, colours)));
      next.colour = static_cast<Colour>(found - colours.begin());
    }
    show_ = next;
    std::fill(sent_versions_.begin(), sent_versions_.end(), 0);
    watched = world_;
    wished = wishes();
  }
  if (watched) watched->enter(this, wished);
}

}  // namespace taut::server
