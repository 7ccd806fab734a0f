#include "taut/record/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "taut/base/archive.hpp"
#include "taut/base/build_identity.hpp"
#include "taut/base/checksum.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {

void archive(Archive& a, FileRead& file) { a(file.path, file.sum); }

namespace {

constexpr std::string_view magic = "TAUTCKPT";
constexpr std::uint32_t format_version = 2;
constexpr std::size_t journal_buffer = 1 << 20;

[[noreturn]] void refuse_file(const std::filesystem::path& path, std::string_view why) {
  throw Error(fmt::format("{}: {}", shown_file(path.string()), why));
}

/// Reading, only by what computes the same bits.
void archive_identity(Archive& a, const std::filesystem::path& path) {
  std::string build = build_identity(), kernels = kernel_identity();
  a(build, kernels);
  if (build != build_identity())
    refuse_file(path, fmt::format("was written by another build of taut ({}), and this is {}: only "
                                  "the same one goes on bit for bit",
                                  build, build_identity()));
  if (kernels != kernel_identity())
    refuse_file(path, fmt::format("was written on another kind of processor or system ({}), and "
                                  "this is {}: results would differ in their last digits",
                                  kernels, kernel_identity()));
}

std::string raw_bytes(std::uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// What is between the magic word and the checksum. Throws Error for what is no whole checkpoint.
std::string whole_content(const std::filesystem::path& path) {
  std::string text =
      read_text(path.string(), "a checkpoint", std::numeric_limits<std::size_t>::max());
  if (!text.starts_with(magic)) refuse_file(path, "is no checkpoint of a run");
  std::uint64_t told = 0;
  std::uint32_t written_as = 0;
  if (text.size() < magic.size() + sizeof written_as + sizeof told)
    refuse_file(path, "the checkpoint is damaged: it ends too early");
  std::memcpy(&told, text.data() + text.size() - sizeof told, sizeof told);
  text.resize(text.size() - sizeof told);
  if (told != checksum(text))
    refuse_file(path, "the checkpoint is damaged: its checksum is another one");
  std::memcpy(&written_as, text.data() + magic.size(), sizeof written_as);
  if (written_as != format_version)
    refuse_file(path, fmt::format("is a checkpoint of version {}, expected {}", written_as,
                                  format_version));
  return text.substr(magic.size() + sizeof written_as);
}

std::string with_frame(const std::string& content) {
  std::string text(magic);
  text.append(reinterpret_cast<const char*>(&format_version), sizeof format_version);
  text += content;
  return text + raw_bytes(checksum(text));
}

std::filesystem::path journal_name(std::filesystem::path path) { return path += ".journal"; }

}  // namespace

struct CheckpointFile::Impl {
  std::filesystem::path path;
  CheckpointJob job;
  std::string run;  // as it was read
  // The journal: what of it is on disk, and belongs to the checkpoint in FILE or to the next one.
  int journal = -1;
  std::string buffer;
  std::uint64_t length = 0;
  std::uint64_t sum = 0;  // of all entries, in order: a journal of another run has another
  // Of reading:
  std::uint64_t saved_length = 0, saved_sum = 0, read = 0;
  std::string read_buffer;

  ~Impl() {
    if (journal >= 0) ::close(journal);
  }

  [[noreturn]] void fail(int error) const {
    throw WriteError(fmt::format("{}: no checkpoint can be written: {}", shown_file(path.string()),
                                 std::strerror(error)));
  }
  [[noreturn]] void refuse(std::string_view why) const { refuse_file(path, why); }

  void open_journal() {
    if (journal >= 0) return;
    journal = ::open(journal_name(path).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal < 0) fail(errno);
    if (::flock(journal, LOCK_EX | LOCK_NB) != 0)
      throw WriteError(fmt::format("{}: another run keeps its checkpoints there now",
                                   shown_file(path.string())));
  }

  /// What follows is a part of the journal that has been saved.
  void begin_to_write() {
    open_journal();
    if (::ftruncate(journal, static_cast<off_t>(length)) != 0) fail(errno);
  }

  void flush() {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t written = ::pwrite(journal, buffer.data() + done, buffer.size() - done,
                                       static_cast<off_t>(length + done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      done += static_cast<std::size_t>(written);
    }
    length += buffer.size();
    buffer.clear();
  }

  void replace_file(const std::string& text) const;

  void archive_all(Archive& a) {
    archive_identity(a, path);
    a(job.words, job.folder, job.files, saved_length, saved_sum);
  }
};

CheckpointFile::CheckpointFile(std::filesystem::path path, CheckpointJob job)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = std::filesystem::absolute(path);
  impl_->job = std::move(job);
  require_replaceable(impl_->path);
  require_replaceable(journal_name(impl_->path));
  // A checkpoint of another run would not fit the journal of this one.
  impl_->open_journal();
  ::unlink(impl_->path.c_str());
  impl_->begin_to_write();
}

CheckpointFile::CheckpointFile(std::filesystem::path path) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::filesystem::absolute(path);
  const std::string content = whole_content(impl_->path);
  Archive a(content);
  impl_->archive_all(a);
  a(impl_->run);
  impl_->open_journal();
}

