// Which message does what: the table of docs/viewer.md.
#include <fmt/core.h>

#include <array>

#include "taut/base/error.hpp"
#include "taut/server/session.hpp"

namespace taut::server {
namespace {

using io::Json;

// In the order of the page.
constexpr std::array watching{"watch",   "leave", "show", "frame",  "history",
                              "preview", "check", "save", "values", "worlds"};
constexpr std::array controlling{"open", "play", "pause", "step", "reset",  "rewind",
                                 "runs", "set",  "edit",  "grab", "move",   "release",
                                 "push", "pin",  "unpin", "hand", "let_go", "input"};

bool is_one_of(const auto& names, const std::string& type) {
  return std::find(names.begin(), names.end(), type) != names.end();
}

std::vector<OptionValue> options_of(const io::Node& run) {
  std::vector<OptionValue> options;
  const io::Node* found = run.find("options");
  if (!found) return options;
  if (!found->members()) throw Error("options: expected an object");
  for (const io::Node::Member& member : *found->members()) {
    const io::Node& value = member.second;
    if (value.number())
      options.push_back({member.first, number_text(*value.number())});
    else if (value.boolean())
      options.push_back({member.first, *value.boolean() ? "true" : "false"});
    else if (value.text())
      options.push_back({member.first, *value.text()});
    else
      throw Error(
          fmt::format("options: expected a number, a word, true or false for {}", member.first));
  }
  return options;
}

std::vector<RunRequest> runs_of(const Message& message) {
  std::vector<RunRequest> runs;
  const io::Node* list = message.find("runs");
  if (!list) return runs;
  if (!list->items() || list->items()->empty() || list->items()->size() > most_runs)
    throw Error(fmt::format("runs: expected a list of 1 to {}", most_runs));
  for (const io::Node& each : *list->items()) {
    if (!each.members()) throw Error("runs: expected objects with \"method\" and \"step\"");
    RunRequest run;
    if (const io::Node* method = each.find("method")) {
      if (!method->text()) throw Error("runs: method: expected a name");
      run.method = *method->text();
    }
    if (const io::Node* step = each.find("step"); step && step->number()) {
      if (!(*step->number() > 0)) throw Error("runs: step: expected a number > 0");
      run.step = *step->number();
    }
    run.options = options_of(each);
    if (const io::Node* solver = each.find("contact_solver")) {
      if (!solver->text()) throw Error("runs: contact_solver: expected a name");
      run.contact_solver = *solver->text();
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Document document_of(const Message& message) {
  Document document = message.has("text") ? Document::from_text(message.text("text"), "scene")
                                          : Document::load(message.text("scene"));
  const auto parameters = message.numbers("parameters");
  return parameters.empty() ? document : document.with_parameters(parameters);
}

}  // namespace

Json Session::answer(const Message& message, std::vector<Outgoing>& out) {
  const std::string& type = message.type();
  if (is_one_of(controlling, type)) {
    const bool is_hand = type == "hand" || type == "let_go";
    if (rights_ < (is_hand ? Rights::hands : Rights::control))
      throw Error("this page may only watch: open the address with the token to control");
    if (type == "open") return open(message);
    if (is_hand) return move_hand(message, *require_world());
    return control(message, *require_world());
  }
  if (type == "watch") {
    const auto found = hub_.find(message.text("world"));
    if (!found) throw Error(fmt::format("there is no world \"{}\"", message.text("world")));
    watch(found);
    return {{"world", found->id()}};
  }
  if (type == "leave") {
    watch(nullptr);
  } else if (type == "show") {
    change_show(message);
  } else if (type == "frame") {
    send_frame(message, out);
  } else if (type == "history") {
    return history(message);
  } else if (type == "preview") {
    preview(message, out);
  } else if (type == "check") {
    document_of(message).read();
  } else if (type == "save") {
    if (require_world()->is_recording()) throw Error("a recording has no scene to save");
    return {{"text", require_world()->text()}};
  } else if (type == "values") {
    const int run = static_cast<int>(message.whole_or("run", 0, 0, most_runs - 1));
    for (const auto& [key, kind] : {std::pair("body", World::Picked::body),
                                    std::pair("constraint", World::Picked::constraint),
                                    std::pair("joint", World::Picked::joint)})
      if (message.has(key))
        return require_world()->values(run, kind,
                                       static_cast<int>(message.whole(key, 0, 2147483647)));
    throw Error("values: expected body, constraint or joint");
  } else if (type == "worlds") {
    return {{"worlds", hub_.list_worlds()}};
  } else {
    std::vector<std::string_view> known(watching.begin(), watching.end());
    known.insert(known.end(), controlling.begin(), controlling.end());
    throw Error(fmt::format("there is no message \"{}\"{}", type, suggestion(type, known)));
  }
  return Json::object();
}

Json Session::open(const Message& message) {
  auto world = hub_.open(document_of(message), runs_of(message));
  watch(world);
  if (message.flag_or("play", true)) world->play(1.0, std::nullopt);
  return {{"world", world->id()}};
}

Json Session::control(const Message& message, World& world) {
  const std::string& type = message.type();
  const auto grab = [&] {
    return static_cast<std::uint32_t>(message.whole("grab", 0, 4294967295L));
  };
  const auto body = [&] { return static_cast<int>(message.whole("body", 0, 2147483647)); };
  if (type == "play") {
    world.play(message.number_if("speed", 0), message.number_if("until"));
  } else if (type == "pause") {
    world.pause();
  } else if (type == "step") {
    world.step(message.whole_or("count", 1, 1, 1'000'000));
  } else if (type == "reset") {
    world.reset();
  } else if (type == "rewind") {
    world.rewind(message.number("time"));
  } else if (type == "runs") {
    const std::string from = message.text_if("from").value_or("start");
    if (from != "start" && from != "now")
      throw Error(fmt::format("from: found \"{}\", expected start or now", from));
    std::vector<RunRequest> runs = runs_of(message);
    if (runs.empty()) throw Error("runs: expected a list");
    world.set_runs(std::move(runs), from == "now");
  } else if (type == "set") {
    world.change({message.numbers("parameters"), message.vector_if("gravity"),
                  message.flag_or("keep", true)});
  } else if (type == "edit") {
    world.edit(message.text("text"));
  } else if (type == "grab") {
    const Pulls::Strength strength =
        world.grab({grab(), static_cast<int>(message.whole_or("run", 0, 0, most_runs - 1)), body(),
                    message.vector("at"), message.number_or("strength", 1, 1e-3, 1e3)});
    return {{"stiffness", strength.stiffness}, {"damping", strength.damping}};
  } else if (type == "move") {
    world.move(grab(), message.vector("to"));
  } else if (type == "release") {
    world.release(grab());
  } else if (type == "push") {
    world.push(body(), message.vector_if("at"), message.vector("velocity"));
  } else if (type == "input") {
    world.set_input(message.text("name"), message.number("value"));
  } else if (type == "pin") {
    return {{"constraint", world.pin(body(), message.vector_if("at"))}};
  } else if (type == "unpin") {
    if (message.has("constraint"))
      world.unpin(message.text("constraint"));
    else
      world.unpin(body());
  }
  return Json::object();
}

void Session::preview(const Message& message, std::vector<Outgoing>& out) {
  const io::Scene scene = document_of(message).read();
  StageFacts facts;
  facts.more["type"] = "scene";
  facts.more["world"] = nullptr;
  facts.more["generation"] = 0;
  facts.more["request"] = message.id();
  facts.more["runs"] = Json::array();
  StageMessages stage = describe_stage(scene, facts);
  out.push_back({std::make_shared<const std::string>(std::move(stage.scene)), false});
  for (std::string& frame : stage.frames)
    out.push_back({std::make_shared<const std::string>(std::move(frame)), true});
  Snapshot shot;
  shot.frame = make_frame(scene);
  shot.state = scene.system.initial_state();
  out.push_back(
      {std::make_shared<const std::string>(encode(shot, {}, {0, message.id(), false})), true});
}

}  // namespace taut::server
