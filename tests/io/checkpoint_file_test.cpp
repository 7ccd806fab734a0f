#include "taut/record/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include "io/scratch_folder.hpp"
#include "io/small_disk.hpp"
#include "support/messages.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

using testing::has_all;
using testing::message_of;

struct CheckpointFiles : ScratchFolder {
  std::filesystem::path path() const { return folder_ / "c"; }
  std::filesystem::path journal() const { return folder_ / "c.journal"; }
  CheckpointJob job() const { return {{"run", "two_link"}, folder_.string(), {}}; }
  /// A run with a checkpoint after two entries, and one more after that.
  void write_some(const std::string& name = "") const {
    CheckpointFile file(path(), job());
    file.add("first" + name);
    file.add("second" + name);
    file.save("a run" + name);
    file.add("third" + name);
  }
  /// What is there to go on with, in words; what is wrong throws.
  std::string read() const {
    CheckpointFile file(path());
    std::string all = file.saved(), entry;
    while (file.next(entry)) all += "," + entry;
    return all;
  }
};

TEST_F(CheckpointFiles, GoOnAfterTheLastOne) {
  write_some();
  EXPECT_EQ(read(), "a run,first,second");
  CheckpointFile file(path());
  EXPECT_EQ(file.job().words, job().words);
  for (std::string entry; file.next(entry);) {
  }
  file.add("another third");
  file.save("later");
  file.remove();
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(CheckpointFiles, DamagedAtAnyByteAreRefused) {
  write_some();
  const std::string whole = content(path());
  const auto expect_refused = [&](const std::string& bytes, std::size_t at) {
    write("c", bytes);
    EXPECT_THROW(read(), Error) << at << " of " << whole.size();
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    expect_refused(whole.substr(0, i), i);
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    expect_refused(bytes, i);
  }
  expect_refused(whole + "x", whole.size());
  write("c", whole);
  EXPECT_EQ(read(), "a run,first,second");
}

TEST_F(CheckpointFiles, DamagedJournalsAreRefused) {
  write_some();
  const std::string whole = content(journal());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    write("c.journal", whole.substr(0, i));
    EXPECT_THROW(read(), Error) << i << " of " << whole.size();
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    write("c.journal", bytes);
    EXPECT_THROW(read(), Error) << i << " of " << whole.size();
  }
  std::filesystem::remove(journal());
  EXPECT_THROW(read(), Error);
  write("c.journal", whole);
  EXPECT_EQ(read(), "a run,first,second");
}

// One of the same length, whole in itself.
TEST_F(CheckpointFiles, AnotherRunsJournalIsRefused) {
  write_some("A");
  const std::string other = content(journal());
  write_some("B");
  write("c.journal", other);
  EXPECT_TRUE(has_all(message_of([&] { read(); }), "c|journal"));
}

TEST_F(CheckpointFiles, OfAnotherVersionAreRefused) {
  write_some();
  std::string bytes = content(path());
  ++bytes[8];
  write("c", bytes);
  EXPECT_THROW(read(), Error);  // by its checksum
}

TEST_F(CheckpointFiles, FullDiskKeepsTheLastOne) {
  CheckpointFile file(path(), job());
  file.add("entry");
  file.save("a run");
  {
    const SmallDisk disk(400);
    EXPECT_THROW(file.save(std::string(1000, 'x')), WriteError);
  }
  EXPECT_EQ(file_count(), 2u);  // and nothing besides
  file.save("again");
}

TEST_F(CheckpointFiles, OneRunAtATime) {
  CheckpointFile file(path(), job());
  EXPECT_THROW(CheckpointFile(path(), job()), Error);
  file.save("a run");
  EXPECT_THROW(CheckpointFile{path()}, Error);
}

TEST_F(CheckpointFiles, FoldersThatCannotBeWrittenAreTold) {
  EXPECT_THROW(CheckpointFile("/proc/nowhere/c", job()), Error);
  EXPECT_THROW(CheckpointFile(folder_, job()), Error);
}

}  // namespace
}  // namespace taut::io
