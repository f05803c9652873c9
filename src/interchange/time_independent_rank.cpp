// SPDX-License-Identifier: Apache-2.0
#include "interchange/time_independent_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "interchange/time_independent_arguments.h"

namespace parcast::interchange {

using recording::Pattern;
using trace::Kind;

/// An action, its smallest number of arguments, and the number of further arguments per rank.
struct TiRank::Action {
  std::string name;
  void (TiRank::*act)(TiArguments&);
  std::size_t least = 0, per_rank = 0;
};

const std::vector<TiRank::Action>& TiRank::actions() {
  static const std::vector<Action> table{
      {"init", &TiRank::initialise},
      {"finalize", &TiRank::finalise},
      {"comm_size", &TiRank::skip},
      {"comm_split", &TiRank::skip_communicator},
      {"comm_dup", &TiRank::skip_communicator},
      {"location", &TiRank::skip},
      {"compute", &TiRank::compute, 1},
      {"sleep", &TiRank::sleep, 1},
      {"send", &TiRank::send, 3},
      {"isend", &TiRank::start_send, 3},
      {"Ssend", &TiRank::send_synchronous, 3},  // SimGrid records this name, but its replay refuses it
      {"ssend", &TiRank::send_synchronous, 3},
      {"Issend", &TiRank::start_send_synchronous, 3},
      {"issend", &TiRank::start_send_synchronous, 3},
      {"recv", &TiRank::receive, 3},
      {"irecv", &TiRank::start_receive, 3},
      {"sendRecv", &TiRank::send_receive, 4},
      {"sendrecv", &TiRank::send_receive, 4},
      {"wait", &TiRank::wait, 3},
      {"waitall", &TiRank::wait_for_all},
      {"test", &TiRank::poll, 3},
      {"barrier", &TiRank::barrier},
      {"bcast", &TiRank::broadcast, 1},
      {"reduce", &TiRank::reduce, 2},
      {"allreduce", &TiRank::allreduce, 2},
      {"scan", &TiRank::scan, 2},
      {"exscan", &TiRank::exclusive_scan, 2},
      {"alltoall", &TiRank::alltoall, 2},
      {"alltoallv", &TiRank::alltoall_uneven, 2, 2},
      {"gather", &TiRank::gather, 2},
      {"gatherv", &TiRank::gather_uneven, 1, 1},
      {"allgather", &TiRank::allgather, 2},
      {"allgatherv", &TiRank::allgather_uneven, 1, 1},
      {"scatter", &TiRank::scatter, 2},
      {"scatterv", &TiRank::scatter_uneven, 1, 1},
      {"reducescatter", &TiRank::reduce_scatter, 1, 1},
  };
  return table;
}

const TiRank::Action* TiRank::find(std::string_view name) {
  for (const Action& each : actions())
    if (each.name == name) return &each;
  return nullptr;
}

Result<void> TiRank::action(std::span<const std::string_view> line) {
  if (line.size() < 2) return Error{"a line has a rank and an action", "", ""};
  const std::string_view name = line[1];
  const Action* found = find(name);
  if (!found) {
    std::vector<std::string> names;
    for (const Action& each : actions()) names.push_back(each.name);
    return Error{"there is no action " + std::string(name.substr(0, 40)), "", did_you_mean(name, names)};
  }
  if (finalised_) return Error{std::string(name) + " comes behind finalize", "", ""};
  TiArguments in(name, line.subspan(2), terms_.ranks, default_bytes_);
  const std::size_t least = found->least + found->per_rank * static_cast<std::size_t>(terms_.ranks);
  if (in.size() < least)
    return Error{std::string(name) + " has " + std::to_string(in.size()) + " arguments, and needs " +
                     std::to_string(least),
                 "", ""};
  (this->*found->act)(in);
  if (!in.good()) return Error{in.problem(), "", ""};
  return {};
}

Result<void> TiRank::finish() {
  if (!finalised_)
    return Error{"rank " + std::to_string(rank_) + " has no finalize", "", "is the file whole?"};
  wait_for_open();
  return words_.finish();
}

void TiRank::initialise(TiArguments& in) {
  default_bytes_ = kTiTypeBytes[in.has(0) ? 0 : 6];
}
void TiRank::finalise(TiArguments&) {
  finalised_ = true;
}
void TiRank::skip_communicator(TiArguments&) {
  terms_.communicators = true;
}

void TiRank::put_time(TiArguments& in, double seconds) {
  const double picoseconds = seconds * 1e12;
  if (!(picoseconds < static_cast<double>(trace::kLongest))) return in.fail("this takes longer than 26 days");
  if (in.good()) words_.add_compute(std::llround(picoseconds));
}

void TiRank::compute(TiArguments& in) {
  terms_.computed = true;
  put_time(in, in.amount(0, "the number of operations") / terms_.flops_per_second);
}

void TiRank::sleep(TiArguments& in) {
  terms_.slept = true;
  put_time(in, in.amount(0, "the time"));
}

void TiRank::message(TiArguments& in, Kind kind, trace::Mode mode) {
  const bool receive = kind == Kind::receive || kind == Kind::start_receive;
  const std::int32_t partner = receive ? in.rank_or_any(0, "the partner") : in.rank(0, "the partner");
  const std::int32_t tag = in.tag(1, receive);
  const bool unknown = receive && in.is_negative(2);  // the size of a receive may be unknown
  put_message(in, kind, mode, partner, tag, unknown ? 0 : in.bytes(2, 3));
}

void TiRank::put_message(TiArguments& in, Kind kind, trace::Mode mode, std::int32_t partner, std::int32_t tag,
                         std::uint64_t bytes) {
  if (!in.good()) return;
  trace::Operation out;
  out.kind = kind;
  out.mode = mode;
  out.peer = partner == trace::kAny ? trace::kAny : partner - rank_;
  out.tag = tag;
  out.bytes = bytes;
  words_.add(out);
  if (kind == Kind::start_send) open_.push_back({words_.begun(), rank_, partner, tag});
  if (kind == Kind::start_receive) open_.push_back({words_.begun(), partner, rank_, tag});
}

void TiRank::send(TiArguments& in) {
  message(in, Kind::send);
}
void TiRank::start_send(TiArguments& in) {
  message(in, Kind::start_send);
}
void TiRank::send_synchronous(TiArguments& in) {
  message(in, Kind::send, trace::Mode::synchronous);
}
void TiRank::start_send_synchronous(TiArguments& in) {
  message(in, Kind::start_send, trace::Mode::synchronous);
}
void TiRank::receive(TiArguments& in) {
  message(in, Kind::receive);
}
void TiRank::start_receive(TiArguments& in) {
  message(in, Kind::start_receive);
}

/// Arguments: elements sent, to, elements received, from, types. Both messages have tag 0.
void TiRank::send_receive(TiArguments& in) {
  const bool sends = in.whole(1, "the destination") != kTiNoProcess,
             receives = in.whole(3, "the source") != kTiNoProcess;
  const std::int32_t to = sends ? in.rank(1, "the destination") : 0,
                     from = receives ? in.rank_or_any(3, "the source") : 0;
  const std::uint64_t sent = in.bytes(0, 4), received = in.bytes(2, 5);
  if (!in.good()) return;
  if (receives) put_message(in, Kind::start_receive, trace::Mode::standard, from, 0, received);
  if (sends) put_message(in, Kind::start_send, trace::Mode::standard, to, 0, sent);
  std::vector<std::uint64_t> requests;
  for (int count = (receives ? 1 : 0) + (sends ? 1 : 0); count > 0; --count) {
    requests.push_back(open_.back().begun_as);
    open_.pop_back();
  }
  words_.add_wait(requests, trace::kNowhere);
}

/// Returns the earliest open request with these names. If there is none, returns the earliest receive for any
/// source or tag that matches them.
std::vector<TiRank::Open>::iterator TiRank::find_open(std::int32_t source, std::int32_t destination,
                                                      std::int32_t tag) {
  const auto exact = std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
    return each.source == source && each.destination == destination && each.tag == tag;
  });
  if (exact != open_.end()) return exact;
  return std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
    return each.destination == destination && (each.source == source || each.source == trace::kAny) &&
           (each.tag == tag || each.tag == trace::kAny);
  });
}

