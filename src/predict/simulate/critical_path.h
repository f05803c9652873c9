// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the critical path of a simulated run. It is a chain of computing, overheads, transfers and waits for
// interfaces. It ends with the last rank and is as long as the run. Waiting for another rank is not part of
// it: the chain continues at the rank that caused the wait. When two causes end at the same time, the rank's
// own activity has priority.
//
// The path is found while the simulation runs, in memory that does not grow with the length of the run
// (path_tree.h). docs/models/critical_path.md.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predict/simulate/observer.h"
#include "predict/simulate/path_tree.h"
#include "predict/simulate/profile.h"

namespace parcast::simulate {

enum class PathKind : std::uint8_t {
  compute,
  overhead,    // the processor is busy with a message
  transfer,    // latency, and bytes through the interfaces
  queue,       // waiting for an interface that serves another message
  handshake,   // request and answer of a rendezvous
  collective,  // with a measured time
};
inline constexpr std::size_t kPathKinds = 6;

struct PathPart {
  PathKind kind = PathKind::compute;
  // Of computing, the call that follows; of a message under way, the call that sent it.
  Site site;
  Time time = 0;
  std::uint64_t stretches = 0;
};
struct PathRank {
  std::int32_t rank = 0;
  Time time = 0;  // computing and overheads on this rank
};
/// A step of the chain from one rank to another.
struct HandOver {
  std::int32_t from = 0, to = 0;
  std::uint64_t times = 0;
  Time under_way = 0;  // between the last activity of `from` and the first of `to`
};

struct CriticalPath {
  std::int32_t rank = 0;             // that ends last; the first of several
  Time time = 0;                     // the sum of all parts
  std::vector<PathPart> parts;       // longest first
  std::vector<PathRank> ranks;       // longest first
  std::vector<HandOver> hand_overs;  // most frequent first
};

class PathFinder : public Observer {
 public:
  PathFinder(const trace::Trace& trace, const Platform& platform);
  /// Returns the path of a run that ended; meaningless when ranks deadlock.
  CriticalPath path() const;
  /// Returns the number of nodes now in the tree.
  std::size_t nodes() const { return tree_.nodes(); }

  void entered(std::int32_t rank, std::uint32_t operation, Time at) override;
  void ended(std::int32_t rank, Time at) override;
  void sent(const Sent& sent) override;
  void announced(std::uint32_t message, Time own, Time at) override;
  void posted(std::uint32_t request, std::int32_t rank, Time at) override;
  void answered(std::uint32_t message, std::uint32_t request, Time at, Time there) override;
  void asked(std::uint32_t message, Time at) override;
  void departed(std::uint32_t message, std::uint32_t request, Time asked, Time at, Time head) override;
  void served(std::uint32_t message, Time at, Time available) override;
  void delayed(std::uint32_t message, Time available) override;
  void taken(const Taken& taken) override;
  void found(std::int32_t rank, std::uint32_t message, Time at) override;
  void awaited_send(std::int32_t rank, std::uint32_t request, Time until) override;
  void came(std::int32_t rank, std::uint64_t call, std::int32_t place, Time at) override;
  void released(std::int32_t rank, std::uint64_t call, Time at, Time took) override;

 private:
  /// A chain of length `at`: the cause of an event at that time.
  struct Way {
    PathTree::Chain chain = PathTree::kStart;
    Time at = 0;
    std::int32_t rank = -1;  // that was active last
    Time since = 0;          // the end of that activity
  };
  struct Rank {
    Way way;
    std::uint32_t operation = 0xffffffff;
    Way sending, receiving;  // of the interfaces: when they began with their last message
  };
  struct Mail {
    Sent sent;
    Way way, envelope;
    Time answer = -1;  // of a rendezvous: when it is at the sender
    Time head = -1;    // when it arrives
  };
  struct Meeting {                                   // of a measured collective
    std::vector<std::pair<std::int32_t, Way>> ways;  // by place: those for which others may wait
    std::int32_t left = 0;
  };

  void go_on(Way& way, PathKind kind, std::uint32_t operation, Time to);
  void do_own(Rank& self, std::int32_t rank, PathKind kind, std::uint32_t operation, Time to);
  void hand_over(Rank& to, std::int32_t rank, Way way);
  Way share(const Way& way);
  void replace(Way& old, Way with);
  std::int32_t members(const trace::Operation& operation) const;
  bool awaited_by_others(const trace::Operation& operation, std::int32_t place) const;
  Rank& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Mail& mail(std::uint32_t message) { return mails_[message]; }
  static Way& at(std::vector<Way>& ways, std::uint32_t index);

  const trace::Trace& trace_;
  bool interfaces_ = false, rendezvous_ = false;
  PathTree tree_;
  std::vector<Rank> ranks_;
  std::vector<Mail> mails_;                           // by message
  std::vector<Way> posted_, completed_;               // by request
  std::unordered_map<std::uint64_t, Way> envelopes_;  // of the last message of a pair, by sender and receiver
  std::unordered_map<std::uint64_t, Meeting> meetings_;
  Way last_;  // of the rank that ends last
  std::int32_t last_rank_ = -1;
};

}  // namespace parcast::simulate
