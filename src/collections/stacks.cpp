// SPDX-License-Identifier: Apache-2.0
#include "collections/stacks.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "collections/sanitizers.h"
#include "parcast/collections/error.h"

namespace parcast::collections {
namespace {

const Stacks* watched;
struct sigaction before;

/// Runs on a stack of its own. Other faults are those of the program: they go to the former handler.
void overflow(int signal, siginfo_t* info, void*) {
  const int processor = watched ? watched->guarded_by(info->si_addr) : -1;
  if (processor < 0) {
    sigaction(signal, &before, nullptr);
    return;
  }
  char text[160];
  const int length = std::snprintf(
      text, sizeof text,
      "processor %d needs more than its stack of %zu KiB: --collections cooperative:N,stack=%zuK\n",
      processor, watched->bytes() >> 10, watched->bytes() >> 8);
  const ssize_t ignored = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  static_cast<void>(ignored);
  _exit(1);
}

/// Begins to watch, or ends with null: then the program's own handler and its stack are in place again.
void watch(const Stacks* stacks) {
  static char stack_of_handler[64 * 1024];
  static stack_t stack_before;
  watched = stacks;
  if (!stacks) {
    sigaction(SIGSEGV, &before, nullptr);
    sigaltstack(&stack_before, nullptr);
    return;
  }
  stack_t stack{};
  stack.ss_sp = stack_of_handler;
  stack.ss_size = sizeof stack_of_handler;
  sigaltstack(&stack, &stack_before);
  struct sigaction action {};
  action.sa_sigaction = overflow;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before);
}

Error no_memory(int count, std::size_t bytes) {
  return Error("the stacks of " + std::to_string(count) + " processors, " + std::to_string(bytes >> 10) +
               " KiB each, do not fit into memory (" + std::strerror(errno) +
               "): use fewer processors or a smaller stack, --collections cooperative:N,stack=64K");
}

/// `guarded`: processors whose stacks have a guard. The program itself needs some mappings, too.
Error no_mappings(int count, int guarded) {
  constexpr int kOwn = 500;
  return Error("the kernel permits no more mappings of memory, and " + std::to_string(count) +
               " processors need two each: use at most " + std::to_string(std::max(1, guarded - kOwn)) +
               " processors, or raise its limit: sysctl vm.max_map_count=" + std::to_string(3 * count));
}

/// Bytes below a stack that must not be touched: the frame of a large local array reaches far below the
/// stack.
std::size_t guard_of(int count) {
  constexpr int kMany = 4096;  // stacks of which the guards take less room
  constexpr std::size_t kFew = std::size_t{1} << 20, kOfMany = std::size_t{1} << 16;
  return count <= kMany ? kFew : kOfMany;
}

}  // namespace

Stacks::Stacks(int count, std::size_t bytes) : count_(count), guard_(guard_of(count)) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  each_ = (bytes + page - 1) / page * page + guard_;
  void* memory = mmap(nullptr, each_ * static_cast<std::size_t>(count), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw no_memory(count, bytes);
  base_ = static_cast<char*>(memory);
  for (int i = 0; i < count; ++i)
    if (mprotect(base_ + each_ * static_cast<std::size_t>(i), guard_, PROT_NONE) != 0) {
      const Error error = no_mappings(count, i);
      munmap(base_, each_ * static_cast<std::size_t>(count));
      throw error;
    }
  watch(this);
}

Stacks::~Stacks() {
  watch(nullptr);
  forget_frames(base_, each_ * static_cast<std::size_t>(count_));
  munmap(base_, each_ * static_cast<std::size_t>(count_));
}

int Stacks::guarded_by(const void* address) const {
  const auto* at = static_cast<const char*>(address);
  if (at < base_ || at >= base_ + each_ * static_cast<std::size_t>(count_)) return -1;
  const auto place = static_cast<std::size_t>(at - base_);
  return place % each_ < guard_ ? static_cast<int>(place / each_) : -1;
}

}  // namespace parcast::collections
