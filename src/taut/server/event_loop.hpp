// One thread that waits for sockets, and a few that do what takes long.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace taut::server {

/// Tasks in the order of their coming, on a few threads.
class Workers {
 public:
  explicit Workers(int count);
  ~Workers() { finish(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(std::function<void()> task);
  /// Does what is left to do, and ends the threads. What comes later is done at once.
  void finish();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable is_something_;
  std::deque<std::function<void()>> tasks_;
  bool has_ended_ = false;
  std::vector<std::thread> threads_;
};

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }

  int number() const { return number_; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }
  void close();

 private:
  int number_;
};

/// Something with a socket. Everything is called by the loop, on its thread.
class Watched {
 public:
  virtual ~Watched() = default;
  /// −1: it has ended, and is let go.
  virtual int descriptor() const = 0;
  virtual bool wants_to_read() const = 0;
  virtual bool wants_to_write() const = 0;
  virtual void read() = 0;
  virtual void write() = 0;
  /// Every few ms.
  virtual void tick() {}
};

class EventLoop {
 public:
  EventLoop();

  void add(std::shared_ptr<Watched> watched) { watched_.push_back(std::move(watched)); }
  /// Waits until stop().
  void run();
  /// Lets go of everything; not beside run().
  void clear();
  /// From any thread.
  void post(std::function<void()> task);
  void stop();

 private:
  void wake();
  void do_tasks();

  Descriptor wake_read_, wake_write_;  // of a pipe
  std::vector<std::shared_ptr<Watched>> watched_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::function<void()>> tasks_;
  bool has_stopped_ = false;
};

}  // namespace taut::server
