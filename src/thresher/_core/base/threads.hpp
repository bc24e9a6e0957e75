// Threads that live as long as one call: nothing to fork, nothing left behind.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace thresher {

inline constexpr std::size_t kWorthThreads =
    10000;  // rows below which threads cost more than they gain
inline constexpr std::size_t kMaxThreads = 256;

// How many threads are worth having for `count` pieces of work: one at least, whatever was asked.
inline std::size_t thread_count(std::size_t count, int wanted) {
  const std::size_t most = std::clamp<std::size_t>(count, 1, kMaxThreads);
  return std::min(most, static_cast<std::size_t>(std::max(1, wanted)));
}

// The storage of a thread's exceptions is made when it is first asked for, and where memory has run
// out by then, the C library ends the process. Asks for it now; false where there is no memory.
inline bool prepare_exceptions() {
  constexpr std::size_t plenty = 4096;          // bytes; the storage has less than a hundred
  void* volatile memory = std::malloc(plenty);  // volatile: compilers leave out calls without use
  if (!memory) return false;
  std::free(memory);
  [[maybe_unused]] volatile int asked = std::uncaught_exceptions();
  return true;
}

// Threads beside the caller's that are joined on every way out.
class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Starts up to `count` threads; where the system gives no more, those that there are will do.
  template <class Run>
  void start(std::size_t count, const Run& run) {
    try {
      threads_.reserve(count);
      while (threads_.size() < count) {
        threads_.emplace_back([this, &run] {
          if (prepare_exceptions()) run();  // else the others do the work
          const std::lock_guard lock(mutex_);
          ++finished_;
          changed_.notify_one();
        });
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  // Waits for all of them, and calls attend() now and then.
  template <class Attend>
  void wait(Attend attend) {
    std::unique_lock lock(mutex_);
    const auto all = [this] { return finished_ == threads_.size(); };
    while (!changed_.wait_for(lock, kAttention, all)) {
      lock.unlock();
      attend();
      lock.lock();
    }
  }

 private:
  static constexpr std::chrono::milliseconds kAttention{50};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t finished_ = 0;
  std::vector<std::thread> threads_;
};

struct Interrupted {};  // thrown where work was asked to stop

// work(i) for each i in 0 .. count-1 on up to n_threads threads, the caller's among them, which
// calls attend() now and then while it waits for the others. The first exception is thrown again
// when all threads have stopped; an interruption only where there is no other, which may have led
// to it.
template <class Work, class Attend>
void parallel_for(std::size_t count, int n_threads, Work work, Attend attend) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::atomic<bool> interrupted = false;
  std::mutex failing;
  const auto guard = [&](const auto& call) {
    try {
      call();
    } catch (const Interrupted&) {
      interrupted = true;
      next = count;
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const auto run = [&] {
    guard([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  };
  {
    Crew crew;
    crew.start(thread_count(count, n_threads) - 1, run);
    run();
    crew.wait([&] { guard(attend); });
  }
  if (failure) std::rethrow_exception(failure);
  if (interrupted) throw Interrupted{};
}
template <class Work>
void parallel_for(std::size_t count, int n_threads, Work work) {
  parallel_for(count, n_threads, work, [] {});
}

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

  // Lets the other threads stop too where a call fails.
  template <class Call>
  void guard(const Call& call) {
    try {
      call();
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

 private:
  const std::function<bool()>& ask_;
  std::thread::id maker_ = std::this_thread::get_id();
  std::atomic<bool> stop_ = false;
};

// Splits [0, n) into blocks of at least `grain` and calls work(first, last) on each.
template <class Work>
void parallel_blocks(std::size_t n, std::size_t grain, int n_threads, Work work) {
  const std::size_t wanted = 4 * thread_count(n, n_threads);
  const std::size_t size = std::max(grain, (n + wanted - 1) / wanted);
  const std::size_t blocks = (n + size - 1) / size;
  parallel_for(blocks, n_threads,
               [&](std::size_t i) { work(i * size, std::min(n, (i + 1) * size)); });
}

}  // namespace thresher
