// One loop on all cores, where it is long enough.
#pragma once

namespace taut {
namespace detail {

using SharedWork = void (*)(const void* what, int begin, int end);
void share_parts(int count, SharedWork work, const void* what);

}  // namespace detail

/// How many parts share() makes: as many as there are cores, at most 8.
int share_count();

/// Calls work(begin, end) for the whole of [0, count), or, from `least` on, for share_count() parts
/// of it at the same time; each must leave alone what is another's. The parts are the same whether
/// cores are free or not: while another thread shares its work, this one does all of its own. The
/// first exception is thrown here.
template <class Work>
void share(int count, int least, const Work& work) {
  if (count < least) {
    work(0, count);
    return;
  }
  detail::share_parts(
      count,
      [](const void* what, int begin, int end) { (*static_cast<const Work*>(what))(begin, end); },
      &work);
}

}  // namespace taut
