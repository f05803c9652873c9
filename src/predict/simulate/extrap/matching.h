// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which receive of a rank gets which message: as MPI does, in the order in which messages are in the queue and receives are posted.

#include <compare>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>

#include "trace/trace.h"

namespace parcast::simulate::extrap {

/// What a message is matched by. A receive may have kAny as source and as tag.
struct Signature {
  std::uint32_t communicator = 0;
  bool collective = false;
  std::int32_t source = 0, tag = 0;
  auto operator<=>(const Signature&) const = default;

  bool is_exact() const { return source != trace::kAny && tag != trace::kAny; }
  bool takes(const Signature& message) const {
    return communicator == message.communicator && collective == message.collective && (source == trace::kAny || source == message.source) &&
           trace::tag_fits(tag, message.tag);
  }
};

/// Of one rank. Messages and receives are told by the indices that the caller gives them.
class Matching {
 public:
  /// The message that a new receive gets, if one is there; else it is posted.
  std::optional<std::uint32_t> post(const Signature& signature, std::uint32_t receive);
  /// The message that a receive posted now would get.
  std::optional<std::uint32_t> first(const Signature& signature) const;
  /// The receive that gets a message that came into the queue, if one is posted; else the message stays.
  std::optional<std::uint32_t> come(const Signature& signature, std::uint32_t message);

 private:
  struct Entry {
    std::uint64_t when = 0;  // it was posted, or came
    std::uint32_t index = 0;
  };
  using Queues = std::map<Signature, std::deque<Entry>>;
  static std::uint32_t take_first(Queues& queues, Queues::iterator from);
  Queues::const_iterator queue_for(const Signature& signature) const;

  Queues messages_, exact_;
  std::list<std::pair<Signature, Entry>> open_;  // receives that take any source or tag
  std::uint64_t count_ = 0;
};

}  // namespace parcast::simulate::extrap
