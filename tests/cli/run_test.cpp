#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

using nlohmann::json;

TEST(Cli, HelpOfEveryCommandHasAnExampleAndExitCodes) {
  const Result top = taut({"--help"});
  EXPECT_EQ(top.code, 0);
  for (const std::string command :
       {"run", "compare", "check", "stability", "stability map", "stability feedback", "advise",
        "export", "list", "schema", "man", "completion"}) {
    const Result help = shell("$TAUT " + command + " --help");
    EXPECT_NE(top.out.find("  " + command.substr(0, command.find(' '))), std::string::npos);
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
                           "node2 y", "per step", "chosen", "resolves", "verdict"})
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
      {{"compare", "pendulum", "--set", "method.stiffnes_of_all=1"}, "stiffnes_of_all"},
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
  const std::string file = scratch.write("file", "kept"), out = file + "/out";
  const std::vector<std::string> cases[] = {
      {"run", "pendulum", "--duration", "0.1", "--out", out},
      {"run", "pendulum", "--duration", "0.1", "--recording", out + "/a.taut"},
      {"compare", "pendulum", "--methods", "rattle", "--duration", "0.1", "--out", out},
      {"stability", "map", "--method", "rattle", "--steps", "0.1", "--duration", "0.1", "--out",
       out}};
  for (const auto& arguments : cases) {
    const Result result = taut(arguments);
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(result.err, "taut: " + out + ": cannot make this directory: Not a directory\n");
    EXPECT_EQ(file_text(file), "kept");
  }
  const Result full = shell("$TAUT list methods > /dev/full");
  EXPECT_EQ(full.code, 3);
  EXPECT_NE(full.err.find("taut: cannot write to standard output"), std::string::npos) << full.err;
}

TEST(Cli, EmptyNamesAreRefused) {
  for (const char* option : {"--out", "--recording", "--frames"}) {
    const Result result = taut({"run", "flag", "--duration", "0.01", option, ""});
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_NE(result.err.find(std::string(option) + ": found \"\", expected a name"),
              std::string::npos)
        << result.err;
  }
  EXPECT_EQ(taut({"compare", "pendulum", "--out", ""}).code, 2);
  EXPECT_EQ(taut({"export", "a.taut", "--to", "obj", "--out", ""}).code, 2);
}

TEST(Cli, ASceneCanComeFromStandardInput) {
  const std::string scene =
      R"('{"taut": 1, "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 0]}],)"
      R"( "constraints": [{"type": "distance", "name": "rod", "a": [0, 0, 0], "b": "bob"}],)"
      R"( "simulation": {"duration": 0.1}}')";
  const Result run = shell("echo " + scene + " | $TAUT run - --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["scene"], "standard input");
  EXPECT_EQ(json::parse(run.out)["steps"], 10);
  for (const char* command : {"check -", "compare - --methods rattle"})
    EXPECT_EQ(shell("echo " + scene + " | $TAUT " + command).code, 0) << command;
  const Result wrong = shell("echo '{\"bodys\": []}' | $TAUT check -");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("standard input: "), std::string::npos) << wrong.err;
}

TEST(Cli, TheLastStepIsShortenedToEndAtTheDuration) {
  const Result result = taut({"run", "pendulum", "--step", "3", "--duration", "10"});
  EXPECT_NE(result.out.find("4 steps of 3 s, the last one shortened, 10 s simulated"),
            std::string::npos)
      << result.out;
  const Result huge = taut(
      {"compare", "pendulum", "--methods", "icd2", "--steps", "1e9", "--duration", "10", "--json"});
  EXPECT_EQ(json::parse(huge.out)["runs"][0]["time"], 10);
}

