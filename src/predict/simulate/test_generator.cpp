// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/test_generator.h"

#include <algorithm>

namespace parcast::simulate::testing {

namespace {

constexpr std::array kPatterns{
    Pattern::barrier, Pattern::broadcast, Pattern::reduce,   Pattern::allreduce,      Pattern::gather,
    Pattern::scatter, Pattern::allgather, Pattern::alltoall, Pattern::reduce_scatter, Pattern::scan};

}  // namespace

Generator::Generator(std::uint64_t seed, std::size_t least_ranks) : draw_(seed) {
  const std::size_t ranks =
      std::max<std::size_t>(least_ranks, draw_.one_in(4) ? draw_.between(1, 3) : draw_.between(1, 17));
  on_a_grid_ = draw_.one_in(3);
  platform_ = random_platform(draw_, ranks, on_a_grid_);
  ranks_.resize(ranks);
  program_.ranks.resize(ranks);
  from_any_ = draw_.one_in(2);
  left_ = draw_.of({60, 200, 500, 900});
  add_communicators();
}

Program Generator::finish() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    wait_for_all(rank, 0);
    if (draw_.one_in(3)) compute(rank);
    program_.ranks[rank] = std::move(ranks_[rank].body);
  }
  return std::move(program_);
}

std::uint32_t Generator::another_world() {
  std::vector<std::int32_t> all = program_.members(0);
  draw_.shuffle(all);
  program_.communicators.push_back({all});
  return static_cast<std::uint32_t>(program_.communicators.size() - 1);
}

void Generator::emit(std::int32_t rank, Node node) {
  Open& open = ranks_[static_cast<std::size_t>(rank)];
  const bool begins = node.what == trace::Item::What::operation && trace::begins_request(node.operation.kind);
  for (std::uint32_t k = 0; begins && k < node.times; ++k) open.outstanding.push_back(open.begun++);
  open.body.push_back(std::move(node));
}

void Generator::foundation() {
  const std::int32_t a = any_rank(), b = rank_but(a);
  emit(a, repeat(send(b, random_bytes()), 3));
  emit(b, repeat(receive(a), 3));
  emit(a, start_receive(b, 1));
  emit(b, start_send(a, random_bytes(), Mode::synchronous, 1));
  emit(b, start_receive(a, 2));
  emit(a, start_send(b, random_bytes(), Mode::standard, 2));
  wait_for_all(static_cast<std::size_t>(a), 0);
  wait_for_all(static_cast<std::size_t>(b), 0);
}

void Generator::add_communicators() {
  for (std::uint64_t left = draw_.below(5); left > 0; --left) {
    std::vector<std::int32_t> some = program_.members(0);
    draw_.shuffle(some);
    if (!draw_.one_in(4)) some.resize(1 + draw_.below(some.size()));
    program_.communicators.push_back({some});
  }
  usual_communicators_ = program_.communicators.size();
}

void Generator::wait_for(std::size_t rank, const std::vector<std::uint64_t>& requests) {
  Open& open = ranks_[rank];
  std::vector<std::uint32_t> distances;
  for (const std::uint64_t request : requests)
    distances.push_back(static_cast<std::uint32_t>(open.begun - request));
  if (draw_.one_in(3)) distances.push_back(static_cast<std::uint32_t>(1 + draw_.below(open.begun)));
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  Node node = testing::wait(distances);
  if (draw_.one_in(8)) node.times = 2;
  open.body.push_back(std::move(node));
}

/// Earlier calls send the message for which a receive waits, and earlier receives have their own messages, so
/// that a probe finds the message.
void Generator::emit_receives(std::int32_t rank, Node in, std::uint32_t times) {
  if (!draw_.one_in(3)) return emit(rank, repeat(std::move(in), times));
  Node look = in;
  look.operation.kind = Kind::probe;
  for (std::uint32_t k = 0; k < times; ++k) {
    if (!draw_.one_in(3)) emit(rank, repeat(look, draw_.one_in(4) ? 2 : 1));
    maybe_compute(rank);
    emit(rank, repeat(in, 1));
  }
}

void Generator::wait_for_some(std::size_t rank) {
  Open& open = ranks_[rank];
  if (open.outstanding.empty()) return;
  draw_.shuffle(open.outstanding);
  const std::size_t left = draw_.below(open.outstanding.size());
  const std::vector<std::uint64_t> some(open.outstanding.begin() + static_cast<std::ptrdiff_t>(left),
                                        open.outstanding.end());
  open.outstanding.resize(left);
  wait_for(rank, some);
}

