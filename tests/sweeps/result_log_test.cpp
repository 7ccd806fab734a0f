#include "taut/sweep/result_log.hpp"

#include <gtest/gtest.h>

#include "io/scratch_folder.hpp"
#include "io/small_disk.hpp"
#include "support/messages.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::sweep {
namespace {

using testing::has_all;
using testing::message_of;

struct ResultLogFile : io::ScratchFolder {};

// Killed at any byte, it has the results that were written whole, and goes on after them.
TEST_F(ResultLogFile, KeepsWhatWasWrittenWhole) {
  const auto path = folder_ / "log";
  std::vector<std::size_t> ends;  // of the lines
  {
    ResultLog log(path, "a job");
    ends.push_back(content(path).size());
    for (long i = 0; i < 3; ++i) {
      log.add(10 - i, "ok,\"value, " + std::to_string(i) + "\"");
      ends.push_back(content(path).size());
    }
  }
  const std::string whole = content(path);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write("log", whole.substr(0, size));
    ResultLog log(path, "a job");
    const auto lines =
        std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= size; });
    ASSERT_EQ(log.results().size(), static_cast<std::size_t>(std::max(0L, lines - 1))) << size;
    log.add(99, "more");
    EXPECT_TRUE(content(path).ends_with("99 more\n")) << size;
  }
}

TEST_F(ResultLogFile, LosesNoOthersFile) {
  for (const std::string text :
       {"case,R\n1,2\n", "x", "\n", "0123456789abcdef a job\n", "no result at all"}) {
    const auto path = write("other", text);
    EXPECT_TRUE(has_all(message_of([&] { ResultLog log(path, "a job"); }), "other|--out")) << text;
    EXPECT_EQ(content(path), text);
  }
  const auto path = folder_ / "log";
  { ResultLog log(path, "a job"); }
  const std::string before = content(path);
  EXPECT_TRUE(
      has_all(message_of([&] { ResultLog log(path, "another job"); }), "log|other arguments"));
  EXPECT_EQ(content(path), before);
}

TEST_F(ResultLogFile, IsWrittenByOneAtATime) {
  ResultLog log(folder_ / "log", "a job");
  EXPECT_TRUE(
      has_all(message_of([&] { ResultLog other(folder_ / "log", "a job"); }), "another process"));
}

TEST_F(ResultLogFile, FullDiskIsTold) {
  const auto path = folder_ / "log";
  {
    const io::SmallDisk disk(200);
    ResultLog log(path, "a job");
    EXPECT_THROW(for (long i = 0; i < 100; ++i) log.add(i, "some text"), io::WriteError);
  }
  ResultLog log(path, "a job");
  EXPECT_GT(log.results().size(), 2u);
  EXPECT_LT(log.results().size(), 10u);
}

}  // namespace
}  // namespace taut::sweep