CheckpointFile::~CheckpointFile() = default;

const CheckpointJob& CheckpointFile::job() const { return impl_->job; }
const std::filesystem::path& CheckpointFile::path() const { return impl_->path; }

void CheckpointFile::require_same(const std::vector<FileRead>& files) const {
  const std::vector<FileRead>& before = impl_->job.files;
  for (std::size_t i = 0; i < std::max(before.size(), files.size()); ++i) {
    if (i < before.size() && i < files.size() && before[i] == files[i]) continue;
    impl_->refuse(fmt::format(
        "the scene has changed since the checkpoint was written ({}): a run that goes on must have "
        "the one it was begun with",
        shown_file(i < files.size() ? files[i].path : before[i].path)));
  }
}

std::string CheckpointFile::saved() { return std::move(impl_->run); }

bool CheckpointFile::next(std::string& entry) {
  Impl& to = *impl_;
  const auto fill = [&](std::size_t wanted) {
    while (to.read_buffer.size() < wanted && to.read < to.saved_length) {
      char block[1 << 16];
      const std::size_t most = std::min<std::uint64_t>(sizeof block, to.saved_length - to.read);
      const ssize_t got = ::pread(to.journal, block, most, static_cast<off_t>(to.read));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) to.refuse("its journal is damaged: it ends too early");
      to.read_buffer.append(block, static_cast<std::size_t>(got));
      to.read += static_cast<std::uint64_t>(got);
    }
    return to.read_buffer.size() >= wanted;
  };
  std::uint64_t size = 0;
  if (!fill(sizeof size)) {
    if (to.sum != to.saved_sum) to.refuse("its journal is not the one that it was written with");
    // All of it: the run goes on from here.
    to.length = to.saved_length;
    to.begin_to_write();
    return false;
  }
  std::memcpy(&size, to.read_buffer.data(), sizeof size);
  std::uint64_t told = 0;
  if (size > to.saved_length || !fill(sizeof size + size + sizeof told))
    to.refuse("its journal is damaged: it ends too early");
  entry = to.read_buffer.substr(sizeof size, size);
  std::memcpy(&told, to.read_buffer.data() + sizeof size + size, sizeof told);
  if (told != checksum(entry)) to.refuse("its journal is damaged: a checksum is another one");
  to.sum = checksum(entry, to.sum);
  to.read_buffer.erase(0, sizeof size + size + sizeof told);
  return true;
}

void CheckpointFile::add(std::string_view entry) {
  const std::uint64_t size = entry.size(), sum = checksum(entry);
  impl_->buffer.append(reinterpret_cast<const char*>(&size), sizeof size);
  impl_->buffer += entry;
  impl_->buffer.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  impl_->sum = checksum(entry, impl_->sum);
  if (impl_->buffer.size() > journal_buffer) impl_->flush();
}

void CheckpointFile::save(std::string_view run) {
  Impl& to = *impl_;
  to.flush();
  if (::fdatasync(to.journal) != 0) to.fail(errno);
  to.saved_length = to.length;
  to.saved_sum = to.sum;
  Archive a;
  to.archive_all(a);
  to.replace_file(with_frame(a.take() + raw_bytes(run.size()) + std::string(run)));
}

// Always under the same other name, so that however often a run is killed, nothing piles up. The
// lock of the journal keeps others away.
void CheckpointFile::Impl::replace_file(const std::string& text) const {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(errno);
  std::size_t done = 0;
  int error = 0;
  while (done < text.size() && error == 0) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) error = errno;
  }
  if (error == 0 && ::fsync(file) != 0) error = errno;
  ::close(file);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(error);
  }
  // So that the new name, too, is there after a power cut.
  const int folder = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void CheckpointFile::remove() {
  ::unlink(impl_->path.c_str());
  ::unlink(journal_name(impl_->path).c_str());
}

void write_saved_run(const std::filesystem::path& path, const std::string& what,
                     const std::string& run) {
  Archive a;
  archive_identity(a, path);
  std::string kind = what, bytes = run;
  a(kind, bytes);
  WholeFile file(path);
  file.write(with_frame(a.take()));
  file.finish();
}

std::string read_saved_run(const std::filesystem::path& path, const std::string& what) {
  const std::string content = whole_content(path);
  Archive a(content);
  archive_identity(a, path);
  std::string kind, bytes;
  a(kind, bytes);
  if (kind != what)
    refuse_file(path, fmt::format("is of another simulation ({}), and this is {}", kind, what));
  return bytes;
}

}  // namespace taut::io