void Generator::wait_for_all(std::size_t rank, std::uint64_t first) {
  std::vector<std::uint64_t>& outstanding = ranks_[rank].outstanding;
  while (draw_.one_in(4) && first == 0 && !outstanding.empty()) wait_for_some(rank);
  const auto inner = std::stable_partition(outstanding.begin(), outstanding.end(),
                                           [&](std::uint64_t k) { return k < first; });
  const std::vector<std::uint64_t> requests(inner, outstanding.end());
  outstanding.erase(inner, outstanding.end());
  if (!requests.empty()) wait_for(rank, requests);
}

std::uint64_t Generator::random_bytes() {
  static constexpr std::array<std::uint64_t, 16> kSizes{0,   0,    1,    8,    63,    64,    65,    99,
                                                        100, 4095, 4096, 4097, 65535, 65536, 65537, 1000003};
  return draw_.one_in(60) ? (std::uint64_t{1} << 30) + draw_.below(9) : kSizes[draw_.below(kSizes.size())];
}

// ---- Communications

void Generator::event() {
  const std::uint64_t what = draw_.below(locks_ ? 19 : 16);
  if (what < 6) {
    message();
  } else if (what < 8) {
    exchange();
  } else if (what < 10) {
    collective_call();
  } else if (what < 12 && from_any_) {
    phase(loops_.size() < 3 && draw_.one_in(3));
  } else if (what < 13 && loops_.size() < 3) {
    nested_loop();
  } else if (what < 14 && accesses_) {
    access();
  } else if (what >= 16) {
    locked();
  } else {
    const auto rank = static_cast<std::size_t>(any_rank());
    if (draw_.one_in(2)) compute(rank);
    wait_for_some(rank);
  }
}

/// Both sides begin here, so that between two ranks the order of sends is the order of receives, for any
/// tags.
void Generator::message() {
  const std::uint32_t communicator = any_communicator();
  const std::vector<std::int32_t> members = program_.members(communicator);
  const std::int32_t from = draw_.of(members), to = draw_.of(members);
  const std::uint32_t times = draw_.one_in(3) ? draw_.between(2, 6) : 1;
  if (!spend(times)) return;
  const std::int32_t tag = static_cast<std::int32_t>(draw_.below(3));
  const std::uint64_t bytes = random_bytes();
  const Mode mode = random_mode();
  Node out = draw_.one_in(2) ? send(to, bytes, mode, tag) : start_send(to, bytes, mode, tag);
  const std::int32_t wanted = draw_.one_in(4) ? trace::kAny : tag;
  Node in = draw_.one_in(2) ? receive(from, wanted) : start_receive(from, wanted);
  out.operation.communicator = in.operation.communicator = communicator;
  out.times = in.times = times;
  if (from == to) return message_to_itself(from, std::move(out), std::move(in));
  maybe_compute(from);
  emit(from, std::move(out));
  maybe_compute(to);
  emit_receives(to, std::move(in), times);
}

/// A blocking call of one side comes second, unless it is a send that never waits.
void Generator::message_to_itself(std::int32_t rank, Node out, Node in) {
  const bool send_stays = out.operation.kind == Kind::send && out.operation.mode != Mode::buffered;
  if (send_stays) in.operation.kind = Kind::start_receive;
  const bool receive_first = in.operation.kind == Kind::start_receive && (send_stays || draw_.one_in(2));
  emit(rank, receive_first ? in : out);
  maybe_compute(rank);
  emit(rank, receive_first ? out : in);
}

void Generator::access() {
  static constexpr std::array kKinds{Kind::read, Kind::write, Kind::start_read, Kind::start_write};
  const std::uint32_t times = draw_.one_in(3) ? draw_.between(2, 6) : 1;
  if (!spend(times)) return;
  const std::int32_t rank = any_rank(), owner = any_rank();
  maybe_compute(rank);
  // drawn separately: the compiler chooses the order in which arguments are evaluated
  const std::uint64_t bytes = random_bytes();
  const Kind kind = kKinds[draw_.below(kKinds.size())];
  emit(rank, repeat(testing::access(kind, owner, bytes), times));
}

