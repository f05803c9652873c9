// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns a simulated run into the calls of MPI that a recorder would have seen. Operations that belong to one
// call of the program become one call. Operations whose call is unknown (GOAL, SimGrid's traces) get the
// plainest name. The calls of each rank come in order.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interchange/mpi_calls.h"
#include "predict/simulate/observer.h"
#include "recording/recording.h"
#include "trace/trace.h"

namespace parcast::interchange {

using simulate::Time;

/// A request that a call started or found complete. For started receives, peer and tag are the requested
/// ones.
struct PredictedRequest {
  std::uint32_t number = 0;  // number within the rank, from 1
  bool receive = false;
  std::uint32_t communicator = 0;  // index into Trace::communicators
  recording::Message message;
  bool operator==(const PredictedRequest&) const = default;
};

struct PredictedCall {
  std::int32_t rank = 0;
  const MpiCall* call = nullptr;
  std::uint32_t operation = 0;  // its first operation
  Time idle_from = 0;           // end of the previous call: the rank computes from here
  Time from = 0, to = 0, waiting = 0;
  bool finished = true;               // false: the run deadlocks here; `to` is then the end of all activity
  recording::Message sent, received;  // of the call itself: blocking calls, or the parts of an exchange
  std::vector<PredictedRequest> begun, completed;
  // point to point: number of each message, unique in the run
  std::vector<std::uint64_t> messages_out, messages_in;
};

class PredictedCalls : public simulate::Observer {
 public:
  explicit PredictedCalls(const trace::Trace& trace);
  /// Reports the calls in which ranks deadlock. To be called once, after the simulation.
  void finish();

  void computed(std::int32_t rank, Time from, Time to) override;
  void entered(std::int32_t rank, std::uint32_t operation, Time at) override;
  void stayed(const simulate::Stay& stay) override;
  void ended(std::int32_t rank, Time at) override;
  void sent(const simulate::Sent& sent) override;
  void taken(const simulate::Taken& taken) override;

 protected:
  virtual void call(const PredictedCall& call) = 0;
  /// The rank ends; it computed since `idle_from`.
  virtual void rank_ended(std::int32_t rank, Time idle_from, Time at) = 0;
  const trace::Trace& trace() const { return trace_; }

 private:
  struct Rank {
    PredictedCall open;
    bool has_open = false;
    std::uint32_t last = 0;  // last operation of the open call
    Time idle_from = 0, end = 0;
    std::uint32_t begun = 0;  // number of requests started
    std::uint64_t sent = 0;
    std::unordered_map<std::uint32_t, PredictedRequest> outstanding;
  };
  void begin_request(Rank& self, std::int32_t rank, const trace::Operation& operation);
  void complete_requests(Rank& self, const trace::Operation& wait);
  void close(Rank& self);
  Rank& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  struct UnderWay {
    std::uint64_t number = 0;
    std::int32_t sender = 0, tag = 0;
    std::uint64_t bytes = 0;
    bool of_collective = false;
  };
  const trace::Trace& trace_;
  std::vector<const MpiCall*> call_of_;  // by operation
  std::vector<Rank> ranks_;
  std::unordered_map<std::uint32_t, UnderWay> messages_;
};

/// Returns the function of MPI that an operation represents.
const MpiCall& predicted_call(const trace::Trace& trace, const trace::Operation& operation);
/// Returns the call that starts this request, for a call that starts several requests.
const MpiCall& starting_call(const MpiCall& call, const PredictedRequest& request);

}  // namespace parcast::interchange
