// SPDX-License-Identifier: Apache-2.0
// Correct programs with one mistake each. Mistakes in collectives are on a communicator that no other
// calls use. So it does not matter how messages of different collectives on one communicator are
// distinguished.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate::testing {

namespace {

using trace::Operation;

constexpr std::int32_t kOtherTag = 100000;

bool is_send(const Operation& operation) {
  return operation.kind == Kind::send || operation.kind == Kind::start_send;
}
bool is_receive(const Operation& operation) {
  return operation.kind == Kind::receive || operation.kind == Kind::start_receive;
}

// ---- Mistakes in a call of the program

using Place = std::pair<std::int32_t, Node*>;  // rank and call
using Wanted = std::function<bool(const Node&)>;

void collect(std::int32_t rank, Body& body, const Wanted& wanted, std::vector<Place>& places) {
  for (Node& node : body) {
    if (node.what == trace::Item::What::operation && wanted(node)) places.emplace_back(rank, &node);
    collect(rank, node.body, wanted, places);
  }
}

/// Returns one of the matching calls; Generator::foundation ensures that there is one.
Place find(Draw& draw, Program& program, const Wanted& wanted) {
  std::vector<Place> places;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank)
    collect(static_cast<std::int32_t>(rank), program.ranks[rank], wanted, places);
  return draw.of(places);
}

Wanted of_kind(Kind kind) {
  return [kind](const Node& node) { return node.operation.kind == kind; };
}
Wanted that(bool (*matches)(const Operation&)) {
  return [matches](const Node& node) { return matches(node.operation); };
}
bool receives_from_one(const Operation& operation) {
  return is_receive(operation) && operation.peer != trace::kAny;
}
bool receives_a_tag(const Operation& operation) {
  return is_receive(operation) && operation.tag != trace::kAny;
}
bool repeats_a_blocking_call(const Node& node) {
  return node.times > 1 && (node.operation.kind == Kind::send || node.operation.kind == Kind::receive);
}

/// Returns a communicator of all ranks that no other calls use: the last one.
std::uint32_t spare(const Program& program) {
  return static_cast<std::uint32_t>(program.communicators.size() - 1);
}

void leave_out(Place place) {
  *place.second = compute(0);
}

void change_partner(Draw& draw, const Program& program, Place place) {
  Operation& operation = place.second->operation;
  std::vector<std::int32_t> others = program.members(operation.communicator);
  if (others.size() == 1) others = program.members(operation.communicator = 0);
  const auto partner = std::find(others.begin(), others.end(), operation.peer);
  others.erase(partner);
  operation.peer = draw.of(others);
}

// ---- Mistakes of several ranks together, as one more communication

using Everybody = std::vector<std::int32_t>;

Everybody shuffled(Generator& generator) {
  Everybody all = generator.program().members(0);
  generator.draw().shuffle(all);
  return all;
}

void collective_missing_on_one(Generator& generator, Pattern pattern) {
  const std::uint32_t communicator = generator.another_world();
  const std::uint64_t bytes = generator.random_bytes();
  const Everybody all = shuffled(generator);
  for (std::size_t k = 1; k < all.size(); ++k)
    generator.emit(all[k], collective(pattern, bytes, 0, communicator));
}

void collectives_in_another_order(Generator& generator, Pattern pattern) {
  const std::uint32_t one = generator.another_world(), other = generator.another_world();
  const std::uint64_t bytes = generator.random_bytes();
  const Everybody all = shuffled(generator);
  const std::size_t turned = 1 + generator.draw().below(all.size() - 1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    generator.emit(all[k], collective(pattern, bytes, 0, k < turned ? one : other));
    generator.emit(all[k], collective(pattern, bytes, 0, k < turned ? other : one));
  }
}

void roots_differ(Generator& generator) {
  const std::uint32_t communicator = generator.another_world();
  const std::array patterns{Pattern::broadcast, Pattern::reduce, Pattern::gather, Pattern::scatter};
  const Pattern pattern = patterns[generator.draw().below(patterns.size())];
  const std::uint64_t bytes = generator.random_bytes();
  const Everybody all = shuffled(generator);
  for (std::size_t k = 0; k < all.size(); ++k)
    generator.emit(all[k], collective(pattern, bytes, k == 0 ? 1 : 0, communicator));
}

void algorithms_differ(Generator& generator) {
  const std::uint32_t communicator = generator.another_world();
  const std::array patterns{Pattern::allreduce, Pattern::allgather, Pattern::alltoall};
  const Pattern pattern = patterns[generator.draw().below(patterns.size())];
  const std::uint64_t switch_point = generator.platform().algorithms(pattern).back().from_bytes;
  const Everybody all = shuffled(generator);
  for (std::size_t k = 0; k < all.size(); ++k)
    generator.emit(all[k], collective(pattern, k == 0 ? 0 : switch_point, 0, communicator));
}

void sends_face_each_other(Generator& generator) {
  const Everybody all = shuffled(generator);
  for (std::size_t k = 0; k < 2; ++k) {
    generator.emit(all[k], send(all[1 - k], generator.random_bytes(), Mode::synchronous, kOtherTag));
    generator.emit(all[k], receive(all[1 - k], kOtherTag));
  }
}

/// Each waits for the one before it, or sends to the next; then the other.
void circle(Generator& generator, bool waits_first, Mode mode) {
  Everybody all = shuffled(generator);
  all.resize(2 + generator.draw().below(all.size() - 1));
  const std::uint64_t bytes = generator.random_bytes();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Node out = send(all[(k + 1) % all.size()], bytes, mode, kOtherTag);
    const std::int32_t previous = all[(k + all.size() - 1) % all.size()];
    if (!waits_first) generator.emit(all[k], out);
    generator.emit(all[k], start_receive(previous, kOtherTag));
    generator.emit(all[k], wait({1}));
    if (waits_first) generator.emit(all[k], out);
  }
}

