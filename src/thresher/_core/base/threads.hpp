// Threads that live as long as one call: nothing to fork, nothing left behind.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace thresher {

inline constexpr std::size_t kWorthThreads =
    10000;  // rows below which threads cost more than they gain

// work(i) for each i in 0 .. count-1 on up to n_threads threads, the caller's among them. The first
// exception is thrown again when all threads have stopped.
template <class Work>
void parallel_for(std::size_t count, int n_threads, Work work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  const std::size_t helpers =
      std::min<std::size_t>(count, static_cast<std::size_t>(std::max(1, n_threads)));
  try {
    for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

struct Interrupted {};  // thrown where work was asked to stop

// A question that the thread which made this alone may ask; once the answer was yes, it is yes for
// all threads.
class SharedStop {
 public:
  explicit SharedStop(const std::function<bool()>& ask) : ask_(ask) {}

  bool by_maker() const { return std::this_thread::get_id() == maker_; }
  bool operator()() {
    if (!stop_ && by_maker() && ask_()) stop_ = true;
    return stop_;
  }

 private:
  const std::function<bool()>& ask_;
  std::thread::id maker_ = std::this_thread::get_id();
  std::atomic<bool> stop_ = false;
};

// Splits [0, n) into blocks of at least `grain` and calls work(first, last) on each.
template <class Work>
void parallel_blocks(std::size_t n, std::size_t grain, int n_threads, Work work) {
  const std::size_t wanted = static_cast<std::size_t>(std::max(1, n_threads)) * 4;
  const std::size_t size = std::max(grain, (n + wanted - 1) / wanted);
  const std::size_t blocks = (n + size - 1) / size;
  parallel_for(blocks, n_threads,
               [&](std::size_t i) { work(i * size, std::min(n, (i + 1) * size)); });
}

}  // namespace thresher
