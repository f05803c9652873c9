// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "collections/one_process.h"
#include "collections/runtimes.h"

namespace parcast::collections {
namespace {

/// Thrown into threads that wait when another one has failed.
struct Stopped {};

struct Crew {
  explicit Crew(int size) : gatherings{Gathering(size), Gathering(size)} {}
  void fail(std::exception_ptr with) {
    const std::lock_guard hold(lock);
    if (!failure) failure = std::move(with);
    all_here.notify_all();
  }

  std::mutex lock;
  std::condition_variable all_here;
  Gathering gatherings[2];
  int held = 0;  // number of meetings that all have joined
  std::exception_ptr failure;
};

class Thread final : public OneProcess {
 public:
  Thread(Crew& crew, int rank, int size) : OneProcess(rank, size), crew_(crew) {}

  const std::byte* meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                        double&) final {
    std::unique_lock hold(crew_.lock);
    if (crew_.failure) throw Stopped();
    Gathering& gathering = crew_.gatherings[++meetings_ % 2];
    if (gathering.join(rank(), meeting, mine, finish, 0)) {
      gathering.finish();
      ++crew_.held;
      crew_.all_here.notify_all();
    }
    crew_.all_here.wait(hold, [&] { return crew_.held >= meetings_ || crew_.failure; });
    if (crew_.held < meetings_) throw Stopped();
    return gathering.table();
  }

 private:
  Crew& crew_;
  int meetings_ = 0;
};

void live(Crew& crew, int rank, int size, const Program& program, Recording* recording) {
  Thread thread(crew, rank, size);
  running = &thread;
  try {
    std::optional<Recorder> recorder;
    if (recording) recorder.emplace(*recording, rank, Recorder::Time::real);
    run_processor(thread, recorder ? &*recorder : nullptr, nullptr, program);
  } catch (const Stopped&) {
  } catch (...) {
    crew.fail(std::current_exception());
  }
  running = nullptr;
}

}  // namespace

void run_in_threads(int count, const Program& program, Recording* recording) {
  Crew crew(count);
  std::vector<std::thread> threads;
  try {
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back(live, std::ref(crew), rank, count, std::cref(program), recording);
  } catch (const std::system_error& error) {
    crew.fail(std::make_exception_ptr(Error(
        "thread " + std::to_string(threads.size()) + " of " + std::to_string(count) + " cannot be started (" +
        error.code().message() + "): use fewer, or --collections cooperative:" + std::to_string(count))));
  }
  for (std::thread& thread : threads) thread.join();
  if (crew.failure) std::rethrow_exception(crew.failure);
}

}  // namespace parcast::collections
