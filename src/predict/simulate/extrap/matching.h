// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matches receives of a rank with messages like MPI: in the order in which messages are in the queue and
// receives are posted.

#include <compare>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>

#include "trace/trace.h"

namespace parcast::simulate::extrap {

/// The values by which a message is matched. A receive may have kAny as source and as tag.
struct Signature {
  std::uint32_t communicator = 0;
  bool collective = false;
  std::int32_t source = 0, tag = 0;
  auto operator<=>(const Signature&) const = default;

  bool is_exact() const { return source != trace::kAny && tag != trace::kAny; }
  bool takes(const Signature& message) const {
    return communicator == message.communicator && collective == message.collective &&
           (source == trace::kAny || source == message.source) && trace::tag_fits(tag, message.tag);
  }
};

/// Matching of one rank. The caller identifies messages and receives by index.
class Matching {
 public:
  /// Returns the message for a new receive, if one has arrived; otherwise posts the receive.
  std::optional<std::uint32_t> post(const Signature& signature, std::uint32_t receive);
  /// Returns the message that a receive posted now would get.
  std::optional<std::uint32_t> first(const Signature& signature) const;
  /// Returns the receive for a message that came into the queue, if one is posted; otherwise the message
  /// stays.
  std::optional<std::uint32_t> come(const Signature& signature, std::uint32_t message);

 private:
  struct Entry {
    std::uint64_t when = 0;  // position in the order of posting and arrival
    std::uint32_t index = 0;
  };
  using Queues = std::map<Signature, std::deque<Entry>>;
  static std::uint32_t take_first(Queues& queues, Queues::iterator from);
  Queues::const_iterator queue_for(const Signature& signature) const;

  Queues messages_, exact_;
  std::list<std::pair<Signature, Entry>> open_;  // receives from any source or with any tag
  std::uint64_t count_ = 0;
};

}  // namespace parcast::simulate::extrap
