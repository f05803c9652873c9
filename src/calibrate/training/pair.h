// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures messages between two processes: the leader sends commands, and both processes execute them.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "calibrate/overlap.h"
#include "calibrate/training/clock.h"
#include "calibrate/training/core_share.h"
#include "calibrate/training/work.h"

namespace parcast::training {

// bytes; messages up to this size are left out only if the machine is slow
constexpr std::int64_t kUsualMessage = 4 << 20;
// bytes of the message whose overlap is measured, if it exceeds the eager limit
constexpr std::int64_t kRendezvousOverlap = 256 << 10;
constexpr int kStream = 64;  // number of messages of a flood
constexpr int kPairTag = 11;

enum class Kind : int { stop, ping_pong, late_receive, flood, late_post, late_post_away, overlap };

/// A command of rank 0 to its partner.
struct Command {
  Kind kind = Kind::stop;
  std::int64_t bytes = 0;
  std::int32_t count = 1;  // messages per sample
  std::int32_t repeats = 1;
  Nanoseconds delay = 0;   // how late the partner receives
  std::int64_t steps = 0;  // work in steps
};

/// Both sides of every measurement; `side` 0 is the leader.
class Pair {
 public:
  /// Computes for `seconds` to determine the share of a core that the two processes have.
  Pair(MPI_Comm communicator, int side, double seconds, std::int64_t largest)
      : pair_(communicator),
        side_(side),
        other_(1 - side),
        overhead_(clock_overhead()),
        share_(share_of_core(communicator, seconds)),
        largest_(largest),
        buffer_(static_cast<std::size_t>(kUsualMessage), '\1'),
        arriving_(static_cast<std::size_t>(kRendezvousOverlap), '\2') {}

  /// Share of a core while computing; part 1 if it is about the entire core.
  CoreShare share() const { return share_; }

  /// Largest size of a message in bytes.
  std::int64_t largest() const { return largest_; }

  /// Runs the partner until the leader sends `stop`.
  void follow() {
    for (;;) {
      Command command;
      MPI_Bcast(&command, sizeof command, MPI_BYTE, 0, pair_);
      if (command.kind == Kind::stop) return;
      carry_out(command);
    }
  }

  struct Samples {
    std::vector<double> mine, theirs, work;
  };
  /// Runs a command as the leader. Returns seconds per message here and, if the partner also measures, there.
  /// For a ping-pong on a share of a core it also returns the processor time of a send and a receive (see
  /// work_since).
  Samples lead(Command command) {
    MPI_Bcast(&command, sizeof command, MPI_BYTE, 0, pair_);
    if (command.kind == Kind::stop) return {};
    return carry_out(command);
  }

 private:
  Samples carry_out(const Command& command) {
    Samples samples;
    if (const auto size = static_cast<std::size_t>(command.bytes); buffer_.size() < size)
      buffer_.resize(size, '\1');
    for (int i = 0; i < command.repeats; ++i) {
      switch (command.kind) {
        case Kind::ping_pong:
          ping_pong(command, samples);
          break;
        case Kind::flood:
          samples.mine.push_back(flood(command));
          break;
        case Kind::late_receive:
          late_receive(command, samples);
          break;
        case Kind::late_post:
        case Kind::late_post_away:
          samples.mine.push_back(late_post(command));
          break;
        case Kind::overlap:
          samples.mine.push_back(overlap(command));
          break;
        case Kind::stop:
          break;
      }
    }
    return samples;
  }

  void send(std::int64_t bytes) {
    MPI_Send(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, other_, kPairTag, pair_);
  }
  void receive(std::int64_t bytes) {
    MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, other_, kPairTag, pair_, MPI_STATUS_IGNORE);
  }
  double since(Nanoseconds start) const { return static_cast<double>(now() - start) * 1e-9 - overhead_; }

  /// A moment from which processor time is measured.
  struct Start {
    Nanoseconds clock, processor;
  };
  Start begin_work() const { return {now(), share_.part < 1 ? processor_time() : 0}; }
  /// Returns the seconds that the work since `start` takes a process that computes all the time. A process
  /// with a share of a core saves its share while it waits, so that its work then appears free. Its processor
  /// time is therefore used.
  double work_since(const Start& start) const {
    if (share_.part == 1) return since(start.clock);
    return static_cast<double>(processor_time() - start.processor) * 1e-9 / share_.part;
  }

