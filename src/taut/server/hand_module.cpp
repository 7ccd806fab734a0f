#include "taut/server/hand_module.hpp"

#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "taut/base/error.hpp"
#include "taut/server/client.hpp"
#include "taut/text/json.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {
namespace {

using ModuleClock = std::chrono::steady_clock;
constexpr auto retry_after = std::chrono::seconds(1);
constexpr auto greeting_patience = std::chrono::seconds(10);
constexpr auto stale_forces = std::chrono::milliseconds(20);  // then the device gets 0
constexpr long most_unanswered = 16;                          // more would only wait in the server

/// What the server says that no new try will change.
struct Refused : Error {
  using Error::Error;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c))
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string sample_text(const devices::HandSample& sample, const std::string& hand, long id) {
  const hand::HandPose& pose = sample.pose;
  const Quat& q = pose.orientation;
  const Vec3& p = pose.position;
  io::Json json{{"type", "hand"},
                {"id", id},
                {"source", "module"},
                {"time", io::Json::number_or_null(sample.time)},
                {"position", std::vector<double>{p.x(), p.y(), p.z()}},
                {"orientation", std::vector<double>{q.w(), q.x(), q.y(), q.z()}},
                {"angles", std::vector<double>(pose.angles.begin(), pose.angles.end())}};
  if (!hand.empty()) json["hand"] = hand;
  return json.dump();
}

bool is_finite(const hand::HandPose& pose) {
  return pose.position.allFinite() && pose.orientation.coeffs().allFinite() &&
         std::all_of(pose.angles.begin(), pose.angles.end(),
                     [](double angle) { return std::isfinite(angle); });
}

}  // namespace

struct HandModule::Link {
  explicit Link(const ModuleOptions& options)
      : socket(options.host, options.port, "/ws?token=" + escaped(options.token)) {
    const io::Node hello = await("hello");
    const io::Node* rights = hello.find("hands");
    if (!rights || !rights->boolean() || !*rights->boolean())
      throw Refused("the server does not take this token: hands cannot be moved with it");
    const io::Node* world = hello.find("start");
    if (!world || !world->text()) throw Refused("the server shows no scene");
    socket.send(R"({"type": "show", "rate": 0})");
    socket.send(io::Json{{"type", "watch"}, {"world", *world->text()}, {"id", 1}}.dump());
    await("answer");
  }

  io::Node await(std::string_view type) {
    const auto end = ModuleClock::now() + greeting_patience;
    while (ModuleClock::now() < end) {
      const auto received = socket.receive(std::chrono::milliseconds(200));
      if (!received || received->is_binary) continue;
      io::Node node = io::parse_json(received->bytes, "server");
      const io::Node* found = node.find("type");
      if (found && found->text() && *found->text() == type) return node;
      if (found && found->text() && *found->text() == "error") refuse(node);
    }
    throw Error("the server does not answer");
  }
  [[noreturn]] static void refuse(const io::Node& node) {
    const io::Node* message = node.find("message");
    throw Refused(message && message->text() ? *message->text() : "the server refused");
  }

  /// Whether forces have come.
  bool take(const io::Node& node, devices::HandForces& out) {
    const io::Node *fingers = node.find("fingers"), *wrist = node.find("wrist");
    if (!fingers || !fingers->items() || fingers->items()->size() != out.fingers.size() || !wrist ||
        !wrist->items() || wrist->items()->size() != 3)
      return false;
    devices::HandForces next;
    const auto number = [](const io::Node& item) { return item.number() ? *item.number() : 0.0; };
    for (std::size_t i = 0; i < next.fingers.size(); ++i)
      next.fingers[i] = number((*fingers->items())[i]);
    for (std::size_t i = 0; i < 3; ++i)
      next.wrist[static_cast<Eigen::Index>(i)] = number((*wrist->items())[i]);
    out = next;
    return true;
  }

  WebSocket socket;
  long next_id = 2, unanswered = 0;
  devices::HandForces forces;
  ModuleClock::time_point told = ModuleClock::now();
};

HandModule::HandModule(std::unique_ptr<devices::Device> device, ModuleOptions options)
    : device_(std::move(device)), options_(std::move(options)) {}
HandModule::~HandModule() { device_->send({}); }

void HandModule::turn(Link& link) {
  const auto sample = device_->read();
  // JSON has no words for what is no number; the server would refuse it as well.
  if (sample && is_finite(sample->pose) && link.unanswered < most_unanswered) {
    link.socket.send(sample_text(*sample, options_.hand, link.next_id++));
    ++link.unanswered;
    ++sent_;
  }
  const ModuleClock::time_point now = ModuleClock::now();
  while (const auto received = link.socket.receive(std::chrono::milliseconds(0))) {
    if (received->is_binary) continue;
    const io::Node node = io::parse_json(received->bytes, "server");
    const io::Node* type = node.find("type");
    if (!type || !type->text() || !node.find("id")) continue;
    --link.unanswered;
    if (*type->text() == "error") Link::refuse(node);
    if (link.take(node, link.forces)) link.told = now;
    ++answered_;
  }
  if (now - link.told > stale_forces) link.forces = {};
  device_->send(link.forces);
}

void HandModule::run(const std::function<bool()>& keep_going) {
  const auto period = std::chrono::duration_cast<ModuleClock::duration>(
      std::chrono::duration<double>(1 / options_.rate));
  std::unique_ptr<Link> link;
  ModuleClock::time_point due = ModuleClock::now(), tried{};
  while (keep_going()) {
    std::this_thread::sleep_until(due);
    const ModuleClock::time_point now = ModuleClock::now();
    if (now > due + period) {
      ++late_;
      due = now;
    }
    due += period;
    try {
      if (!link && now - tried >= retry_after) {
        tried = now;
        link = std::make_unique<Link>(options_);
        ++connections_;
        due = ModuleClock::now();
      }
      if (link)
        turn(*link);
      else
        device_->send({});
    } catch (const Refused& refused) {
      device_->send({});
      throw Error(refused.what());
    } catch (const Error&) {  // the server is away
      link.reset();
      device_->send({});
    }
  }
}

}  // namespace taut::server
