#include "taut/farm/farm.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <deque>
#include <map>

#include "taut/farm/fleet_internal.hpp"
#include "taut/farm/processes_internal.hpp"

namespace taut::farm {
namespace {

constexpr int most_tries = 3;  // of a number whose machine vanishes each time

}  // namespace

int core_count() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

bool work_through(std::span<const long> numbers, const Work& work,
                  const std::function<void(const Result&)>& done, const Options& options) {
  const int here = options.processes > 0 ? options.processes
                   : options.fleet       ? 1  // mpirun has started as many as there are to be
                                         : core_count();
  std::deque<long> waiting_numbers(numbers.begin(), numbers.end());
  std::map<long, int> lost_before;
  Processes children(work, here);
  Fleet::Impl* fleet = options.fleet ? &options.fleet->impl() : nullptr;
  for (std::size_t left = numbers.size(); left > 0;) {
    if (options.keep_going && !options.keep_going()) return false;
    while (!waiting_numbers.empty() && children.has_room()) {
      children.start(waiting_numbers.front());
      waiting_numbers.pop_front();
    }
    while (fleet && !waiting_numbers.empty()) {
      Fleet::Impl::Follower* follower = fleet->with_room();
      if (!follower) break;
      const long number = waiting_numbers.front();
      follower->numbers.push_back(number);
      waiting_numbers.pop_front();
      // Where it is gone, attend() finds out.
      follower->connection.send('w' + std::to_string(number) + ' ');
    }
    std::vector<pollfd> waiting;
    children.add_to(waiting);
    if (fleet) fleet->add_to(waiting);
    ::poll(waiting.data(), waiting.size(), 200);
    std::vector<Result> results = children.ended();
    std::vector<long> lost;
    if (fleet) fleet->attend(results, lost);
    for (const long number : lost) {
      if (++lost_before[number] < most_tries)
        waiting_numbers.push_front(number);
      else
        results.push_back({number, false, "the process that did it vanished, three times"});
    }
    for (const Result& result : results) done(result);
    left -= results.size();
  }
  return true;
}

}  // namespace taut::farm
