// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes a trace: the tables that all ranks share, and per rank the words one after the other, folded as they come. Equal
// sequences of ranks are stored once.
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

  /// These give the index of what is equal, if there is one.
  std::uint32_t operation(const Operation& operation);
  std::uint32_t place(const Place& place);
  /// How many requests ago each was begun (1: the last one), in any order.
  std::uint32_t request_set(std::vector<std::uint32_t> requests);
  /// A new one, though another may have the same members. [0] is there: all ranks.
  std::uint32_t communicator(std::vector<std::int32_t> members);
  /// How many ranks a communicator has.
  std::size_t members(std::uint32_t communicator) const;
  void assume(std::string sentence) { trace_.assumptions.push_back(std::move(sentence)); }
  /// What a rank does, and the number of that sequence. Ranks without do nothing.
  std::uint32_t sequence(std::int32_t rank, Sequence sequence);
  /// The rank does a sequence that is there.
  void same_sequence(std::int32_t rank, std::uint32_t number) { trace_.sequence_of.at(static_cast<std::size_t>(rank)) = number; }

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
  std::unordered_multimap<std::uint64_t, std::uint32_t> sequences_;  // by their hash
};

/// Takes what a rank does, one after the other.
class Words {
 public:
  virtual ~Words() = default;
  /// Added to what was computed since the last operation; nothing where it is 0.
  virtual void add_compute(Time time) = 0;
  virtual void add(const Operation& operation) = 0;
  /// A wait for requests, each by its number from begun(). Nothing where there are none.
  virtual void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) = 0;
  /// Requests that were begun so far: right after an operation that begins one, the request's number.
  std::uint64_t begun() const { return begun_; }

 protected:
  std::uint64_t begun_ = 0;
};

/// Folds one rank's words.
class RankBuilder final : public Words {
 public:
  RankBuilder(Builder& builder, std::int32_t rank, Folding::Limits limits = {}) : builder_(builder), rank_(rank), folding_(limits) {}

  void add_compute(Time time) override;
  void add(const Operation& operation) override;
  void add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) override;

  /// Hands the sequence over. An error when all computing lasts longer than kLongest.
  Result<void> finish();

 private:
  void add_pending();

  Builder& builder_;
  std::int32_t rank_;
  Folding folding_;
  Time pending_ = 0, computed_ = 0;
};

}  // namespace parcast::trace
