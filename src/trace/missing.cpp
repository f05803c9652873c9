// SPDX-License-Identifier: Apache-2.0
#include "trace/missing.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace parcast::trace {
namespace {

using recording::RankRecording;
using recording::Recording;

bool switches_recording(const recording::Call& call) {
  return call.name == "MPI_Pcontrol" || call.name == "parcast_classes";
}

/// Returns the name of the call by which the rank's program switched recording on or off; empty when it did
/// not.
std::string switch_of(const Recording& recording, const RankRecording& rank) {
  const auto named = [&](std::uint32_t call) {
    return call < recording.calls.size() && switches_recording(recording.calls[call]);
  };
  for (const recording::Chapter& chapter : rank.chapters)
    for (const recording::FoldedKey& key : chapter.keys)
      if (named(key.call)) return recording.calls[key.call].name;
  for (const recording::Event& event : rank.events)
    if (named(event.call)) return recording.calls[event.call].name;
  return {};
}

/// Returns why the rank may have lost operations; empty when the recording shows no cause.
std::string cause_at(const Recording& recording, const RankRecording& rank) {
  const std::string name = "rank " + std::to_string(rank.rank);
  if (const std::string call = switch_of(recording, rank); !call.empty())
    return "recording was off on " + name + " (" + call + ")";
  if (!rank.finalised) return name + " did not reach MPI_Finalize";
  if (rank.dropped_events > 0)
    return format_integer(static_cast<long long>(rank.dropped_events)) + " events of " + name +
           " were not kept";
  if (!rank.complete) return "the file of " + name + " is damaged";
  if (!rank.unfollowed.empty())
    return name + " made calls that the recorder only counts (" + rank.unfollowed.front().name + ")";
  return {};
}

class Causes {
 public:
  explicit Causes(const Recording& recording) : recording_(recording) {}

  /// Returns the cause at the partner, or else at the rank itself.
  std::string of(const Missing& missing) {
    if (const std::string& cause = at(missing.partner); !cause.empty()) return cause;
    if (const std::string& cause = at(missing.rank); !cause.empty()) return cause;
    return "the cause is not known";
  }

 private:
  const std::string& at(std::int32_t rank) {
    const auto [known, is_new] = known_.try_emplace(rank);
    if (is_new && rank >= 0)
      known->second = cause_at(recording_, recording_.ranks[static_cast<std::size_t>(rank)]);
    return known->second;
  }

  const Recording& recording_;
  std::map<std::int32_t, std::string> known_;
};

struct Group {
  std::uint64_t count = 0;
  const Missing* first = nullptr;
};

/// Returns e.g. "MPI_Recv (x.c:8) on rank 1".
std::string call_text(const Trace& trace, const Missing& missing) {
  const std::uint32_t place = trace.operations[missing.operation].place;
  if (place == kNowhere) return "a call on rank " + std::to_string(missing.rank);
  const Place& at = trace.places[place];
  return at.call + (at.file.empty() ? "" : " (" + at.file + ":" + std::to_string(at.line) + ")") +
         " on rank " + std::to_string(missing.rank);
}

enum class What : std::uint8_t { message, send, collective };

What what_is(Kind kind) {
  if (kind == Kind::collective) return What::collective;
  return kind == Kind::send || kind == Kind::start_send ? What::send : What::message;
}

std::string sentence(const Trace& trace, What what, const Group& group, const std::string& cause) {
  const Missing& first = *group.first;
  const bool one = group.count == 1;
  const std::string count = format_integer(static_cast<long long>(group.count)) + " ";
  const std::string partner = first.partner < 0 ? "another rank" : "rank " + std::to_string(first.partner);
  const std::string which = (one ? ", " : ", the first ") + call_text(trace, first);
  switch (what) {
    case What::message:
      return count + (one ? "message that was received is" : "messages that were received are") +
             " not in the recording" + which + " from " + partner + ": " + cause +
             (one ? "; it is taken as come" : "; they are taken as come");
    case What::send:
      return count + (one ? "synchronous send has" : "synchronous sends have") +
             " no receive in the recording" + which + " to " + partner + ": " + cause +
             (one ? "; it is taken as received" : "; they are taken as received");
    case What::collective:
      break;
  }
  return count + (one ? "collective is" : "collectives are") + " not recorded on all members" + which +
         ", not on " + partner + ": " + cause + (one ? "; it is left out" : "; they are left out");
}

}  // namespace

std::vector<std::string> describe_missing(const Recording& recording, const Trace& trace,
                                          std::span<const Missing> missing) {
  Causes causes(recording);
  std::map<std::pair<What, std::string>, Group> groups;
  for (const Missing& each : missing) {
    Group& group = groups[{what_is(trace.operations[each.operation].kind), causes.of(each)}];
    if (group.count++ == 0) group.first = &each;
  }
  std::vector<std::string> out;
  for (const auto& [key, group] : groups) out.push_back(sentence(trace, key.first, group, key.second));
  return out;
}

}  // namespace parcast::trace
