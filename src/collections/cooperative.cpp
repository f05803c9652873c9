// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <exception>
#include <optional>

#include "collections/one_process.h"
#include "collections/runtimes.h"
#include "collections/sanitizers.h"
#include "collections/stacks.h"
#include "collections/watch.h"

namespace parcast::collections {
namespace {

namespace context = boost::context;

/// Thrown into processors that wait when another one has failed. It is no std::exception, so that programs
/// rarely catch it.
struct Stopped {};

/// The exceptions that a thread is handling (Itanium C++ ABI, __cxa_eh_globals). A fibre has its own.
struct Handling {
  void* caught = nullptr;
  unsigned uncaught = 0;
};
Handling& handling() {
  return *reinterpret_cast<Handling*>(abi::__cxa_get_globals());
}

/// The memory of a stack is not the allocator's.
struct NoAllocator {
  void deallocate(context::stack_context&) noexcept {}
};

class Scheduler;

class Fibre final : public OneProcess {
 public:
  Fibre(Scheduler& scheduler, int rank, int size, void* stack, std::size_t bytes)
      : OneProcess(rank, size), sanitized(stack, bytes), scheduler_(scheduler) {}
  const std::byte* meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                        double& clock) final;

  /// Lets the scheduler run until it resumes this fibre.
  void wait();

  SanitizedStack sanitized;
  Scheduler& scheduler_;
  context::fiber self, caller;  // `self` while it waits, `caller` while it runs
  Handling handling;
  std::optional<Recorder> recorder;
  int meetings = 0;
  bool is_over = false;
};

/// Runs all processors one after the other to their next meeting, again and again.
class Scheduler {
 public:
  Scheduler(int count, std::size_t stack, const Program& program, Recording* recording, Watch* watch)
      : stacks_(count, stack),
        gatherings_{Gathering(count), Gathering(count)},
        program_(program),
        recording_(recording),
        watch_(watch) {
    for (int rank = 0; rank < count; ++rank) {
      fibres_.push_back(std::make_unique<Fibre>(*this, rank, count, stacks_.top(rank), stacks_.bytes()));
      if (recording) fibres_.back()->recorder.emplace(*recording, rank, Recorder::Time::own);
    }
    for (const auto& fibre : fibres_) begin(*fibre);
  }

  void run() {
    while (!fibres_.back()->is_over && !failure_) pass();
    if (!failure_) return;
    for (const auto& fibre : fibres_)
      while (!fibre->is_over) resume(*fibre);
    std::rethrow_exception(failure_);
  }

  bool is_stopping() const { return failure_ != nullptr; }
  int held() const { return held_; }
  Gathering& gathering(int meeting) { return gatherings_[meeting % 2]; }

  SanitizedStack sanitized;  // of the thread

 private:
  void begin(Fibre& fibre) {
    context::stack_context stack;
    stack.size = stacks_.bytes();
    stack.sp = stacks_.top(fibre.rank());
    fibre.self = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                                NoAllocator{}, [this, &fibre](context::fiber&& caller) {
                                  fibre.caller = std::move(caller);
                                  fibre.sanitized.arrive_from(sanitized);
                                  if (!is_stopping()) live(fibre);
                                  fibre.is_over = true;
                                  fibre.sanitized.leave_for(sanitized, true);
                                  return std::move(fibre.caller);
                                });
  }

  void live(Fibre& fibre) {
    try {
      run_processor(fibre, fibre.recorder ? &*fibre.recorder : nullptr, watch_, program_);
    } catch (const Stopped&) {
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void pass() {
    for (const auto& fibre : fibres_) {
      resume(*fibre);
      if (failure_) return;
    }
    if (fibres_.front()->is_over) return;
    try {
      gathering(fibres_.front()->meetings).finish();
      ++held_;
      if (watch_) watch_->meet();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void resume(Fibre& fibre) {
    running = &fibre;
    const Handling own = std::exchange(handling(), fibre.handling);
    sanitized.leave_for(fibre.sanitized);
    fibre.self = std::move(fibre.self).resume();
    sanitized.arrive_from(fibre.sanitized);
    fibre.handling = std::exchange(handling(), own);
    running = nullptr;
  }

  Stacks stacks_;
  Gathering gatherings_[2];
  const Program& program_;
  Recording* recording_;
  Watch* watch_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  int held_ = 0;  // number of meetings that all have joined
  std::exception_ptr failure_;
};

void Fibre::wait() {
  sanitized.leave_for(scheduler_.sanitized);
  caller = std::move(caller).resume();
  sanitized.arrive_from(scheduler_.sanitized);
}

const std::byte* Fibre::meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                             double& clock) {
  if (scheduler_.is_stopping()) throw Stopped();
  Gathering& gathering = scheduler_.gathering(++meetings);
  gathering.join(rank(), meeting, mine, finish, clock);
  wait();
  if (scheduler_.held() < meetings) throw Stopped();
  clock = gathering.latest();
  return gathering.table();
}

}  // namespace

void run_cooperatively(int count, std::size_t stack, const Program& program, Recording* recording,
                       Watch* watch) {
  Scheduler(count, stack, program, recording, watch).run();
}

}  // namespace parcast::collections
