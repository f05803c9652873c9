// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/test_program.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace parcast::simulate::testing {

using trace::Item;
using trace::Kind;

namespace {

template <class T>
std::uint32_t index_in(std::vector<T>& table, const T& value) {
  const auto known = std::find(table.begin(), table.end(), value);
  const auto index = static_cast<std::uint32_t>(known - table.begin());
  if (known == table.end()) table.push_back(value);
  return index;
}

Node message(Kind kind, std::int32_t peer, std::uint64_t bytes, trace::Mode mode, std::int32_t tag) {
  Node node;
  node.what = Item::What::operation;
  node.operation.kind = kind;
  node.operation.peer = peer;
  node.operation.bytes = bytes;
  node.operation.mode = mode;
  node.operation.tag = tag;
  return node;
}

void append(trace::Trace& trace, trace::Sequence& words, const Body& body, std::int32_t rank) {
  for (const Node& node : body) {
    if (node.what == Item::What::compute) {
      words.push_back(Item::compute(node.time));
    } else if (node.what == Item::What::loop) {
      const std::size_t at = words.size();
      words.emplace_back();
      append(trace, words, node.body, rank);
      words[at] = Item::loop(static_cast<std::uint32_t>(words.size() - at - 1), node.times);
    } else {
      trace::Operation operation = node.operation;
      const bool has_peer = operation.kind != Kind::collective && operation.kind != Kind::wait;
      if (has_peer && operation.peer != trace::kAny) operation.peer -= rank;
      if (operation.kind == Kind::wait) operation.requests = index_in(trace.request_sets, node.distances);
      words.push_back(Item::operation(index_in(trace.operations, operation), node.times));
    }
  }
}

bool same_words(const trace::Sequence& a, const trace::Sequence& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Item x, Item y) { return x.word() == y.word(); });
}

}  // namespace

std::vector<std::int32_t> Program::members(std::uint32_t communicator) const {
  if (communicator > 0) return communicators[communicator].members;
  std::vector<std::int32_t> all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Node compute(trace::Time time) {
  return {.time = time};
}

Node send(std::int32_t to, std::uint64_t bytes, trace::Mode mode, std::int32_t tag) {
  return message(Kind::send, to, bytes, mode, tag);
}

Node receive(std::int32_t from, std::int32_t tag) {
  return message(Kind::receive, from, 0, trace::Mode::standard, tag);
}

Node start_send(std::int32_t to, std::uint64_t bytes, trace::Mode mode, std::int32_t tag) {
  return message(Kind::start_send, to, bytes, mode, tag);
}

Node start_receive(std::int32_t from, std::int32_t tag) {
  return message(Kind::start_receive, from, 0, trace::Mode::standard, tag);
}

Node probe(std::int32_t from, std::int32_t tag) {
  return message(Kind::probe, from, 0, trace::Mode::standard, tag);
}

Node wait(std::vector<std::uint32_t> distances) {
  std::sort(distances.begin(), distances.end());
  Node node = message(Kind::wait, 0, 0, trace::Mode::standard, 0);
  node.distances = std::move(distances);
  return node;
}

Node collective(recording::Pattern pattern, std::uint64_t bytes, std::int32_t root,
                std::uint32_t communicator) {
  Node node = message(Kind::collective, 0, bytes, trace::Mode::standard, 0);
  node.operation.pattern = pattern;
  node.operation.root = root;
  node.operation.communicator = communicator;
  return node;
}

Node access(trace::Kind kind, std::int32_t owner, std::uint64_t bytes) {
  return message(kind, owner, bytes, trace::Mode::standard, 0);
}

Node lock(Kind kind, std::int32_t owner, std::int32_t window) {
  return message(kind, owner, 0, trace::Mode::standard, window);
}

Node loop(std::uint32_t rounds, Body body) {
  return {.what = Item::What::loop, .times = rounds, .body = std::move(body)};
}

Node repeat(Node operation, std::uint32_t times) {
  operation.times = times;
  return operation;
}

trace::Trace to_trace(const Program& program) {
  trace::Trace trace;
  trace.program = "test";
  trace.ranks = static_cast<std::int32_t>(program.ranks.size());
  trace.communicators = program.communicators;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    trace::Sequence words;
    append(trace, words, program.ranks[static_cast<std::size_t>(rank)], rank);
    const auto same = std::find_if(trace.sequences.begin(), trace.sequences.end(),
                                   [&](const trace::Sequence& known) { return same_words(known, words); });
    trace.sequence_of.push_back(static_cast<std::uint32_t>(same - trace.sequences.begin()));
    if (same == trace.sequences.end()) trace.sequences.push_back(std::move(words));
  }
  return trace;
}

}  // namespace parcast::simulate::testing
