// SPDX-License-Identifier: Apache-2.0
#include "collections/one_process.h"

#include <cstring>
#include <mutex>

namespace parcast::collections {
namespace {

/// The elements of all processors. They live until the last processor has left the collection, since a slower
/// one may still read those of a faster one.
struct Shared {
  explicit Shared(int size) : parts(static_cast<std::size_t>(size)), users(size) {}
  std::vector<std::shared_ptr<std::byte>> parts;
  std::atomic<int> users;
};

class SharedMemory final : public detail::Memory {
 public:
  explicit SharedMemory(Shared* shared) : shared_(shared) {}
  ~SharedMemory() final {
    if (shared_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void read(int owner, std::span<const detail::Stretch> stretches, std::byte* into) final {
    const std::byte* part = part_of(owner);
    for (const detail::Stretch& each : stretches)
      std::memcpy(into + each.here, part + each.there, each.bytes);
  }
  void write(int owner, std::span<const detail::Stretch> stretches, const std::byte* from) final {
    std::byte* part = part_of(owner);
    for (const detail::Stretch& each : stretches)
      std::memcpy(part + each.there, from + each.here, each.bytes);
  }

  const std::byte* part(int owner) const final { return part_of(owner); }

 private:
  std::byte* part_of(int owner) const { return shared_->parts[static_cast<std::size_t>(owner)].get(); }
  Shared* shared_;
};

template <class F>
detail::Finish finish(const F& fold) {
  return {
      [](const void* f, std::byte* table, int processors) { (*static_cast<const F*>(f))(table, processors); },
      &fold};
}

}  // namespace

/// Each brings the address of its part; the first word of the table becomes that of all parts.
std::unique_ptr<detail::Memory> OneProcess::share(std::shared_ptr<std::byte> own, std::size_t,
                                                  const detail::Meeting& meeting) {
  using Part = std::shared_ptr<std::byte>;
  Part* const mine = &own;
  const auto collect = [](std::byte* table, int processors) {
    auto shared = std::make_unique<Shared>(processors);
    for (int i = 0; i < processors; ++i) {
      Part* part;
      std::memcpy(&part, table + sizeof part * static_cast<std::size_t>(i), sizeof part);
      shared->parts[static_cast<std::size_t>(i)] = std::move(*part);
    }
    Shared* const address = shared.release();
    std::memcpy(table, &address, sizeof address);
  };
  detail::Meeting here = meeting;
  here.bytes = sizeof mine;
  double clock = 0;
  const std::byte* table = meet(here, &mine, finish(collect), clock);
  Shared* shared;
  std::memcpy(&shared, table, sizeof shared);
  return std::make_unique<SharedMemory>(shared);
}

/// The others copy from the root's memory, which waits for them.
void OneProcess::broadcast(void* data, std::size_t bytes, int root, const detail::Meeting& meeting,
                           double& clock) {
  detail::Meeting here = meeting;
  here.bytes = sizeof data;
  const std::byte* table = meet(here, &data, {}, clock);
  void* from;
  std::memcpy(&from, table + sizeof from * static_cast<std::size_t>(root), sizeof from);
  if (from != data && bytes > 0) std::memcpy(data, from, bytes);
  meet(here, &data, {}, clock);
}

}  // namespace parcast::collections
