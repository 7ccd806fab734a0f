// The man page and the completion scripts, which are made from the parser's own description.
#include <gtest/gtest.h>

#include "cli/run_cli.hpp"

namespace taut::cli {
namespace {

bool has(const std::string& program) { return shell("command -v " + program).code == 0; }

TEST(ManPage, HasEveryCommandAndOption) {
  const Result page = taut({"man"});
  ASSERT_EQ(page.code, 0) << page.err;
  for (const char* text :
       {".TH TAUT 1", ".SH NAME", ".SH EXIT STATUS", ".SS taut run\n", ".SS taut stability map\n",
        "\\-\\-recorded\\-positions", "\\-\\-budget", "taut export flag.taut"})
    EXPECT_NE(page.out.find(text), std::string::npos) << text;
}

TEST(ManPage, RendersWithoutWarnings) {
  if (!has("groff")) GTEST_SKIP() << "there is no groff";
  const Result result = shell("$TAUT man | groff -k -man -Tutf8 -ww -z");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "");
  const Result text = shell("$TAUT man | groff -k -man -Tutf8 -P-cbou");  // without bold
  EXPECT_NE(text.out.find("--frames-per-second RATE"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("taut run two_link --method rattle"), std::string::npos);
}

TEST(ManPage, MandocFindsNothingWrong) {
  if (!has("mandoc")) GTEST_SKIP() << "there is no mandoc";
  const Result result = shell("$TAUT man | mandoc -T lint -W error");
  EXPECT_EQ(result.out + result.err, "");
}

/// What bash offers for a command line, of which the last word is being typed.
std::string completed(const std::string& words) {
  return shell("source <($TAUT completion bash)\nset -f\nCOMP_WORDS=(" + words +
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_taut\necho \"${COMPREPLY[*]}\"",
               "/bin/bash")
      .out;
}

TEST(Completion, OfBashKnowsCommandsOptionsAndValues) {
  if (!has("/bin/bash")) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(completed("taut ru"), "run\n");
  EXPECT_EQ(completed("taut stability m"), "map\n");
  EXPECT_EQ(completed("taut run two_l"), "two_link\n");
  EXPECT_EQ(completed("taut run arm6"), "arm6.urdf\n");
  EXPECT_EQ(completed("taut run two_link --record-"), "--record-every --record-interval\n");
  EXPECT_EQ(completed("taut run two_link --method implicit1 --du"), "--duration\n");
  EXPECT_EQ(completed("taut run two_link --method icd"), "icd icd2\n");
  EXPECT_EQ(completed("taut run two_link --solver ldlt_d"), "ldlt_dense\n");
  EXPECT_EQ(completed("taut compare two_link --methods rattle,icd"), "rattle,icd rattle,icd2\n");
  EXPECT_EQ(completed("taut run flag --frame-format ''"), "ply obj stl\n");
  EXPECT_EQ(completed("taut list cons"), "constraints\n");
  EXPECT_EQ(completed("taut run --out /de"), "/dev\n");
  EXPECT_EQ(completed("taut export /dev/nul"), "/dev/null\n");
}

TEST(Completion, ScriptsOfOtherShellsAreValid) {
  for (const std::string name : {"bash", "zsh", "fish"}) {
    const Result script = taut({"completion", name});
    EXPECT_EQ(script.code, 0);
    EXPECT_NE(script.out.find("recorded-positions"), std::string::npos);
    if (!has(name)) continue;
    const Result check =
        shell("$TAUT completion " + name + " > /tmp/taut_completion_$$ && " + name +
              " -n /tmp/taut_completion_$$; code=$?; " + "rm /tmp/taut_completion_$$; exit $code");
    EXPECT_EQ(check.code, 0) << name << ": " << check.err;
    EXPECT_EQ(check.err, "");
  }
  const Result unknown = taut({"completion", "csh"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("SHELL: found \"csh\""), std::string::npos) << unknown.err;
}

TEST(Completion, OfFishOffersScenes) {
  if (!has("fish")) GTEST_SKIP() << "there is no fish";
  const Result result = shell(
      "$TAUT completion fish > /tmp/taut_fish_$$; fish -c 'source "
      "/tmp/taut_fish_'$$'; complete -C \"taut run two_l\"; complete -C "
      "\"taut run two_link --meth\"; complete -C \"taut ru\"'; rm "
      "/tmp/taut_fish_$$");
  EXPECT_NE(result.out.find("two_link"), std::string::npos) << result.out << result.err;
  EXPECT_NE(result.out.find("--method"), std::string::npos) << result.out << result.err;
  EXPECT_NE(result.out.find("run\t"), std::string::npos) << result.out << result.err;
}

}  // namespace
}  // namespace taut::cli
