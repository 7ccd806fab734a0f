#pragma once

#include <poll.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taut/farm/connection_internal.hpp"
#include "taut/farm/fleet.hpp"

namespace taut::farm {

struct Fleet::Impl {
  bool is_leader = true;
  int processes = 0;
  std::string address;  // token, port and the names of this machine
  std::string token;

  // Of the leader:
  int listener = -1;
  struct Follower {
    Connection connection;
    int slots = 0;  // 0: it has not said who it is
    std::vector<long> numbers;
  };
  std::vector<Follower> followers;

  ~Impl();
  void listen();
  void add_to(std::vector<pollfd>& waiting) const;
  /// Somebody who has room; nullptr: nobody.
  Follower* with_room();
  /// Takes in newcomers, and what the others have sent. Appends what is done, and the numbers of
  /// those who are gone.
  void attend(std::vector<Result>& results, std::vector<long>& lost);
};

}  // namespace taut::farm
