// What a client sees and does: bit for bit, under any method, and in a file that can be saved.
#include <filesystem>

#include "running_server.hpp"
#include "taut/record/recording.hpp"
#include "taut/scene/scene.hpp"
#include "taut/simulate/simulation.hpp"

namespace taut::server {
namespace {

using Numbers = std::vector<double>;

Numbers numbers(const VecX& v) { return {v.begin(), v.end()}; }

TEST(Viewing, RecordedStatesAreThoseOfARunBitForBit) {
  const io::Scene scene = io::load_scene("two_link");
  std::map<double, State> expected;
  RunOptions options;
  options.step = 0.01;
  options.duration = 2;
  options.record_states = [&](const State& state) { expected[state.time] = state; };
  simulate(scene.system, scene.system.initial_state(), *make_method("rattle"), options);

  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"}, {"runs", {{{"method", "rattle"}, {"step", 0.01}}}}});
  client.play_until(2);
  int count = 0;
  for (const auto& [time, state] : expected) {
    const StateView seen = client.recorded(time);
    EXPECT_EQ(seen.header.time, time);
    EXPECT_EQ(seen.sections.at(1), numbers(state.q)) << "at " << time;
    EXPECT_EQ(seen.sections.at(8), numbers(state.v)) << "at " << time;
    ++count;
  }
  EXPECT_EQ(count, 201);
}

TEST(Viewing, GoingBackAndOnAgainGivesTheSame) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"}, {"runs", {{{"method", "rattle"}, {"step", 0.01}}}}});
  client.play_until(1.5);
  const Numbers first = client.recorded(1.5).sections.at(1);
  EXPECT_EQ(client.ask({{"type", "rewind"}, {"time", 0.5}})["type"], "answer");
  EXPECT_EQ(client.ask({{"type", "history"}})["last"], 0.5);
  client.play_until(1.5);
  const Numbers second = client.recorded(1.5).sections.at(1);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-9);
}

TEST(Viewing, MethodsRunSideBySideAndOneThatDivergesSaysWhy) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"},
               {"runs",
                {{{"method", "rattle"}, {"step", 0.01}},
                 {{"method", "penalty"}, {"step", 0.5}},
                 {{"method", "icd2"}, {"step", 0.02}}}}});
  ASSERT_EQ(client.scene["runs"].size(), 3u);
  EXPECT_NE(client.scene["runs"][0]["colour"]["light"], client.scene["runs"][2]["colour"]["light"]);
  client.play_until(3);
  const Object runs = client.status["runs"];
  EXPECT_EQ(runs[0]["status"], "ok");
  EXPECT_EQ(runs[0]["time"], 3);
  EXPECT_EQ(runs[1]["status"], "diverged");
  EXPECT_NE(runs[1]["reason"], "");
  EXPECT_EQ(runs[2]["time"], 3);
  const Object history =
      client.ask({{"type", "history"}, {"run", 2}, {"metrics", {"deviation", "energy"}}});
  EXPECT_EQ(history["times"].size(), history["metrics"]["deviation"].size());
}

TEST(Viewing, WhatIsGrabbedFollowsAndIsReleased) {
  for (const char* method : {"dop853", "rattle", "icd2", "baumgarte", "energy_momentum"}) {
    RunningServer server;
    TestClient client(server);
    client.open({{"scene", "two_link"}, {"runs", {{{"method", method}, {"step", 0.01}}}}});
    const Object taken =
        client.ask({{"type", "grab"}, {"grab", 3}, {"body", 1}, {"at", {20, 0, 0}}});
    ASSERT_EQ(taken["type"], "answer") << method << taken.dump();
    client.ask({{"type", "move"}, {"grab", 3}, {"to", {12, 5, 0}}});
    client.play_until(8);
    EXPECT_EQ(client.status["runs"][0]["status"], "ok") << method;
    const Numbers held = client.recorded(8).sections.at(1);
    EXPECT_NEAR(held[3], 12, 0.5) << method;
    EXPECT_NEAR(held[4], 5, 0.5) << method;
    EXPECT_EQ(client.ask({{"type", "release"}, {"grab", 3}})["type"], "answer");
    client.play_until(9);
    EXPECT_LT(client.recorded(9).sections.at(1)[4], 3) << method;
    EXPECT_EQ(client.ask({{"type", "release"}, {"grab", 3}})["type"], "error");
  }
}

TEST(Viewing, AVertexOfClothLiftsIt) {
  for (const char* method : {"icd", "fast_projection"}) {
    RunningServer server;
    TestClient client(server);
    client.open({{"scene", "cloth"},
                 {"parameters", {{"n", 15}, {"tilt", 1.5}}},
                 {"runs", {{{"method", method}, {"step", 1.0 / 240}}}}});
    const int corner = 15 * 15 - 1;
    const Numbers start = client.recorded(0).sections.at(1);
    const double y = start[3 * corner + 1];
    client.ask({{"type", "grab"},
                {"grab", 1},
                {"body", corner},
                {"at", {start[3 * corner], y, start[3 * corner + 2]}}});
    client.ask({{"type", "move"}, {"grab", 1}, {"to", {0.5, y + 0.6, 0.5}}});
    client.play_until(3);
    EXPECT_EQ(client.status["runs"][0]["status"], "ok") << method;
    const Numbers end = client.recorded(3).sections.at(1);
    EXPECT_GT(end[3 * corner + 1], y + 0.35) << method;
  }
}

