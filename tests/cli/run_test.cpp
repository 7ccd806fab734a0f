#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(Cli, HelpOfEveryCommandHasAnExampleAndExitCodes) {
  const Result top = taut({"--help"});
  EXPECT_EQ(top.code, 0);
  for (const std::string command : {"run", "compare", "check", "export", "list", "schema"}) {
    EXPECT_NE(top.out.find("  " + command), std::string::npos) << command;
    const Result help = taut({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("Example"), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("taut " + command), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("130"), std::string::npos) << help.out;
  }
}

TEST(Cli, Version) {
  const Result result = taut({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.substr(0, 5), "taut ");
}

TEST(Cli, RunPrintsASummary) {
  const Result result = taut({"run", "two_link", "--duration", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");  // no progress bar, as it is not a terminal
  for (const char* word : {"two_link with dop853", "100 steps", "constraint error", "energy",
                           "node2 y", "per step", "chosen", "smooth"})
    EXPECT_NE(result.out.find(word), std::string::npos) << word << " in:\n" << result.out;
  EXPECT_EQ(taut({"run", "two_link", "--duration", "1", "--quiet"}).out, "");
}

TEST(Cli, JsonIsExactlyTheReport) {
  const Result result = taut({"run", "pendulum", "--json", "--duration", "0.5", "--step", "0.005"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  for (const char* key : {"taut", "scene", "method", "step", "steps", "time", "status",
                          "diverged_at_step", "constraint_error", "energy", "cost"})
    EXPECT_TRUE(report.contains(key)) << key;
  for (const char* key : {"accumulated", "max", "final"})
    EXPECT_TRUE(report["constraint_error"][key].is_number()) << key;
  for (const char* key : {"initial", "final", "max_abs_error"})
    EXPECT_TRUE(report["energy"][key].is_number()) << key;
  for (const char* key : {"point", "axis", "max", "rms", "until"})
    EXPECT_TRUE(report["reference_deviation"].contains(key)) << key;
  for (const char* key :
       {"wall_seconds", "cpu_seconds", "microseconds_per_step", "linear_solves", "iterations"})
    EXPECT_TRUE(report["cost"][key].is_number()) << key;
  EXPECT_EQ(report["scene"], "pendulum");
  EXPECT_EQ(report["status"], "ok");
  EXPECT_EQ(report["steps"], 100);
  EXPECT_EQ(report["step"], 0.005);
  EXPECT_NEAR(report["time"].get<double>(), 0.5, 1e-12);
}

TEST(Cli, MethodAndSettingsAreUsed) {
  const Result result = taut({"run", "pendulum", "--method", "baumgarte", "--set", "L=2",
                              "method.alpha=3", "--duration", "0.1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["method"], "baumgarte");
  const Result unknown =
      taut({"run", "pendulum", "--method", "implicit1", "--set", "method.alpha=3"});
  EXPECT_EQ(unknown.code, 2);
}

TEST(Cli, OutGetsReportAndTrajectoryAndIsDeterministic) {
  const Scratch scratch;
  for (const char* name : {"a", "b"}) {
    const Result result = taut({"run", "ten_link", "--duration", "1", "--record-every", "10",
                                "--out", (scratch / name / "deep").string()});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(json::parse(file_text(scratch / name / "deep" / "report.json"))["scene"], "ten_link");
  }
  const std::string first = file_text(scratch / "a" / "deep" / "trajectory.csv");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, file_text(scratch / "b" / "deep" / "trajectory.csv"));
}

TEST(Cli, AutomaticStepsAndForces) {
  const Scratch scratch;
  const Result result =
      taut({"run", "two_link", "--method", "dop853", "--tolerance", "1e-8", "--duration", "2",
            "--record-interval", "0.25", "--out", (scratch / "out").string()});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* word : {"chosen for a tolerance of 1e-08", "accepted", "rejected",
                           "largest force", "N in link1", "forces.csv"})
    EXPECT_NE(result.out.find(word), std::string::npos) << word << " in:\n" << result.out;
  const json report = json::parse(file_text(scratch / "out" / "report.json"));
  EXPECT_GT(report["step_control"]["accepted"], 5);
  EXPECT_EQ(report["step_control"]["tolerance"], 1e-8);
  EXPECT_EQ(report["time"], 2);
  EXPECT_LT(report["reference_deviation"]["max"], 1e-6);
  EXPECT_EQ(report["reactions"][0]["unit"], "N");
  const std::string forces = file_text(scratch / "out" / "forces.csv");
  EXPECT_EQ(forces.substr(0, forces.find('\n')), "time,link1.tension (N),link2.tension (N)");
  EXPECT_EQ(std::count(forces.begin(), forces.end(), '\n'), 1 + 9);
  const std::string states = file_text(scratch / "out" / "trajectory.csv");
  EXPECT_EQ(std::count(states.begin(), states.end(), '\n'), 1 + 9);
}

TEST(Cli, IllegalStartsAreSettledUnlessLeftAsTheyAre) {
  const Result settled = taut({"run", "bead", "--method", "implicit2"});
  EXPECT_EQ(settled.code, 0) << settled.err;
  EXPECT_NE(settled.out.find("settled"), std::string::npos) << settled.out;
  const json left =
      json::parse(taut({"run", "bead", "--method", "implicit2", "--start", "as_is", "--json"}).out);
  EXPECT_EQ(left["activation"]["count"], 0);
  EXPECT_GT(left["energy"]["final"], 1e6);
}

TEST(Cli, CompareTakesAutomaticSteps) {
  const Result result = taut({"compare", "pendulum", "--methods", "rattle,dop853", "--steps",
                              "auto,0.01", "--tolerance", "1e-5", "--duration", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json runs = json::parse(result.out)["runs"];
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0]["step_control"]["tolerance"], 1e-5);
  EXPECT_FALSE(runs[1].contains("step_control"));
  EXPECT_LT(runs[2]["reference_deviation"]["max"], 1e-3);
}

TEST(Cli, DivergenceIsExitCodeOne) {
  const Result result =
      taut({"run", "bead", "--method", "baumgarte", "--step", "0.1", "--start", "as_is", "--set",
            "method.alpha=20", "--set", "method.beta=20", "--json"});
  EXPECT_EQ(result.code, 1) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["status"], "diverged");
  EXPECT_GT(report["diverged_at_step"].get<long>(), 0);
}

struct BadInput {
  std::vector<std::string> arguments;
  std::string expected;  // in the message
};

TEST(Cli, BadInputIsOneLineExitCodeTwoAndTouchesNothing) {
  const Scratch scratch;
  const std::string garbage = scratch.write("garbage.json", std::string("\x7f\x45\0\xff{{", 6));
  const std::string empty = scratch.write("empty.json", "");
  const BadInput cases[] = {
      {{"run", "two_lnk"}, "two_link"},
      {{"run", "pendulum", "--method", "implicit3"}, "implicit"},
      {{"run", "pendulum", "--solver", "dense_ldl"}, "dense_ldl"},
      {{"run", "pendulum", "--step", "0"}, "--step"},
      {{"run", "pendulum", "--step", "-0.1"}, "--step"},
      {{"run", "pendulum", "--step", "nan"}, "--step"},
      {{"run", "pendulum", "--step", "fast"}, "--step"},
      {{"run", "pendulum", "--step", "autoo"}, "auto"},
      {{"run", "pendulum", "--tolerance", "0"}, "--tolerance"},
      {{"run", "pendulum", "--tolerance", "-1e-6"}, "--tolerance"},
      {{"run", "pendulum", "--tolerance", "small"}, "--tolerance"},
      {{"run", "pendulum", "--step", "0.1", "--tolerance", "1e-6"}, "--tolerance"},
      {{"run", "pendulum", "--record-interval", "0.1"}, "--record-interval"},
      {{"run", "pendulum", "--step", "auto", "--record-interval", "0"}, "--record-interval"},
      {{"run", "pendulum", "--start", "asis"}, "as_is"},
      {{"compare", "pendulum", "--steps", "auot"}, "--steps"},
      {{"compare", "pendulum", "--tolerance", "0"}, "--tolerance"},
      {{"run", "pendulum", "--duration", "inf"}, "--duration"},
      {{"run", "pendulum", "--step", "1e-300"}, "steps"},
      {{"run", "pendulum", "--record-every", "0"}, "--record-every"},
      {{"run", "pendulum", "--error-bound", "-1"}, "--error-bound"},
      {{"run", "pendulum", "--set", "L"}, "key=value"},
      {{"run", "pendulum", "--set", "L=-1"}, "L"},
      {{"run", "pendulum", "--set", "lenght=1"}, "lenght"},
      {{"run", "pendulum", "--set", "method.apha=1"}, "apha"},
      {{"run", "pendulum", "--sted", "1"}, "--step"},
      {{"run", "pendulum", "extra"}, "extra"},
      {{"run", garbage}, "garbage.json"},
      {{"run", empty}, "empty.json"},
      {{"run", (scratch / "missing.json").string()}, "missing.json"},
      {{"compare", "pendulum", "--methods", "implicit1,ratle"}, "rattle"},
      {{"compare", "pendulum", "--steps", "0.01,0"}, "--steps"},
      {{"compare", "pendulum", "--set", "method.gamma=1"}, "gamma"},
  };
  for (const BadInput& bad : cases) {
    std::vector<std::string> arguments = bad.arguments;
    arguments.insert(arguments.end(), {"--out", (scratch / "out").string()});
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 2) << bad.expected;
    EXPECT_EQ(result.out, "") << bad.expected;
    EXPECT_EQ(result.err.substr(0, 6), "taut: ") << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(bad.expected), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "out")) << bad.expected;
  }
}

TEST(Cli, UnknownCommandAndNoCommand) {
  const Result unknown = taut({"comapre", "pendulum"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "taut: unknown command \"comapre\" (did you mean \"compare\"?)\n");
  EXPECT_EQ(taut({}).code, 2);
  EXPECT_EQ(taut({"run"}).code, 2);
}

TEST(Cli, ResultsThatCannotBeWrittenAreExitCodeThree) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "kept");
  const Result result = taut({"run", "pendulum", "--duration", "0.1", "--out", file + "/out"});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_EQ(result.err.substr(0, 6), "taut: ");
  EXPECT_EQ(file_text(file), "kept");
}

TEST(Cli, InterruptWritesWhatThereIs) {
  const Scratch scratch;
  const auto out = scratch / "out";
  const Process process({"run", "two_link", "--duration", "1000000", "--record-every", "1000",
                         "--error-bound", "1e9", "--json", "--out", out.string()},
                        scratch);
  // The directory is made just before the run begins to listen.
  for (int i = 0; i < 500 && !std::filesystem::exists(out); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.signal(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["status"], "interrupted");
  EXPECT_GT(report["steps"].get<long>(), 0);
  EXPECT_EQ(json::parse(file_text(out / "report.json")), report);
  EXPECT_FALSE(file_text(out / "trajectory.csv").empty());
}

}  // namespace
}  // namespace taut::cli
