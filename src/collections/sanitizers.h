// SPDX-License-Identifier: Apache-2.0
#pragma once
// Announces switches of fibres to the address and thread sanitizers (sanitizer/common_interface_defs.h,
// sanitizer/tsan_interface.h). Without a sanitizer all of it is empty.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace parcast::collections {

/// A stack that runs from time to time.
class SanitizedStack {
 public:
#if defined(__SANITIZE_ADDRESS__)
  SanitizedStack() = default;
  SanitizedStack(void* top, std::size_t bytes) : bottom_(static_cast<char*>(top) - bytes), bytes_(bytes) {}
  /// Before a switch from this stack to another one. `is_last`: this one never runs again.
  void leave_for(const SanitizedStack& other, bool is_last = false) {
    __sanitizer_start_switch_fiber(is_last ? nullptr : &frames_, other.bottom_, other.bytes_);
  }
  /// After a switch to this stack.
  void arrive_from(SanitizedStack& other) {
    __sanitizer_finish_switch_fiber(frames_, &other.bottom_, &other.bytes_);
  }

 private:
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  void* frames_ = nullptr;
#elif defined(__SANITIZE_THREAD__)
  SanitizedStack() : fibre_(__tsan_get_current_fiber()) {}
  SanitizedStack(void*, std::size_t) : fibre_(__tsan_create_fiber(0)), is_own_(true) {}
  ~SanitizedStack() {
    if (is_own_) __tsan_destroy_fiber(fibre_);
  }
  SanitizedStack(const SanitizedStack&) = delete;
  SanitizedStack& operator=(const SanitizedStack&) = delete;
  void leave_for(const SanitizedStack& other, bool = false) {
    __tsan_switch_to_fiber(other.fibre_, 0);
  }
  void arrive_from(SanitizedStack&) {}

 private:
  void* fibre_;
  bool is_own_ = false;
#else
  SanitizedStack() = default;
  SanitizedStack(void*, std::size_t) {}
  void leave_for(const SanitizedStack&, bool = false) {}
  void arrive_from(SanitizedStack&) {}
#endif
};

/// Before memory of stacks is given back: what a sanitizer noted of their frames is not of the memory's next
/// owner.
inline void forget_frames([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

}  // namespace parcast::collections