TEST(Viewing, EveryChangeIsOneOfTheSceneAndCanBeSaved) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"}});
  client.play_until(0.5);
  EXPECT_EQ(
      client.ask({{"type", "set"}, {"gravity", {0, 2, 0}}, {"parameters", {{"m", 3}}}})["type"],
      "answer");
  const Object pin = client.ask({{"type", "pin"}, {"body", 1}});
  ASSERT_EQ(pin["type"], "answer") << pin.dump();
  client.ask(
      {{"type", "runs"}, {"runs", {{{"method", "icd2"}, {"step", 0.005}}}}, {"from", "now"}});
  const std::string text = client.ask({{"type", "save"}})["text"];
  const io::Scene saved = io::parse_scene(text, "saved");
  EXPECT_EQ(saved.method, "icd2");
  EXPECT_EQ(saved.step, 0.005);
  EXPECT_EQ(saved.system.mass({0}), 3);
  EXPECT_EQ(saved.system.constraint_count(), 3);
  EXPECT_EQ(saved.system.all_forces()[0]->uniform_acceleration(), Vec3(0, 2, 0));
  // The pin holds.
  const Numbers before = client.recorded(100).sections.at(1);
  client.play_until(2);
  const Numbers after = client.recorded(100).sections.at(1);
  for (int k = 3; k < 6; ++k)
    EXPECT_NEAR(after[static_cast<std::size_t>(k)], before[static_cast<std::size_t>(k)], 1e-6);
  EXPECT_EQ(client.ask({{"type", "unpin"}, {"constraint", pin["constraint"]}})["type"], "answer");
  EXPECT_EQ(io::parse_scene(std::string(client.ask({{"type", "save"}})["text"]), "saved")
                .system.constraint_count(),
            2);
}

// A particle of 1 kg that is pushed with what the input says.
const std::string pushed = R"({"taut": 1, "name": "pushed",
  "inputs": [{"name": "push", "value": 0.25, "min": -2, "max": 2, "unit": "N",
              "description": "to the right"}, {"name": "unused"}],
  "bodies": [{"type": "particle", "name": "p", "mass": 1, "position": [0, 0, 0]}],
  "forces": [{"type": "force", "point": "p",
              "force": {"type": "formula", "value": ["=push", 0, 0]}}],
  "simulation": {"method": "dop853", "step": 0.01, "duration": 5}})";

TEST(Viewing, InputsAreSetWhileItRunsAndBelongToWhatWasRecorded) {
  RunningServer server;
  TestClient client(server);
  client.open(
      {{"text", pushed},
       {"runs",
        {{{"method", "dop853"}, {"step", 0.01}}, {{"method", "rk4_projected"}, {"step", 0.02}}}}});
  const Object& inputs = client.scene["inputs"];
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0]["name"], "push");
  EXPECT_EQ(inputs[0]["start"], 0.25);
  EXPECT_EQ(inputs[0]["min"], -2);
  EXPECT_EQ(inputs[0]["max"], 2);
  EXPECT_EQ(inputs[0]["unit"], "N");
  EXPECT_FALSE(inputs[1].contains("min"));
  const auto push = [&](double value) {
    return client.ask({{"type", "input"}, {"name", "push"}, {"value", value}});
  };
  const auto x = [&](double time) { return client.recorded(time).sections.at(1)[0]; };
  const auto input = [&](double time) { return client.recorded(time).sections.at(19); };
  EXPECT_EQ(push(1)["type"], "answer");
  EXPECT_EQ(input(0), (Numbers{1, 0}));
  client.play_until(1);
  EXPECT_NEAR(x(1), 0.5, 1e-12);
  EXPECT_EQ(push(-1)["type"], "answer");
  client.play_until(2);
  EXPECT_NEAR(x(2), 1, 1e-12);  // at rest again
  EXPECT_EQ(input(0.5), (Numbers{1, 0}));
  EXPECT_EQ(input(1.5), (Numbers{-1, 0}));

  // What holds then holds when it goes on from there.
  client.ask({{"type", "rewind"}, {"time", 0.5}});
  client.play_until(1.5);
  EXPECT_NEAR(x(1.5), 0.5 * 1.5 * 1.5, 1e-12);
  // Neither a grab nor another method changes it, …
  client.ask({{"type", "grab"}, {"grab", 1}, {"body", 0}, {"at", {1, 0, 0}}});
  client.ask({{"type", "release"}, {"grab", 1}});
  client.ask({{"type", "runs"}, {"runs", {{{"method", "icd2"}, {"step", 0.01}}}}, {"from", "now"}});
  EXPECT_EQ(input(1.5), (Numbers{1, 0}));
  // … but a new start does.
  client.ask({{"type", "reset"}});
  EXPECT_EQ(input(0), (Numbers{0.25, 0}));
  client.play_until(1);
  EXPECT_NEAR(x(1), 0.125, 1e-3);
}