void TiRank::wait(TiArguments& in) {
  const std::int32_t source = in.rank_or_any(0, "the source"), destination = in.rank(1, "the destination"),
                     tag = in.tag(2, true);
  if (!in.good()) return;
  const auto found = find_open(source, destination, tag);
  if (found == open_.end()) {
    // A test in the traced run may have completed the request; replay goes on, too.
    if (polled_.count({source, destination, tag}) == 0) in.fail("there is no such request open");
    return;
  }
  const std::array<std::uint64_t, 1> request{found->begun_as};
  open_.erase(found);
  words_.add_wait(request, trace::kNowhere);
}

void TiRank::wait_for_all(TiArguments&) {
  wait_for_open();
}

void TiRank::wait_for_open() {
  std::vector<std::uint64_t> requests;
  for (const Open& each : open_) requests.push_back(each.begun_as);
  open_.clear();
  words_.add_wait(requests, trace::kNowhere);
}

void TiRank::poll(TiArguments& in) {
  const std::array<std::int32_t, 3> request{in.rank_or_any(0, "the source"), in.rank(1, "the destination"),
                                            in.tag(2, true)};
  terms_.polled = true;
  if (in.good()) polled_.insert(request);
}

void TiRank::put_collective(TiArguments& in, Pattern pattern, std::uint64_t bytes, std::int32_t root) {
  if (!in.good()) return;
  trace::Operation out;
  out.kind = Kind::collective;
  out.pattern = pattern;
  out.bytes = bytes;
  out.root = root;
  words_.add(out);
}

