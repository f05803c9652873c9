// SPDX-License-Identifier: Apache-2.0
#pragma once
// Builds a trace: the tables shared by all ranks, and the words of each rank, folded as they are added. Equal
// sequences of several ranks are stored once.
//
//     Builder builder("halo", 2);
//     RankBuilder rank(builder, 0);
//     rank.add_compute(time);
//     rank.add({.kind = Kind::send, .peer = 1, .bytes = 8, .place = builder.place(place)});
//     rank.finish();
//     Trace trace = builder.finish();

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "trace/folding.h"
#include "trace/trace.h"

namespace parcast::trace {

class Builder {
 public:
  Builder(std::string program, std::int32_t ranks);

  /// These return the index of an equal element if there is one, else that of a new element.
  std::uint32_t operation(const Operation& operation);
  std::uint32_t place(const Place& place);
  /// How many requests ago each request was begun (1: the last one), in any order.
  std::uint32_t request_set(std::vector<std::uint32_t> requests);
  /// Adds a communicator, even when another has the same members. [0] exists from the start: all ranks.
  std::uint32_t communicator(std::vector<std::int32_t> members);
  /// Returns the number of ranks in a communicator.
  std::size_t members(std::uint32_t communicator) const;
  void assume(std::string sentence) { trace_.assumptions.push_back(std::move(sentence)); }
  /// Sets the sequence of a rank and returns the sequence's number. Ranks without a sequence do nothing.
  std::uint32_t sequence(std::int32_t rank, Sequence sequence);
  /// Sets the sequence of a rank to an existing one.
  void same_sequence(std::int32_t rank, std::uint32_t number) {
    trace_.sequence_of.at(static_cast<std::size_t>(rank)) = number;
  }

  Trace finish();

 private:
  struct Hash {
    std::size_t operator()(const Operation& operation) const;
  };
  using PlaceKey = std::tuple<std::string, std::string, std::string, std::int32_t, std::string>;

  Trace trace_;
  std::unordered_map<Operation, std::uint32_t, Hash> operations_;
  std::map<PlaceKey, std::uint32_t> places_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> request_sets_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> sequences_;  // hash of a sequence -> its number
};

/// Receives what a rank does, word by word.
class Words {
 public:
  virtual ~Words() = default;
  /// Adds to the computing time since the last operation. Does nothing when `time` is 0.
  virtual void add_compute(Time time) = 0;
  virtual void add(const Operation& operation) = 0;
  /// Adds a wait for requests, each given by its number from begun(). Does nothing when `requests` is empty.
  virtual void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) = 0;
  /// Number of requests begun so far. Right after an operation that begins a request, this is the request's
  /// number.
  std::uint64_t begun() const { return begun_; }

 protected:
  std::uint64_t begun_ = 0;
};

/// Folds the words of one rank.
class RankBuilder final : public Words {
 public:
  RankBuilder(Builder& builder, std::int32_t rank, Folding::Limits limits = {})
      : builder_(builder), rank_(rank), folding_(limits) {}

  void add_compute(Time time) override;
  void add(const Operation& operation) override;
  void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) override;

  /// Passes the sequence to the builder. Fails when the total computing time exceeds kLongest.
  Result<void> finish();

 private:
  void add_pending();

  Builder& builder_;
  std::int32_t rank_;
  Folding folding_;
  Time pending_ = 0, computed_ = 0;
};

}  // namespace parcast::trace