TEST(Viewing, InputsThatAreNoneAndValuesOutOfRangeAreRefused) {
  RunningServer server;
  TestClient client(server);
  client.open({{"text", pushed}});
  const auto set = [&](const Object& name, const Object& value) {
    return client.ask({{"type", "input"}, {"name", name}, {"value", value}}).dump();
  };
  EXPECT_NE(set("pusch", 1).find("did you mean"), std::string::npos);
  EXPECT_NE(set("push", 3).find("expected a number from -2 to 2"), std::string::npos);
  EXPECT_NE(set("push", "much").find("\"error\""), std::string::npos);
  EXPECT_NE(set(7, 1).find("\"error\""), std::string::npos);
  EXPECT_EQ(client.recorded(0).sections.at(19), (Numbers{0.25, 0}));
  const std::string world = client.scene["world"];
  TestClient watcher(server, false);
  watcher.ask({{"type", "watch"}, {"world", world}});
  EXPECT_NE(watcher.ask({{"type", "input"}, {"name", "push"}, {"value", 1}})
                .dump()
                .find("may only watch"),
            std::string::npos);
}

TEST(Viewing, ACornerOfClothCanBeLetGo) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "cloth"}, {"parameters", {{"n", 9}}}});
  EXPECT_EQ(client.ask({{"type", "unpin"}, {"body", 8}})["type"], "answer");
  EXPECT_EQ(client.ask({{"type", "unpin"}, {"body", 8}})["type"], "error");
  client.play_until(0.5);
  const Numbers end = client.recorded(0.5).sections.at(1);
  EXPECT_NEAR(end[1], 0, 1e-9);
  EXPECT_LT(end[3 * 8 + 1], -0.1);
}

TEST(Viewing, ErrorsInAScenesTextHaveTheirPlaceAndChangeNothing) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"}});
  const Object error = client.ask(
      {{"type", "edit"}, {"text", "{\n\"taut\": 1,\n\"bodies\": [\n  {\"type\": \"particl\"}]}"}});
  EXPECT_EQ(error["type"], "error");
  EXPECT_EQ(error["line"], 4);
  EXPECT_EQ(error["path"], "/bodies/0/type");
  EXPECT_EQ(client.ask({{"type", "set"}, {"parameters", {{"L", -1}}}, {"keep", false}})["type"],
            "error");
  client.play_until(0.1);
  EXPECT_EQ(client.recorded(0.1).header.time, 0.1);
}

TEST(Viewing, RobotsAndEveryBuiltInSceneOfTheGalleryHaveATextThatReadsBack) {
  for (const io::SceneSummary& robot : io::list_robots()) {
    const io::Scene direct = io::load_scene(robot.name);
    const io::Scene through = Document::load(robot.name).read();
    EXPECT_EQ(through.system.body_count(), direct.system.body_count()) << robot.name;
    EXPECT_EQ(numbers(through.system.initial_state().q), numbers(direct.system.initial_state().q));
  }
}

TEST(Viewing, RecordingsPlay) {
  const std::string path = ::testing::TempDir() + "viewing.taut";
  const io::Scene scene = io::load_scene("two_link");
  {
    io::RecordingWriter writer(path, scene, "rattle", 0.1);
    State state = scene.system.initial_state();
    for (int i = 0; i <= 20; ++i) {
      state.time = 0.1 * i;
      state.q[1] = -0.1 * i;
      writer.record(state);
    }
    writer.finish();
  }
  RunningServer server;
  server.hub.open_first(path);
  TestClient client(server);
  client.ask({{"type", "watch"}, {"world", "main"}});
  client.await_scene("main");
  EXPECT_EQ(client.scene["kind"], "recording");
  client.play_until(1.5);
  EXPECT_FLOAT_EQ(static_cast<float>(client.recorded(1.5).sections.at(1)[1]), -1.5F);
  EXPECT_EQ(client.ask({{"type", "grab"}, {"grab", 1}, {"body", 0}, {"at", {0, 0, 0}}})["type"],
            "error");
  std::filesystem::remove(path);
}

TEST(Viewing, WhatWasRecordedCanBeTakenAway) {
  RunningServer server;
  TestClient client(server);
  client.open({{"scene", "two_link"}});
  client.play_until(1);
  const std::string world = client.scene["world"];
  const HttpReply reply =
      http_get("127.0.0.1", server.port(), "/api/worlds/" + world + "/recording");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body.substr(1, 4), "TAUT");
  EXPECT_EQ(reply.body.substr(reply.body.size() - 8), "TAUTEND\n");
}

}  // namespace
}  // namespace taut::server
