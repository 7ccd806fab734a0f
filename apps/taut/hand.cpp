#include <fmt/core.h>

#include <memory>
#include <numbers>
#include <string>

#include "commands.hpp"
#include "taut/hand/hand_model.hpp"
#include "taut/text/json.hpp"
#include "text_table.hpp"

namespace taut::cli {
namespace {

struct HandArguments {
  std::string side = "right";
  double length = hand::usual_length;
  bool json = false;
};

io::Json vector_of(const Vec3& v) { return io::Json::array({v.x(), v.y(), v.z()}); }

void print_json(const hand::HandModel& model) {
  io::Json limbs = io::Json::array(), angles = io::Json::array();
  for (int i = 0; i < hand::limb_count; ++i) {
    const hand::HandModel::Limb& limb = model.limb(i);
    io::Json turns = io::Json::array();
    for (const hand::HandModel::Turn& turn : limb.turns)
      turns.push_back({{"axis", vector_of(turn.axis)},
                       {"angle", hand::angle_name(turn.angle)},
                       {"factor", turn.factor}});
    io::Json entry{{"name", hand::limb_name(i)},
                   {"joint", vector_of(limb.joint)},
                   {"turns", turns},
                   {"centre", vector_of(limb.centre)},
                   {"length", limb.length},
                   {"radius", limb.shape.radius}};
    entry["parent"] = limb.parent < 0 ? io::Json() : io::Json(hand::limb_name(limb.parent));
    limbs.push_back(entry);
  }
  for (int i = 0; i < hand::angle_count; ++i) {
    const hand::AngleLimits limits = hand::angle_limits(i);
    angles.push_back(
        {{"name", hand::angle_name(i)}, {"lower", limits.lower}, {"upper", limits.upper}});
  }
  fmt::print("{}\n", io::Json{{"limbs", limbs}, {"angles", angles}}.dump(2));
}

void print_tables(const hand::HandModel& model) {
  TextTable limbs;
  limbs.left("limb").left("turns on").right("length").right("radius").left("turned by");
  for (int i = 0; i < hand::limb_count; ++i) {
    const hand::HandModel::Limb& limb = model.limb(i);
    std::string turns;
    for (const hand::HandModel::Turn& turn : limb.turns)
      turns += fmt::format("{}{}", turns.empty() ? "" : ", ", hand::angle_name(turn.angle));
    limbs.row({std::string(hand::limb_name(i)),
               limb.parent < 0 ? "wrist" : std::string(hand::limb_name(limb.parent)),
               fmt::format("{:.1f} mm", 1000 * limb.length),
               fmt::format("{:.1f} mm", 1000 * limb.shape.radius), turns});
  }
  TextTable angles;
  angles.right("sensor").left("angle").right("from").right("to");
  const double degree = std::numbers::pi / 180;
  for (int i = 0; i < hand::angle_count; ++i) {
    const hand::AngleLimits limits = hand::angle_limits(i);
    angles.row({fmt::format("{}", i), std::string(hand::angle_name(i)),
                fmt::format("{:.0f}°", limits.lower / degree),
                fmt::format("{:.0f}°", limits.upper / degree)});
  }
  fmt::print("{}\n{}", limbs.text(), angles.text());
}

}  // namespace

void add_hand(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("hand", "Print the limbs and angles of the model of a hand");
  auto arguments = std::make_shared<HandArguments>();
  command->add_option("--side", arguments->side, "Which hand")
      ->check(CLI::IsMember({"right", "left"}))
      ->capture_default_str();
  command
      ->add_option("--length", arguments->length,
                   "From the wrist to the tip of the middle finger, in m")
      ->type_name("L")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "As JSON, with all joints and axes");
  command->footer("Example:\n  taut hand --length 0.175");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const hand::HandModel model(hand::HandSizes::of_length(arguments->length),
                                  arguments->side == "left" ? hand::Side::left : hand::Side::right);
      if (arguments->json)
        print_json(model);
      else
        print_tables(model);
      return exit_ok;
    };
  });
}

}  // namespace taut::cli
