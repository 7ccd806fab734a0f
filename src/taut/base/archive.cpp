#include "taut/base/archive.hpp"

#include <cstdint>
#include <cstring>

#include "taut/base/error.hpp"

namespace taut {
namespace {

[[noreturn]] void refuse() { throw Error("the checkpoint is damaged: it ends too early"); }

}  // namespace

void Archive::raw(void* data, std::size_t size) {
  if (size == 0) return;
  if (!is_reading_) {
    written_.append(static_cast<const char*>(data), size);
    return;
  }
  if (size > from_.size()) refuse();
  std::memcpy(data, from_.data(), size);
  from_.remove_prefix(size);
}

std::size_t Archive::count(std::size_t mine, std::size_t least_size) {
  std::uint64_t number = mine;
  raw(&number, sizeof number);
  if (is_reading_ && number > from_.size() / least_size) refuse();
  return static_cast<std::size_t>(number);
}

}  // namespace taut
