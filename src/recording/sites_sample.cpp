// SPDX-License-Identifier: Apache-2.0
#include "recording/sites_sample.h"

// Prevents a tail call, which would leave no return address in the calling function.
#define STAY(value) asm volatile("" : : "r"(value) : "memory")

namespace sample {

template <class T>
struct Field {
  T value;
  [[gnu::always_inline]] inline void* exchange(Where where) {
    void* at = where();  // innermost
    STAY(at);
    return at;
  }
};

[[gnu::always_inline]] inline void* step(Where where, int times) {
  Field<int> field{1};
  if (times > 1) {
    void* at = field.exchange(where);  // middle
    return at;
  }
  return nullptr;
}

namespace {
[[gnu::noinline]] void* hidden(Where where) {
  void* at = where();  // hidden
  STAY(at);
  return at;
}
}  // namespace

Ratio operator/=(Ratio a, Ratio) {
  return a;
}

}  // namespace sample

void* sample_solve(sample::Where where) {
  void* at = sample::step(where, 2);  // outermost
  STAY(at);
  return at;
}

void* sample_plain(sample::Where where) {
  void* at = sample::hidden(where);
  STAY(at);
  return at;
}

void* f(sample::Where where) {
  void* at = where();  // f
  STAY(at);
  return at;
}
