// SPDX-License-Identifier: Apache-2.0
#include "interchange/perfetto.h"

#include <algorithm>

namespace parcast::interchange {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;  // size of the write buffer in bytes

// Field numbers of Perfetto's messages (docs/formats/perfetto.md).
namespace file {
constexpr std::uint32_t kPacket = 1;
}
namespace packet {
constexpr std::uint32_t kTime = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13, kTrack = 60;
}
namespace event {
constexpr std::uint32_t kArgument = 4, kType = 9, kNameNumber = 10, kTrack = 11, kCategory = 22, kFlow = 47,
                        kFlowEnd = 48;
}
namespace argument {
constexpr std::uint32_t kInteger = 4, kText = 6, kName = 10;
}
namespace track {
constexpr std::uint32_t kNumber = 1, kProcess = 3, kThread = 4, kParent = 5;
}
namespace process {
constexpr std::uint32_t kPid = 1, kName = 6;
}
namespace thread {
constexpr std::uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace interned {
constexpr std::uint32_t kEventName = 2, kNumber = 1, kText = 2;
}
enum Type : std::uint64_t { kBegin = 1, kEnd = 2 };
enum Flags : std::uint64_t { kCleared = 1, kNeedsNames = 2 };

std::uint64_t track_of_rank(std::int32_t rank) {
  return (std::uint64_t{1} << 32) + static_cast<std::uint64_t>(rank);
}
std::uint64_t track_of_node(std::int32_t node) {
  return static_cast<std::uint64_t>(node) + 1;
}
std::uint64_t whole_nanoseconds(Time time) {
  return static_cast<std::uint64_t>((time + trace::kPerNanosecond / 2) / trace::kPerNanosecond);
}

void add_argument(ProtoMessage& event, std::string_view name, std::int64_t value) {
  ProtoMessage argument;
  argument.text(argument::kName, name);
  argument.number(argument::kInteger, static_cast<std::uint64_t>(value));
  event.message(event::kArgument, argument);
}
void add_argument(ProtoMessage& event, std::string_view name, std::string_view value) {
  ProtoMessage argument;
  argument.text(argument::kName, name);
  argument.text(argument::kText, value);
  event.message(event::kArgument, argument);
}
void add_message(ProtoMessage& event, const std::string& which, const recording::Message& message) {
  if (message.peer == recording::kNoPeer && message.bytes == 0) return;
  if (message.peer >= 0) add_argument(event, which, message.peer);
  if (message.peer == recording::kAnySource) add_argument(event, which, std::string_view("any rank"));
  add_argument(event, "bytes " + which, static_cast<std::int64_t>(message.bytes));
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3);
  varint(value);
}

void ProtoMessage::fixed(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3 | 1);
  for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte));
}

void ProtoMessage::text(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | 2);
  varint(value.size());
  bytes_ += value;
}

Result<PerfettoWriter> PerfettoWriter::create(const trace::Trace& trace, const simulate::Platform& platform,
                                              const std::filesystem::path& to) {
  PARCAST_ASSIGN(UnfinishedFile file, UnfinishedFile::beside(to));
  return PerfettoWriter(trace, platform, std::move(file));
}

PerfettoWriter::PerfettoWriter(const trace::Trace& trace, const simulate::Platform& platform,
                               UnfinishedFile file)
    : PredictedCalls(trace), file_(std::move(file)), open_(static_cast<std::size_t>(trace.ranks)) {
  describe_tracks(platform);
}

void PerfettoWriter::describe_tracks(const simulate::Platform& platform) {
  const bool placed = !platform.node_of.empty();
  const std::int32_t nodes =
      placed ? *std::max_element(platform.node_of.begin(), platform.node_of.end()) + 1 : 1;
  for (std::int32_t node = 0; node < nodes; ++node) {
    ProtoMessage process, track, packet;
    process.number(process::kPid, track_of_node(node));
    process.text(process::kName, placed                    ? "node " + std::to_string(node)
                                 : trace().program.empty() ? "ranks"
                                                           : trace().program);
    track.number(track::kNumber, track_of_node(node));
    track.message(track::kProcess, process);
    if (node == 0) packet.number(packet::kFlags, kCleared);
    packet.message(packet::kTrack, track);
    put(packet);
  }
  for (std::int32_t rank = 0; rank < trace().ranks; ++rank) {
    const std::int32_t node = placed ? platform.node_of[static_cast<std::size_t>(rank)] : 0;
    ProtoMessage thread, track, packet;
    thread.number(thread::kPid, track_of_node(node));
    thread.number(thread::kTid, static_cast<std::uint64_t>(nodes) + 1 + static_cast<std::uint64_t>(rank));
    thread.text(thread::kName, "rank " + std::to_string(rank));
    track.number(track::kNumber, track_of_rank(rank));
    track.number(track::kParent, track_of_node(node));
    track.message(track::kThread, thread);
    packet.message(packet::kTrack, track);
    put(packet);
  }
}