  void ping_pong(const Command& command, Samples& samples) {
    const Start start = begin_work();
    for (int i = 0; i < command.count; ++i) {
      if (side_ == 0) send(command.bytes), receive(command.bytes);
      if (side_ == 1) receive(command.bytes), send(command.bytes);
    }
    const double seconds = since(start.clock), work = work_since(start);
    samples.mine.push_back(seconds / (2.0 * command.count));
    // If waiting also uses the processor, the processor time is meaningless.
    if (share_.part < 1 && work < 0.9 * seconds) samples.work.push_back(work / command.count);
  }

  /// The partner reports that it is ready, then stays out of MPI until the messages have arrived. The sends
  /// do not wait, because some libraries take a message off the network only while the receiver is inside
  /// MPI.
  void late_receive(const Command& command, Samples& samples) {
    const int bytes = static_cast<int>(command.bytes);
    if (side_ == 0) {
      std::array<MPI_Request, kStream> requests;
      receive(0);
      const Start start = begin_work();
      for (int i = 0; i < command.count; ++i)
        MPI_Isend(buffer_.data(), bytes, MPI_BYTE, other_, kPairTag, pair_,
                  &requests[static_cast<std::size_t>(i)]);
      samples.mine.push_back(work_since(start) / command.count);
      MPI_Waitall(command.count, requests.data(), MPI_STATUSES_IGNORE);
      double theirs = 0;
      MPI_Recv(&theirs, 1, MPI_DOUBLE, other_, kPairTag, pair_, MPI_STATUS_IGNORE);
      samples.theirs.push_back(theirs);
    } else {
      send(0);
      wait_until(now() + command.delay);
      const Start start = begin_work();
      for (int i = 0; i < command.count; ++i) receive(command.bytes);
      const double mine = work_since(start) / command.count;
      MPI_Send(&mine, 1, MPI_DOUBLE, other_, kPairTag, pair_);
    }
  }

  double flood(const Command& command) {
    std::array<MPI_Request, kStream> requests;
    const auto count = static_cast<std::size_t>(command.count);
    const int bytes = static_cast<int>(command.bytes);
    if (side_ == 1) {
      for (std::size_t i = 0; i < count; ++i)
        MPI_Irecv(buffer_.data(), bytes, MPI_BYTE, other_, kPairTag, pair_, &requests[i]);
      send(0);
      MPI_Waitall(command.count, requests.data(), MPI_STATUSES_IGNORE);
      send(0);
      return 0;
    }
    receive(0);
    const Nanoseconds start = now();
    for (std::size_t i = 0; i < count; ++i)
      MPI_Isend(buffer_.data(), bytes, MPI_BYTE, other_, kPairTag, pair_, &requests[i]);
    MPI_Waitall(command.count, requests.data(), MPI_STATUSES_IGNORE);
    receive(0);
    return since(start);
  }

  /// Returns the time of a send whose receive is posted `delay` later. It is about `delay` if the send waits
  /// for the receive. Meanwhile the partner is inside MPI or, with `away`, outside.
  double late_post(const Command& command) {
    if (side_ == 1) {
      send(0);
      const Nanoseconds end = now() + command.delay;
      if (command.kind == Kind::late_post_away) wait_until(end);
      int found = 0;
      while (now() < end) MPI_Iprobe(other_, kPairTag + 1, pair_, &found, MPI_STATUS_IGNORE);
      receive(command.bytes);
      send(0);
      return 0;
    }
    receive(0);
    const Nanoseconds start = now();
    send(command.bytes);
    const double seconds = since(start);
    receive(0);
    return seconds;
  }

  /// Waits until both processes are here.
  void meet() {
    if (side_ == 0) send(0), receive(0);
    if (side_ == 1) receive(0), send(0);
  }

  /// Sends a message each way at the same time, with `steps` of work between start and end.
  double exchange_around(const Command& command, std::int64_t steps) {
    std::array<MPI_Request, 2> requests;
    const int bytes = static_cast<int>(command.bytes);
    meet();
    const Nanoseconds start = now();
    MPI_Irecv(arriving_.data(), bytes, MPI_BYTE, other_, kPairTag, pair_, &requests[0]);
    MPI_Isend(buffer_.data(), bytes, MPI_BYTE, other_, kPairTag, pair_, &requests[1]);
    work(steps);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    return since(start);
  }

  /// Measures the transfer without work, the work alone, and both together.
  double overlap(const Command& command) {
    const double moving = exchange_around(command, 0);
    const Nanoseconds start = now();
    work(command.steps);
    const double computing = since(start);
    return calibrate::overlap_of(std::max(moving, 1e-9), std::max(computing, 1e-9),
                                 exchange_around(command, command.steps));
  }

  MPI_Comm pair_;
  int side_, other_;
  double overhead_;
  CoreShare share_;
  std::int64_t largest_;
  std::vector<char> buffer_, arriving_;
};

}  // namespace parcast::training