/// Some members lock parts of a window, access them and unlock them. Window 0 is locked one part at a time,
/// or all parts at once. Of window 1 two parts may be held, the lower owner's first. Window 2 is never locked
/// exclusively. So no ranks wait in a cycle, and a rank's actions while it holds a lock depend on no other
/// rank.
void Generator::locked() {
  const std::uint32_t communicator = any_communicator();
  std::vector<std::int32_t> some = program_.members(communicator);
  const std::vector<std::int32_t> members = some;
  draw_.shuffle(some);
  some.resize(1 + draw_.below(some.size()));
  const auto window = static_cast<std::int32_t>(draw_.below(kWindows));
  const std::uint32_t rounds = draw_.one_in(3) ? draw_.between(2, 5) : 1;
  if (!spend(some.size() * rounds * 10)) return;
  const auto of_lock = [&](Kind kind, std::int32_t owner) {
    Node node = testing::lock(kind, owner, window);
    node.operation.communicator = communicator;
    return node;
  };
  const auto wanted = [&] {
    return window == 2 || draw_.one_in(2) ? Kind::lock_shared : Kind::lock_exclusive;
  };
  const std::int32_t busy = draw_.of(members);  // accessed by most of them
  for (const std::int32_t rank : some) {
    std::vector<std::int32_t> owners{draw_.one_in(3) ? draw_.of(members) : busy};
    if (window == 1 && draw_.one_in(2)) owners.push_back(draw_.of(members));
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    if (window != 1 && draw_.one_in(3)) owners = {trace::kAny};
    maybe_compute(rank);
    Body body = std::exchange(ranks_[static_cast<std::size_t>(rank)].body, {});
    for (const std::int32_t owner : owners)
      emit(rank, of_lock(owner == trace::kAny ? Kind::lock_shared : wanted(), owner));
    maybe_compute(rank);
    if (draw_.one_in(2)) {
      const std::uint64_t bytes = random_bytes();
      const std::int32_t owner = draw_.of(members);
      emit(rank, testing::access(draw_.one_in(2) ? Kind::write : Kind::read, owner, bytes));
    }
    draw_.shuffle(owners);
    for (const std::int32_t owner : owners) {
      emit(rank, of_lock(Kind::unlock, owner));
      maybe_compute(rank);
    }
    std::swap(body, ranks_[static_cast<std::size_t>(rank)].body);
    if (rounds > 1) {
      ranks_[static_cast<std::size_t>(rank)].body.push_back(testing::loop(rounds, std::move(body)));
    } else {
      for (Node& node : body) ranks_[static_cast<std::size_t>(rank)].body.push_back(std::move(node));
    }
  }
}

/// Exchange in a cycle of some members, from each to the next: receives are started before any member sends.
void Generator::exchange() {
  const std::uint32_t communicator = any_communicator();
  std::vector<std::int32_t> circle = program_.members(communicator);
  draw_.shuffle(circle);
  circle.resize(1 + draw_.below(circle.size()));
  if (!spend(circle.size())) return;
  const std::uint64_t bytes = random_bytes();
  const Mode mode = random_mode();
  const bool at_once = draw_.one_in(2);
  for (std::size_t k = 0; k < circle.size(); ++k) {
    const std::int32_t rank = circle[k], next = circle[(k + 1) % circle.size()];
    const std::int32_t previous = circle[(k + circle.size() - 1) % circle.size()];
    Node in = start_receive(previous, 5);
    Node out = draw_.one_in(2) ? send(next, bytes, mode, 5) : start_send(next, bytes, mode, 5);
    in.operation.communicator = out.operation.communicator = communicator;
    maybe_compute(rank);
    emit(rank, std::move(in));
    maybe_compute(rank);
    emit(rank, std::move(out));
    maybe_compute(rank);
    if (at_once) wait_for_some(static_cast<std::size_t>(rank));
  }
}

void Generator::collective_call() {
  const std::uint32_t communicator = any_communicator();
  const std::vector<std::int32_t> members = program_.members(communicator);
  const Pattern pattern = kPatterns[draw_.below(kPatterns.size())];
  const std::uint64_t switch_point = platform_.algorithms(pattern).back().from_bytes;
  const std::uint64_t bytes =
      draw_.one_in(4) ? switch_point + draw_.below(3) - (switch_point > 0 ? 1 : 0) : random_bytes();
  const auto root = static_cast<std::int32_t>(draw_.below(members.size()));
  const std::uint32_t times = draw_.one_in(6) ? 2 : 1;
  if (!spend(members.size() * members.size() * times)) return;
  for (const std::int32_t rank : members) {
    maybe_compute(rank);
    emit(rank, repeat(collective(pattern, bytes, root, communicator), times));
  }
}

// ---- Receives from any source