void PerfettoWriter::put(const ProtoMessage& packet) {
  ProtoMessage whole, entry;
  whole.number(packet::kSequence, 1);
  entry.text(file::kPacket, whole.bytes() + packet.bytes());
  pending_ += entry.bytes();
  ++packets_;
  if (pending_.size() < kBufferSize) return;
  file_.write(pending_);
  pending_.clear();
}

/// Returns the number of a name. A name is written once; later packets refer to its number.
std::uint64_t PerfettoWriter::name(std::string_view text, ProtoMessage& packet) {
  const auto found = names_.find(text);
  if (found != names_.end()) return found->second;
  const std::uint64_t number = names_.size() + 1;
  names_.emplace(text, number);
  ProtoMessage entry, data;
  entry.number(interned::kNumber, number);
  entry.text(interned::kText, text);
  data.message(interned::kEventName, entry);
  packet.message(packet::kInterned, data);
  return number;
}

void PerfettoWriter::begin(std::int32_t rank, Time at, std::string_view what, std::string_view category,
                           ProtoMessage event) {
  ProtoMessage packet;
  packet.number(packet::kTime, whole_nanoseconds(at));
  packet.number(packet::kFlags, kNeedsNames);
  event.number(event::kType, kBegin);
  event.number(event::kTrack, track_of_rank(rank));
  event.text(event::kCategory, category);
  event.number(event::kNameNumber, name(what, packet));
  packet.message(packet::kEvent, event);
  put(packet);
}

void PerfettoWriter::end(std::int32_t rank, Time at, ProtoMessage event) {
  ProtoMessage packet;
  packet.number(packet::kTime, whole_nanoseconds(at));
  event.number(event::kType, kEnd);
  event.number(event::kTrack, track_of_rank(rank));
  packet.message(packet::kEvent, event);
  put(packet);
}

void PerfettoWriter::compute(std::int32_t rank, Time from, Time to) {
  if (whole_nanoseconds(to) == whole_nanoseconds(from)) return;
  begin(rank, from, "compute", "compute", {});
  end(rank, to);
}

void PerfettoWriter::go_to_region(std::int32_t rank, const std::string& path, Time at) {
  open_[static_cast<std::size_t>(rank)].go_to(
      path, [&](const std::string&) { end(rank, at); },
      [&](const std::string& entered) { begin(rank, at, OpenRegions::last_part(entered), "region", {}); });
}

ProtoMessage PerfettoWriter::arguments(const PredictedCall& call) const {
  ProtoMessage event;
  const trace::Operation& operation = trace().operations[call.operation];
  add_message(event, "to", call.sent);
  add_message(event, "from", call.received);
  for (const PredictedRequest& request : call.begun)
    add_message(event, request.receive ? "from" : "to", request.message);
  if (operation.kind == trace::Kind::collective)
    add_argument(event, "bytes", static_cast<std::int64_t>(operation.bytes));
  if (operation.communicator > 0) add_argument(event, "communicator", std::int64_t{operation.communicator});
  if (call.waiting > 0)
    add_argument(event, "waiting, ns", static_cast<std::int64_t>(whole_nanoseconds(call.waiting)));
  if (!call.finished) add_argument(event, "hangs", std::string_view("waits here for ever"));
  if (operation.place != trace::kNowhere && !trace().places[operation.place].file.empty())
    add_argument(
        event, "at",
        trace().places[operation.place].file + ":" + std::to_string(trace().places[operation.place].line));
  for (const std::uint64_t message : call.messages_out) event.fixed(event::kFlow, message + 1);
  return event;
}

void PerfettoWriter::call(const PredictedCall& call) {
  const std::uint32_t place = trace().operations[call.operation].place;
  go_to_region(call.rank, place == trace::kNowhere ? "" : trace().places[place].region, call.idle_from);
  compute(call.rank, call.idle_from, call.from);
  begin(call.rank, call.from, call.call->name, "MPI", arguments(call));
  // A flow must go forward in time. A message is received at the end of a call, which may have begun before
  // the message was sent.
  ProtoMessage taken;
  for (const std::uint64_t message : call.messages_in) taken.fixed(event::kFlowEnd, message + 1);
  end(call.rank, call.to, std::move(taken));
}

void PerfettoWriter::rank_ended(std::int32_t rank, Time idle_from, Time at) {
  compute(rank, idle_from, at);
  go_to_region(rank, "", at);
}

Result<void> PerfettoWriter::close() {
  file_.write(pending_);
  pending_.clear();
  return file_.finish();
}

}  // namespace parcast::interchange