void send_to_itself(Generator& generator) {
  const std::int32_t rank = generator.any_rank();
  generator.emit(rank, send(rank, generator.random_bytes(), Mode::synchronous, kOtherTag));
  generator.emit(rank, receive(rank, kOtherTag));
}

void request_without_wait(Generator& generator) {
  const std::int32_t from = generator.any_rank(), to = generator.rank_but(from);
  generator.emit(from, start_send(to, generator.random_bytes(), Mode::synchronous, kOtherTag));
  generator.forget_last_request(from);
  generator.emit(to, receive(from, kOtherTag));
}

constexpr std::int32_t kOtherWindow = Generator::kWindows;

void lock_not_given_back(Generator& generator) {
  const Everybody all = shuffled(generator);
  const std::int32_t owner = generator.any_rank();
  generator.emit(all[0], lock(generator.draw().one_in(2) ? Kind::lock_shared : Kind::lock_exclusive, owner,
                              kOtherWindow));
  for (std::size_t k = 1; k < all.size(); ++k) {
    generator.emit(all[k], lock(generator.draw().one_in(2) ? Kind::lock_shared : Kind::lock_exclusive, owner,
                                kOtherWindow));
    generator.emit(all[k], lock(Kind::unlock, owner, kOtherWindow));
  }
}

/// Each holds one part and requests the next; whether they meet depends on the times.
void locks_in_a_circle(Generator& generator) {
  const Everybody all = shuffled(generator);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::int32_t one = all[k], next = all[(k + 1) % all.size()];
    const Kind kind = generator.draw().one_in(3) ? Kind::lock_shared : Kind::lock_exclusive;
    for (const std::int32_t owner : {one, next}) generator.emit(all[k], lock(kind, owner, kOtherWindow));
    generator.emit(all[k], access(Kind::write, next, generator.random_bytes()));
    for (const std::int32_t owner : {next, one})
      generator.emit(all[k], lock(Kind::unlock, owner, kOtherWindow));
  }
}

/// A mistake of either sort: in a call of the finished program, or as one more communication.
struct Mistake {
  const char* name;
  void (*change)(Draw&, Program&);
  void (*add)(Generator&);
};

Pattern any_pattern(Generator& generator) {
  return static_cast<Pattern>(static_cast<std::uint64_t>(Pattern::barrier) + generator.draw().below(10));
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all{
      {"a receive is missing", [](Draw& d, Program& p) { leave_out(find(d, p, of_kind(Kind::receive))); },
       nullptr},
      {"a send is missing", [](Draw& d, Program& p) { leave_out(find(d, p, of_kind(Kind::send))); }, nullptr},
      {"a wait is missing", [](Draw& d, Program& p) { leave_out(find(d, p, of_kind(Kind::wait))); }, nullptr},
      {"wrong tag of a send",
       [](Draw& d, Program& p) { find(d, p, that(is_send)).second->operation.tag += kOtherTag; }, nullptr},
      {"wrong tag of a receive",
       [](Draw& d, Program& p) { find(d, p, that(receives_a_tag)).second->operation.tag += kOtherTag; },
       nullptr},
      {"wrong destination", [](Draw& d, Program& p) { change_partner(d, p, find(d, p, that(is_send))); },
       nullptr},
      {"wrong source", [](Draw& d, Program& p) { change_partner(d, p, find(d, p, that(receives_from_one))); },
       nullptr},
      {"wrong communicator of a send",
       [](Draw& d, Program& p) { find(d, p, that(is_send)).second->operation.communicator = spare(p); },
       nullptr},
      {"wrong communicator of a receive",
       [](Draw& d, Program& p) { find(d, p, that(is_receive)).second->operation.communicator = spare(p); },
       nullptr},
      {"once less", [](Draw& d, Program& p) { --find(d, p, repeats_a_blocking_call).second->times; },
       nullptr},
      {"a collective is missing", nullptr,
       [](Generator& g) { collective_missing_on_one(g, any_pattern(g)); }},
      {"collectives in another order", nullptr,
       [](Generator& g) { collectives_in_another_order(g, any_pattern(g)); }},
      {"roots differ", nullptr, roots_differ},
      {"algorithms differ", nullptr, algorithms_differ},
      {"sends face each other", nullptr, sends_face_each_other},
      {"a circle of waits", nullptr, [](Generator& g) { circle(g, true, Mode::standard); }},
      {"a circle of sends", nullptr,
       [](Generator& g) { circle(g, false, g.draw().one_in(2) ? Mode::synchronous : Mode::standard); }},
      {"a send to itself", nullptr, send_to_itself},
      {"one receive from any source too many", nullptr, [](Generator& g) { g.phase(false, 1); }},
      {"a request that nobody waits for", nullptr, request_without_wait},
      {"a lock that is not given back", nullptr, lock_not_given_back},
      {"locks in a circle", nullptr, locks_in_a_circle},
  };
  return all;
}

}  // namespace

std::string mistake_name(int kind) {
  return mistakes()[static_cast<std::size_t>(kind)].name;
}

Case broken_case(std::uint64_t seed, int kind) {
  const Mistake& mistake = mistakes()[static_cast<std::size_t>(kind)];
  Generator generator(seed, 2);
  generator.foundation();
  generator.fill(8);
  if (mistake.add) mistake.add(generator);
  generator.fill(8);
  Platform platform = generator.platform();
  Draw draw(seed + 1);
  Program program = generator.finish();
  program.communicators.push_back({program.members(0)});
  if (mistake.change) mistake.change(draw, program);
  return {to_trace(program), std::move(platform)};
}

}  // namespace parcast::simulate::testing
