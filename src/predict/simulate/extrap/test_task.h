// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a coroutine that others may await. A rank of the plain interpreter is one.

#include <coroutine>
#include <cstdlib>
#include <utility>

namespace parcast::simulate::extrap::reference {

/// A part of a rank's activity; others may await its end.
struct Task {
  struct promise_type {
    std::coroutine_handle<> waits;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Return {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          return ended.promise().waits ? ended.promise().waits : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Return{};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  explicit Task(std::coroutine_handle<promise_type> of) : handle(of) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    return handle.promise().waits = caller, handle;
  }
  void await_resume() const {}
  std::coroutine_handle<promise_type> handle;
};

}  // namespace parcast::simulate::extrap::reference
