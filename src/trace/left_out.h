// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts the differences between a trace and its recording while the trace is made. Each becomes one sentence
// in the end.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace parcast::trace {

/// Counts events of one kind; the texts describe the kind to the user.
class Tally {
 public:
  explicit Tally(const char* one, const char* more, const char* rest) : one_(one), more_(more), rest_(rest) {}
  void operator+=(std::uint64_t count) { count_ += count; }
  void operator++() { ++count_; }
  /// Adds "3 probes are left out: ..." when there were any; without the number "some probes are left out:
  /// ...".
  void say(std::vector<std::string>& sentences, bool counted = true) const {
    if (count_ > 0)
      sentences.push_back((counted ? std::to_string(count_) : "some") + " " +
                          (counted && count_ == 1 ? one_ : more_) + rest_);
  }

 private:
  std::uint64_t count_ = 0;
  const char *one_, *more_, *rest_;
};

struct LeftOut {
  Tally probes{"probe is", "probes are",
               " left out: its partner is unknown (MPI_PROC_NULL, or recorded by another tool); the receive "
               "that follows waits for the message"};
  Tally epochs{
      "synchronisation of one-sided access is", "synchronisations of one-sided access are",
      " left out (locks, and post, start, complete, wait between two groups): which window and whom they are "
      "of is not recorded; nobody waits for anybody there, and the time in them is taken as computing"};
  Tally files{"file operation is", "file operations are",
              " left out; the time in them is taken as computing"};
  Tally outside{"message has a partner", "messages have a partner",
                " outside MPI_COMM_WORLD and no place in the trace"};
  Tally unknown_communicators{"call is", "calls are",
                              " left out: the members of the communicator are not known"};
  Tally incomplete_neighbourhoods{"neighbourhood collective is", "neighbourhood collectives are",
                                  " left out: what went to which neighbour is not known"};
  Tally unmatched{"receive is", "receives are",
                  " left out: from any source or with any tag, and no message is recorded that came"};
  Tally cancelled{"request is", "requests are", " left out that the program cancelled"};
  Tally forgotten{"request was", "requests were",
                  " not complete for so long that no wait for it is looked for any more"};
  Tally unfollowed{"call is", "calls are", " left out that the recorder only counts"};
  Tally dropped{"event was", "events were", " not kept while the program ran"};
  Tally unfinished{
      "process", "processes",
      " did not reach MPI_Finalize, or part of what was recorded is lost: the trace ends early there"};
  std::vector<Place> alone;  // places of collectives over a single rank, each once

  // Events replaced by something else.
  Tally shares{"process", "processes",
               " had a part of a core reserved: computing times are taken as those on a whole one"};
  double interrupted = 0, polled = 0;  // seconds, over all ranks
  Tally other_threads{"event", "events",
                      " of further threads: in order of entry between those of the first; what threads "
                      "compute at the same time counts once"};
  Tally by_arrival{"receive or probe", "receives and probes",
                   " from any source or with any tag: which message comes first is simulated; what the "
                   "program did with it is as recorded"};
  Tally any_source{"receive or probe", "receives and probes",
                   " from any source: the source is that of the message that came in the recording"};
  Tally any_tag{"receive or probe", "receives and probes",
                " with any tag: the tag is that of the message that came in the recording"};
  Tally blocking_receives{
      "blocking receive", "blocking receives",
      ": source and tag are those that came, since the recording does not show whether they were requested"};
  Tally matched_probes{
      "matched probe", "matched probes",
      " (MPI_Mprobe, MPI_Improbe): taken as probes, whose message any receive in between could take"};
  Tally persistent{"send", "sends",
                   " by MPI_Start or MPI_Startall: taken as standard ones, since the recording does not show "
                   "what was prepared"};
  Tally in_lanes{"call", "calls",
                 " of further threads: put between those of the first in an order in which the run ends; "
                 "what threads compute at the same time counts once"};
  Tally started_collectives{"nonblocking collective", "nonblocking collectives",
                            ": taken to happen at the wait for them or the next collective, in the order in "
                            "which they were started"};
  Tally created{"call", "calls",
                " that make communicators, topologies or windows: taken as an allreduce of 4 bytes"};
  Tally accesses{"one-sided access", "one-sided accesses",
                 ": begun at the call, complete at the next synchronisation of its window"};
  Tally exchanges{"one-sided access", "one-sided accesses",
                  " that put and get at once: taken as a write and a read"};
  Tally flushes{
      "flush, unlock or complete", "flushes, unlocks and completes",
      ": taken to wait for all that is under way to whom they name, in windows of the same communicator"};
  Tally starts{"MPI_Win_start", "MPI_Win_starts",
               ": taken to wait for the posts of all its targets, where MPI lets the first access wait"};
  Tally locks{"lock of a window", "locks of windows",
              ": granted as their requests come in the simulation, whatever the order was in the recording"};
  Tally unchecked{"lock of a window", "locks of windows", " by MPI_MODE_NOCHECK: no request is sent"};
  Tally inter_collectives{"collective", "collectives",
                          " of an intercommunicator: taken as one of the root and the other group, and "
                          "without a root as one of both groups"};
};

/// Without numbers (not `counted`), runs that differ only in the numbers have the same sentences.
std::vector<std::string> warnings(const LeftOut& what, bool counted = true);
std::vector<std::string> assumptions(const LeftOut& what, bool counted = true);

}  // namespace parcast::trace