/// Some members send to one, which receives from any source. A separate tag or communicator lets the messages
/// match in any order, but with no other calls. Receives from one source are posted first, so that they get
/// their messages. In a loop, the next round could take messages of this one. There, either all messages of a
/// round are received before a barrier, or the loop has no other calls and every receive takes any message.
void Generator::phase(bool alone_in_a_loop, std::uint32_t too_many) {
  Phase phase = draw_phase();
  phase.alone_in_a_loop = alone_in_a_loop;
  const std::uint32_t rounds = alone_in_a_loop ? draw_.between(2, 4) : 1;
  const bool in_a_loop = !loops_.empty();
  const bool spent = spend(phase.senders.size() * phase.each * rounds + (in_a_loop ? 5 * ranks_.size() : 0));
  if (!spent && too_many == 0) return;
  const auto master = static_cast<std::size_t>(phase.master);
  const std::uint64_t begun = ranks_[master].begun;
  if (alone_in_a_loop) begin_loop(rounds);
  send_in(phase);
  receive_in(phase, !alone_in_a_loop, too_many);
  if (in_a_loop || too_many > 0) wait_for_all(master, begun);
  if (alone_in_a_loop) end_loop();
  if (!in_a_loop) return;
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ranks_.size()); ++rank)
    emit(rank, collective(Pattern::barrier, 0));
}

Generator::Phase Generator::draw_phase() {
  Phase phase;
  phase.any_tag = draw_.one_in(3);
  phase.communicator = phase.any_tag ? another_world() : any_communicator();
  phase.senders = program_.members(phase.communicator);
  phase.master = draw_.of(phase.senders);
  draw_.shuffle(phase.senders);
  phase.senders.resize(1 + draw_.below(phase.senders.size()));
  phase.tag = 1000 + phases_++;
  phase.each = draw_.between(1, 3);
  return phase;
}

void Generator::send_in(const Phase& phase) {
  const std::uint64_t bytes = random_bytes();
  for (const std::int32_t rank : phase.senders) {
    const std::int32_t tag = phase.any_tag ? static_cast<std::int32_t>(draw_.below(4)) : phase.tag;
    // A later round may receive the master's own message, so the master must not wait for it.
    const bool never_waits = phase.alone_in_a_loop && rank == phase.master;
    const Mode mode = never_waits ? Mode::buffered : random_mode();
    const bool starts = rank == phase.master || draw_.one_in(2);
    Node out = starts ? start_send(phase.master, bytes, mode, tag) : send(phase.master, bytes, mode, tag);
    out.operation.communicator = phase.communicator;
    maybe_compute(rank);
    emit(rank, repeat(std::move(out), phase.each));
  }
}

void Generator::receive_in(const Phase& phase, bool some_from_one, std::uint32_t too_many) {
  const std::int32_t tag = phase.any_tag ? trace::kAny : phase.tag;
  const bool blocking = draw_.one_in(2);
  const auto emit_receive = [&](std::int32_t from, std::uint32_t times) {
    Node in = blocking ? receive(from, tag) : start_receive(from, tag);
    in.operation.communicator = phase.communicator;
    emit_receives(phase.master, std::move(in), times);
  };
  // A later round may take the message of one sender, so in a loop of receives from any source there is no
  // probe for one.
  if (!phase.alone_in_a_loop && draw_.one_in(4)) {
    Node look = testing::probe(draw_.of(phase.senders), tag);
    look.operation.communicator = phase.communicator;
    emit(phase.master, std::move(look));
  }
  std::uint32_t left = static_cast<std::uint32_t>(phase.senders.size()) * phase.each + too_many;
  for (const std::int32_t rank : phase.senders) {
    if (!some_from_one || !draw_.one_in(4)) continue;
    emit_receive(rank, 1);
    --left;
  }
  if (left > 0) emit_receive(trace::kAny, left);
}

// ---- Loops

void Generator::begin_loop(std::uint32_t rounds) {
  Loop loop;
  loop.rounds = rounds;
  for (Open& open : ranks_) {
    loop.before.push_back(std::exchange(open.body, {}));
    loop.begun.push_back(open.begun);
  }
  loops_.push_back(std::move(loop));
  rounds_ *= rounds;
}

/// Requests that begin in a round are waited for in that round.
void Generator::end_loop() {
  Loop loop = std::move(loops_.back());
  loops_.pop_back();
  rounds_ /= loop.rounds;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    wait_for_all(rank, loop.begun[rank]);
    Open& open = ranks_[rank];
    open.begun += (open.begun - loop.begun[rank]) * (loop.rounds - 1);
    Body body = std::exchange(open.body, std::move(loop.before[rank]));
    if (!body.empty()) open.body.push_back(testing::loop(loop.rounds, std::move(body)));
  }
}

void Generator::nested_loop() {
  begin_loop(draw_.between(2, 4));
  fill(5);
  end_loop();
}

}  // namespace parcast::simulate::testing
