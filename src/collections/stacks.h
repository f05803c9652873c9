// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stacks of fibres: memory that the kernel provides when it is touched, each stack with a guard below that
// must not be touched. A processor that needs more ends the program with a sentence that names it.

#include <cstddef>

namespace parcast::collections {

class Stacks {
 public:
  /// Throws Error where the kernel does not provide them.
  Stacks(int count, std::size_t bytes);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// The highest address of a stack, and its size.
  void* top(int index) const { return base_ + each_ * (static_cast<std::size_t>(index) + 1); }
  std::size_t bytes() const { return each_ - guard_; }

  /// Returns the stack whose guard is at the address; -1: none.
  int guarded_by(const void* address) const;

 private:
  int count_;
  std::size_t guard_, each_;
  char* base_;
};

}  // namespace parcast::collections
