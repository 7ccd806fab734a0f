#include "taut/base/share.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

#include "taut/base/crew.hpp"
#include "taut/base/parallel.hpp"

namespace taut {

int share_count() {
  static const int count = std::min(core_count(), 8);
  return count;
}

void detail::share_parts(int count, SharedWork work, const void* what) {
  if (share_count() == 1) return work(what, 0, count);
  static Crew crew(share_count());
  static std::mutex in_use;
  std::exception_ptr failure;
  std::mutex failing;
  const auto part = [&](int i) noexcept {
    const auto bound = [&](int k) {
      return static_cast<int>(static_cast<long>(count) * k / share_count());
    };
    try {
      work(what, bound(i), bound(i + 1));
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  if (const std::unique_lock lock(in_use, std::try_to_lock); lock) {
    crew.run(part);
  } else {
    for (int i = 0; i < share_count(); ++i) part(i);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace taut