TEST(Cli, TheSummaryNamesTheWorstConstraint) {
  const Result result = taut({"run", "two_link", "--method", "post", "--duration", "1"});
  const json report =
      json::parse(taut({"run", "two_link", "--method", "post", "--duration", "1", "--json"}).out);
  const std::string worst = report["constraint_error"]["worst"];
  EXPECT_TRUE(worst == "link1" || worst == "link2") << worst;
  EXPECT_GT(report["constraint_error"]["worst_at"], 0);
  EXPECT_NE(result.out.find(" (" + worst + " at "), std::string::npos) << result.out;
}

TEST(Cli, AStartThatHadToBeMovedFarGetsAWarning) {
  const Scratch scratch;
  const auto scene = [&](const char* length) {
    return scratch.write(
        "rod.json",
        std::string(
            R"({"taut": 1, "bodies": [{"type": "particle", "name": "bob", "mass": 1, "position": [1, 0, 0]}],)"
            R"( "constraints": [{"type": "distance", "name": "rod", "a": [0, 0, 0], "b": "bob",)"
            R"( "length": )") +
            length + "}], \"simulation\": {\"duration\": 0.1}}");
  };
  const Result in_millimetres = taut({"run", scene("1000"), "--json"});
  EXPECT_NE(in_millimetres.err.find("taut: warning: "), std::string::npos) << in_millimetres.err;
  EXPECT_NE(in_millimetres.err.find("distance \"rod\" was violated most, by 999 m"),
            std::string::npos)
      << in_millimetres.err;
  EXPECT_EQ(json::parse(in_millimetres.out)["warnings"].size(), 1u);
  EXPECT_EQ(json::parse(in_millimetres.out)["activation"]["worst"], "rod");
  const Result nearly = taut({"run", scene("1.1"), "--json"});
  EXPECT_EQ(nearly.err, "");
  EXPECT_FALSE(json::parse(nearly.out).contains("warnings"));
}

/// Waits until there is something in the file.
void wait_for(const std::filesystem::path& file) {
  std::error_code no_throw;
  for (int i = 0; i < 1000; ++i) {
    if (std::filesystem::file_size(file, no_throw) > 0 && !no_throw) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(Cli, AKilledRunLeavesWhatItRecorded) {
  const Scratch scratch;
  const auto out = scratch / "out", recording = scratch / "a.taut";
  const Process process(
      {"run", "two_link", "--duration", "1000000", "--record-every", "100", "--error-bound", "1e9",
       "--out", out.string(), "--recording", recording.string(), "--frames-per-second", "0.1"},
      scratch);
  wait_for(out / "trajectory.csv.partial");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().code, 1000 + SIGKILL);
  for (const char* table : {"trajectory.csv", "forces.csv"}) {
    EXPECT_FALSE(std::filesystem::exists(out / table));
    const std::string text = file_text(out / (std::string(table) + ".partial"));
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 10) << table;
    EXPECT_TRUE(text.ends_with('\n'));
  }
  EXPECT_FALSE(std::filesystem::exists(recording));
  const Result opened = taut({"export", recording.string() + ".partial", "--to", "obj", "--out",
                              (scratch / "frames").string()});
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_NE(opened.out.find("unfinished"), std::string::npos) << opened.out;
  const Result missing =
      taut({"export", recording.string(), "--to", "obj", "--out", (scratch / "frames").string()});
  EXPECT_NE(missing.err.find("a.taut.partial"), std::string::npos) << missing.err;
}

TEST(Cli, AFullDiskKeepsWhatWasRecorded) {
  const Scratch scratch;
  const std::string out = (scratch / "out").string();
  const Result result =
      shell("ulimit -f 100; exec $TAUT run two_link --duration 100 --out '" + out + "'");
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_NE(
      result.err.find("cannot be written: File too large; what was recorded before is kept: "),
      std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(out + "/trajectory.csv.partial"), std::string::npos) << result.err;
  const std::string text = file_text(scratch / "out" / "trajectory.csv.partial");
  EXPECT_GT(text.size(), 40'000u);
  EXPECT_TRUE(text.ends_with('\n'));
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