void TiRank::barrier(TiArguments& in) {
  put_collective(in, Pattern::barrier, 0);
}

void TiRank::broadcast(TiArguments& in) {
  const std::uint64_t bytes = in.bytes(0, 2);
  put_collective(in, Pattern::broadcast, bytes, in.root(1));
}

/// Arguments: elements, operations of the reduction, root, type. The arithmetic follows the collective, as in
/// replay.
void TiRank::reduce(TiArguments& in) {
  const std::uint64_t bytes = in.bytes(0, 3);
  put_collective(in, Pattern::reduce, bytes, in.root(2));
  compute_behind(in, 1);
}

void TiRank::allreduce(TiArguments& in) {
  put_collective(in, Pattern::allreduce, in.bytes(0, 2));
  compute_behind(in, 1);
}

void TiRank::scan(TiArguments& in) {
  put_collective(in, Pattern::scan, in.bytes(0, 2));
  compute_behind(in, 1);
}

void TiRank::exclusive_scan(TiArguments& in) {
  terms_.exclusive = true;
  scan(in);
}

void TiRank::compute_behind(TiArguments& in, std::size_t operations_at) {
  const double operations = in.amount(operations_at, "the number of operations");
  if (operations == 0) return;
  terms_.computed = true;
  put_time(in, operations / terms_.flops_per_second);
}

/// Arguments: elements to each, elements from each, types.
void TiRank::alltoall(TiArguments& in) {
  const double elements = in.amount(0, "the size") * static_cast<double>(in.ranks());
  put_collective(in, Pattern::alltoall, in.bytes_of(elements, in.type(2)));
}

/// Arguments: size of the send buffer, elements to each, size of the receive buffer, elements from each,
/// types.
void TiRank::alltoall_uneven(TiArguments& in) {
  terms_.uneven = true;
  const std::size_t types = 2 + 2 * in.ranks();
  // SimGrid uses the types only if both are present.
  const std::uint64_t each = in.type(in.has(types + 1) ? types : in.size());
  put_collective(in, Pattern::alltoall, in.bytes_of(in.sum(1, in.ranks()), each));
}

void TiRank::gather(TiArguments& in) {
  const std::uint64_t bytes = in.bytes(0, 3);
  put_collective(in, Pattern::gather, bytes, in.root(2));
}

/// Arguments: elements sent, elements from each, root, types.
void TiRank::gather_uneven(TiArguments& in) {
  terms_.uneven = true;
  const std::uint64_t bytes = in.bytes(0, 2 + in.ranks());
  put_collective(in, Pattern::gather, bytes, in.root(1 + in.ranks()));
}

void TiRank::allgather(TiArguments& in) {
  put_collective(in, Pattern::allgather, in.bytes(0, 2));
}

/// Arguments: elements sent, elements from each, then a type, or displacements, or both.
void TiRank::allgather_uneven(TiArguments& in) {
  terms_.uneven = true;
  const std::size_t counts = 1 + in.ranks(), more = in.size() - counts;
  const bool places_alone = more > 2 && more <= in.ranks();
  put_collective(in, Pattern::allgather, in.bytes(0, places_alone ? in.size() : counts));
}

/// Arguments: elements to each, elements received, root, types.
void TiRank::scatter(TiArguments& in) {
  const std::uint64_t bytes = in.bytes(1, 4);
  put_collective(in, Pattern::scatter, bytes, in.root(2));
}

/// Arguments: elements to each, elements received, root, types.
void TiRank::scatter_uneven(TiArguments& in) {
  terms_.uneven = true;
  const std::size_t received = in.ranks();
  const std::uint64_t bytes = in.bytes(received, received + 3);
  put_collective(in, Pattern::scatter, bytes, in.root(received + 1));
}

/// Arguments: elements for each, operations of the reduction, type.
void TiRank::reduce_scatter(TiArguments& in) {
  const std::size_t operations = in.ranks();
  put_collective(in, Pattern::reduce_scatter, in.bytes_of(in.sum(0, in.ranks()), in.type(operations + 1)));
  compute_behind(in, operations);
}

}  // namespace parcast::interchange
