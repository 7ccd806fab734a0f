// Memory for what is needed while something is worked out, and given back all at once. What is
// worked out again and again takes nothing from the system, once there was room for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <vector>

namespace taut {

/// For std::pmr containers.
class ScratchMemory final : public std::pmr::memory_resource {
 public:
  /// When it ends, all of the memory is free again: nothing that uses it may be left.
  class Use {
   public:
    explicit Use(ScratchMemory& memory) : memory_(memory) {}
    ~Use() { memory_.end(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ScratchMemory& memory_;
  };

 private:
  void end() {
    if (needed_ > size_) {
      size_ = 2 * needed_;  // a little more, next time, needs no more
      memory_ = std::make_unique<std::byte[]>(size_);
    }
    needed_ = 0;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t first = (needed_ + alignment - 1) / alignment * alignment;
    needed_ = first + bytes;
    if (needed_ <= size_) return memory_.get() + first;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
    const auto* at = static_cast<const std::byte*>(place);
    const std::byte* begin = memory_.get();
    const bool is_mine = !std::less<>()(at, begin) && std::less<>()(at, begin + size_);
    if (!is_mine) std::pmr::new_delete_resource()->deallocate(place, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0, needed_ = 0;
};

/// Of values that are kept: what gets longer takes more than it needs.
template <class T>
void make_room(std::vector<T>& values, std::size_t count) {
  if (count > values.capacity()) values.reserve(2 * count);
}
template <class T>
void assign_with_room(std::vector<T>& values, std::size_t count, T value) {
  make_room(values, count);
  values.assign(count, value);
}

}  // namespace taut
