// SPDX-License-Identifier: Apache-2.0
#pragma once
// What processors of one process have in common, whether fibres or threads: they reach each other's elements
// by address.

#include <atomic>
#include <span>

#include "collections/gathering.h"

namespace parcast::collections {

class OneProcess : public detail::Runtime {
 public:
  OneProcess(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const final { return rank_; }
  int size() const final { return size_; }
  std::unique_ptr<detail::Memory> share(std::shared_ptr<std::byte> own, std::size_t bytes,
                                        const detail::Meeting& meeting) final;
  void broadcast(void* data, std::size_t bytes, int root, const detail::Meeting& meeting,
                 double& clock) final;

 private:
  int rank_, size_;
};

}  // namespace parcast::collections
