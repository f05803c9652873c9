// SPDX-License-Identifier: Apache-2.0
// Calls with known call paths: each MPI_Bcast sends COUNT integers; the test identifies the path by COUNT.
#include <alloca.h>
#include <mpi.h>
#include <pthread.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "parcast/parcast.h"

#define APART __attribute__((noinline, noclone))
#define STAY asm volatile("" ::: "memory")  // prevents a tail call

static int room[256];

extern "C" APART void exchange(int count) {
  MPI_Bcast(room, count, MPI_INT, 0, MPI_COMM_WORLD);
  STAY;
}

// Two callers with the same frame call the same helper: the stack pointer does not distinguish them.
extern "C" APART void left(int count) {
  exchange(count);
  STAY;
}
extern "C" APART void right(int count) {
  exchange(count);
  STAY;
}

// The depth of the stack below depends on the size; previous contents there stay unchanged.
extern "C" APART void varying(int count, std::size_t bytes) {
  volatile char* room_of_its_own = static_cast<volatile char*>(alloca(bytes));
  asm volatile("" ::"r"(room_of_its_own) : "memory");
  exchange(count);
  STAY;
}
extern "C" APART void outer_one(int count, std::size_t bytes) {
  varying(count, bytes);
  STAY;
}
extern "C" APART void outer_two(int count, std::size_t bytes) {
  volatile char padding[64];
  asm volatile("" ::"r"(padding) : "memory");
  varying(count, bytes);
  STAY;
}

// An aligned frame with arguments on the stack: its return address is found by a separate rule.
extern "C" APART void aligned(int count, int, int, int, int, int, int, int eighth) {
  alignas(64) volatile char block[64];
  asm volatile("" ::"r"(block), "r"(eighth) : "memory");
  exchange(count);
  STAY;
}
extern "C" APART void aligned_varying(int count, std::size_t bytes) {
  alignas(64) volatile char block[64];
  volatile char* more = static_cast<volatile char*>(alloca(bytes));
  asm volatile("" ::"r"(block), "r"(more) : "memory");
  exchange(count);
  STAY;
}

extern "C" APART void recursive(int count, int depth) {
  if (depth > 0) recursive(count, depth - 1);
  else exchange(count);
  STAY;
}
extern "C" APART void odd(int count, int depth);
extern "C" APART void even(int count, int depth) {
  if (depth > 0) odd(count, depth - 1);
  else exchange(count);
  STAY;
}
extern "C" APART void odd(int count, int depth) {
  even(count, depth - 1);
  STAY;
}

namespace model {
struct Solver {
  virtual ~Solver() = default;
  virtual void step(int count) = 0;
};
struct Implicit : Solver {
  void step(int count) override;
};
APART void Implicit::step(int count) {
  exchange(count);
  STAY;
}
struct Ratio {
  int value;
};
APART int operator/(Ratio a, Ratio b) {
  exchange(a.value);
  STAY;
  return b.value;
}
[[gnu::always_inline]] inline void inlined(int count) { exchange(count); }
}  // namespace model

extern "C" APART void holds_inlined(int count) {
  model::inlined(count);
  STAY;
}

extern "C" APART void throws(int count) {
  exchange(count);
  throw std::runtime_error("expected");
}
extern "C" APART void catches(int count) {
  try {
    throws(count);
  } catch (const std::runtime_error&) {
    exchange(count + 1);
  }
  STAY;
}

static int compare(const void* a, const void* b) {
  static bool given = false;
  if (!given) exchange(60);
  given = true;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
extern "C" APART void sorts() {
  int numbers[] = {2, 1};
  std::qsort(numbers, 2, sizeof *numbers, compare);
  STAY;
}

extern "C" APART void in_region(int count) {
  parcast_region_begin("step");
  left(count);
  exchange(count + 1);
  parcast_region_begin("half");
  exchange(count + 2);
  parcast_region_end();
  parcast_region_end();
  exchange(count + 3);
  STAY;
}

static std::jmp_buf back;
extern "C" APART void jumps(int count) {
  exchange(count);
  std::longjmp(back, 1);
}

extern "C" APART void polls(int count) {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  if (count > 0) std::abort();
  STAY;
}
extern "C" APART void poll_left() {
  polls(-1);
  STAY;
}
extern "C" APART void poll_right() {
  polls(-1);
  STAY;
}

static void* thread_main(void* argument) {
  left(*static_cast<int*>(argument));
  return nullptr;
}
extern "C" APART void on_a_thread(int count) {
  pthread_t thread;
  pthread_create(&thread, nullptr, thread_main, &count);
  pthread_join(thread, nullptr);
}

// A stack that does not belong to a thread.
static ucontext_t home, away;
extern "C" APART void coroutine() {
  exchange(34);
  exchange(34);
}
extern "C" APART void on_another_stack() {
  static char memory[1 << 17];
  getcontext(&away);
  away.uc_stack.ss_sp = memory;
  away.uc_stack.ss_size = sizeof memory;
  away.uc_link = &home;
  makecontext(&away, coroutine, 0);
  swapcontext(&home, &away);
}

int main(int argc, char** argv) {
  parcast_region_begin("early");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  parcast_region_end();
  exchange(1);
  for (int i = 0; i < 3; ++i) {
    left(2);
    right(3);
  }
  // From one place in main to the same address of the innermost frame. The words of the first path are still
  // there, but in the second one's padding.
  for (std::size_t i = 0; i < 40; ++i) {
    void (*volatile outer)(int, std::size_t) = i % 2 ? outer_two : outer_one;
    outer(i % 2 ? 5 : 4, i % 2 ? 4096 - 8 * i : 4096);
  }
  aligned(6, 1, 2, 3, 4, 5, 6, 7);
  aligned_varying(7, 512);
  aligned_varying(7, 1024);
  recursive(8, 5);
  recursive(8, 0);
  even(9, 4);
  even(10, 200);
  recursive(11, 100);
  model::Implicit implicit;
  model::Solver* volatile solver = &implicit;
  solver->step(12);
  const int half = model::Ratio{13} / model::Ratio{2};
  holds_inlined(14);
  catches(15);
  sorts();
  in_region(20);
  in_region(20);
  if (setjmp(back) == 0) jumps(30);
  exchange(31);
  if (argc > 1 && std::strcmp(argv[1], "threads") == 0) on_a_thread(32);
  if (argc > 1 && std::strcmp(argv[1], "coroutine") == 0) on_another_stack();
  for (int i = 0; i < 50; ++i) {
    poll_left();
    poll_right();
  }
  recursive(33, 400);
  MPI_Finalize();
  std::printf("%d\n", half);
}
