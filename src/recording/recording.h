// SPDX-License-Identifier: Apache-2.0
#pragma once
// One recorded run: for each process the list of its communication events, with the computing time in
// between. `read_recording` accepts the files of a killed run or of one with a full disk: every complete
// block, and the open block up to its committed counter. Missing data is listed in `losses` and never
// replaced by guesses.
//
// A recording is a folder NAME.recording/ with meta.json and one rank-N.rec per process (format.h,
// docs/formats/recording.md).

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "recording/counted_sets.h"
#include "recording/folded.h"

namespace parcast::recording {

/// The function of a call, as far as a model needs it. The table of calls (src/record/mpi/calls.table)
/// assigns a class to each MPI function.
enum class CallClass : std::uint8_t {
  none,
  initialise,
  finalise,
  send,  // blocking: standard, buffered, synchronous, ready
  receive,
  send_receive,  // sends and receives at once
  start_send,    // nonblocking
  start_receive,
  wait,   // completes requests; blocks
  test,   // may complete requests; does not block
  probe,  // blocks until a message has arrived
  poll,   // checks whether a message has arrived; does not block
  collective,
  start_collective,
  // creates or frees communicators, groups, topologies (collective)
  communicator,
  region_begin,
  region_end,
  one_sided,  // put, get, accumulate: accesses the memory of another process
  // synchronises one-sided access: fence (pattern barrier), lock, flush, post, start, complete, wait
  epoch,
  input_output,  // file operations of MPI
};

/// The way in which a collective moves data; `none` for other calls.
enum class Pattern : std::uint8_t {
  none,
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  // only with the neighbours in a topology; of an epoch: with a group that the call names
  neighbourhood,
};

constexpr std::int32_t kNoPeer = -1;     // MPI_PROC_NULL, or not applicable
constexpr std::int32_t kAnySource = -2;  // as named by the call; the completion has the actual source
constexpr std::int32_t kOutside = -3;    // a process outside MPI_COMM_WORLD (spawned or connected later)

/// A message, or one side of it, that a call named.
struct Message {
  // world rank of the partner; root of a rooted collective; kAnySource if the call named it
  std::int32_t peer = kNoPeer;
  std::int32_t tag = 0;
  // sent; of blocking receives: received; of nonblocking receives: room in the buffer
  std::uint64_t bytes = 0;
};

/// A request that a wait or test call completed.
struct Completion {
  std::uint32_t request = 0;
  std::int32_t source = kNoPeer;  // world rank, for receives
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// `count` partners with world ranks first, first + stride, ..., each with `bytes` bytes.
struct Share {
  std::int32_t first = 0, stride = 0;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;  // to or from each partner
};

/// Values in the tag field of epochs (call_class.h).
enum class Lock : std::int32_t { none = 0, shared = 1, exclusive = 2 };
constexpr std::int32_t kEpochEnded = 1;

struct Event {
  std::uint16_t call = 0;    // index into Recording::calls
  std::uint16_t thread = 0;  // 0 is the thread that initialised MPI
  std::uint32_t site = 0;    // index into RankRecording::sites
  // index into RankRecording::regions: the path at entry (of region_begin: the new path)
  std::uint32_t region = 0;
  std::uint32_t communicator = 0;  // index into RankRecording::communicators
  std::int64_t enter = 0;          // nanoseconds of the monotonic clock since this rank's MPI_Init returned
  std::int64_t exit = 0;
  // nanoseconds on the processor since the previous event's exit on this thread; 0 before MPI_Init's return
  // and after MPI_Finalize's entry
  std::int64_t compute = 0;
  bool switched = false;  // another thread had the processor during that time
  // send side. Of collectives: root, and bytes that this rank contributes. Of probes: what they named. Of
  // locks, unlocks and flushes: the owner, and a Lock as tag. Of an MPI_Win_test that found the epoch ended,
  // the tag is kEpochEnded.
  Message message;
  // receive side of receives and send_receive. Of collectives: bytes that this rank gets. Of epochs the tag
  // is 1 + the number of the window among the communicator's windows, or 0 if not recorded; 1 byte: the
  // program gave MPI_MODE_NOCHECK.
  Message received;
  // index into RankRecording::shares, 0 if not recorded. Of collectives with unequal parts: the parts; of
  // MPI_Win_post and MPI_Win_start: the group.
  std::uint32_t sent_shares = 0;
  std::uint32_t received_shares = 0;
  std::uint32_t request = 0;  // of start_* calls: serial number within the rank; 0: none
  // range in RankRecording::completions
  std::uint32_t first_completion = 0;
  std::uint32_t completion_count = 0;
  std::uint32_t created = 0;  // communicator created by this call; 0: none
  // number of calls; a loop of unsuccessful polls is one event, from the first entry to the last exit
  std::uint32_t repeats = 1;
  // a further request of the same call (MPI_Startall), not a further call
  bool continued = false;
  // nanoseconds off the processor between enter and exit, if the recorder noticed
  std::int64_t stolen = 0;
  bool estimated = false;  // the event was folded: its times are means over all executions
};

constexpr std::uint32_t kNoModule = 0xffffffff;

/// A function that another function was inlined into, and the line of the inlined call.
struct Frame {
  std::string function, file;
  int line = 0;
};

/// The place of a call: a return address in a module. File and line are found after the run from the debug
/// data.
struct Site {
  // index into RankRecording::modules; kNoModule for an unknown site
  std::uint32_t module = kNoModule;
  std::uint64_t offset = 0;    // return address minus load address
  std::string function, file;  // empty when unknown
  int line = 0;
  // functions that `function` was inlined into, innermost first
  std::vector<Frame> inlined_into = {};
};

struct Module {
  std::string path, build_id;
};

struct Communicator {
  // in order of the communicator's ranks
  std::vector<std::int32_t> world_ranks;
  std::vector<std::int32_t> dimensions;  // of a Cartesian topology, otherwise empty
  std::vector<bool> periodic;
  std::vector<std::int32_t> coordinates;  // of this rank
};

/// One part of a region's path. A function on the stack has a module; it gets its name when it is looked up.
struct PathPart {
  std::uint32_t parent = 0;          // index into RankRecording::regions
  std::uint32_t module = kNoModule;  // kNoModule: the program gave the name
  std::uint64_t offset = 0;          // first byte of the function minus load address
  std::string name;
};

/// The usage of one thread in one region, excluding nested regions. It is sampled at begins and ends of
/// regions, with a minimum distance in time.
struct Usage {
  std::uint16_t thread = 0;
  std::uint32_t region = 0;  // index into RankRecording::regions
  std::uint64_t samples = 0;
  // pages mapped without and with a disk read
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  // largest resident memory of the process in bytes so far, at the last sample in this region
  std::uint64_t peak_memory = 0;
  std::uint64_t peak_growth = 0;                                    // bytes by which that grew in this region
  std::optional<std::uint64_t> cycles, instructions, cache_misses;  // if the kernel permits these counters
};

/// The usage of the thread that reports the phases, over some of them.
struct PhaseUsage {
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::optional<std::uint64_t> cycles, instructions, cache_misses;
};
/// Returns the sum. A counter missing in one operand is missing in the sum.
PhaseUsage operator+(const PhaseUsage& a, const PhaseUsage& b);

/// The activity on which the time of a phase is spent.
enum class PhaseKind : std::uint8_t { computation, communication, idle };

/// A part of the process's time line that the program reported (parcast_phase).
struct Phase {
  PhaseKind kind = PhaseKind::computation;
  std::uint32_t name = 0;  // index into RankRecording::phase_names
  // nanoseconds as in Event; every phase but the first begins at the end of the previous one
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double operations = 0;  // number of equal operations done
  double quantums = 0;    // number of units of data handled or moved
};

/// The usage from the end of the last sampled phase to the end of this one. It includes the phases in
/// between, which last at most 0.2 ms together.
struct PhaseSample {
  std::size_t phase = 0;  // index into RankRecording::phases
  PhaseUsage usage;
};

/// A call that was counted but not recorded as events.
struct UnfollowedCall {
  std::string name;
  std::uint64_t count = 0;
};

struct Loss {
  // one sentence: which block, bytes or events are missing, and why
  std::string what;
};

struct RankRecording {
  std::int32_t rank = 0;
  std::string host;
  bool finalised = false;  // the process reached MPI_Finalize
  bool complete = false;   // finalised, and nothing of its file is lost: its counts are complete
  std::string clock;       // how times were measured: "counter, switches detected", ...
  int cores = 0;           // online on this host; 0: unknown
  // part of a core that the kernel reserves for each thread; 1: no reservation
  double processor_share = 1;
  std::string started;  // ISO 8601, UTC: time of MPI_Init's return
  std::string mpi_library;
  std::vector<std::string> command;
  double clock_frequency = 0;  // time stamp counter ticks per second
  // nanoseconds of the host's monotonic clock at time 0; puts the ranks of a host on one time line
  std::int64_t zero = 0;
  double overhead_per_event = 0;  // seconds, measured at start
  // events that were folded during recording, by thread and in order; `events` has the later ones
  std::vector<Chapter> chapters;
  std::vector<Event> events;  // in order of entry per thread
  std::vector<Completion> completions;
  std::vector<Site> sites;
  std::vector<Module> modules;
  std::vector<Communicator> communicators;  // [0] is MPI_COMM_WORLD
  std::vector<std::vector<Share>> shares;   // bytes per partner of collectives; [0] is the empty list
  std::vector<std::string> regions;         // "main/solve/halo"; [0] is ""
  // one per region; empty when no region is a function on the stack
  std::vector<PathPart> path_parts;
  // events whose path on the stack is unknown; their region is the one that the program set
  std::uint64_t without_path = 0;
  std::vector<Usage> usage;  // by thread and region
  std::vector<std::string> phase_names;
  // in order, without gaps; of a finalised rank the last one is "end", idle (phases.md)
  std::vector<Phase> phases;
  std::vector<PhaseSample> phase_samples;                // in the order of phases; empty if not recorded
  std::map<std::string, double> parameters;              // given by parcast_parameter
  std::map<std::string, double> environment_parameters;  // given by PARCAST_PARAM
  std::vector<UnfollowedCall> unfollowed;
  std::uint64_t dropped_events = 0;  // not kept because a limit was reached
  // number of events that were read and then freed by release_events()
  std::uint64_t released_events = 0;
  std::uint8_t released_threads = 0;  // process_time.h, Threads, of the freed events
  // nanoseconds on the processor, summed over threads; for the process see process_time.h
  std::int64_t total_compute = 0;
  // nanoseconds from MPI_Init's return to MPI_Finalize's entry (or to the last event)
  std::int64_t wall = 0;
  std::uint64_t peak_memory = 0;  // largest resident memory in bytes; 0: unknown
  // the order was not kept in some chapters; counts, sums and times are complete
  bool summarised = false;
  // seconds that the recorder spent between events on the file and on folding
  double own_seconds = 0;
  Counted counted;  // counts made by the program, if it was compiled with the pass
};

/// The source and tag that a blocking receive (receive, send_receive) named. Other calls have them in their
/// events: Event::received of nonblocking receives, Event::message of probes and polls. There kAnySource
/// means any source, and a negative tag means any tag.
enum class Asked : std::uint8_t {
  unknown,  // recorded before format 7, or by other tools
  named,    // source and tag
  any_source,
  any_tag,
  anything,  // both
};

struct Call {
  std::string name;  // not unique: calls of one name may differ in class, pattern or `asked`
  CallClass kind = CallClass::none;
  Pattern pattern = Pattern::none;
  Asked asked = Asked::unknown;
};

/// Return whether a receive or a probe named any source, or any tag. False for other calls, and if it was not
/// recorded.
bool asks_any_source(const Call& call, const Event& event);
bool asks_any_tag(const Call& call, const Event& event);
/// Return whether the call's events refer to a list of partners in place of the sent tag, or of the received
/// tag.
constexpr bool lists_sent(const Call& call) {
  return call.kind == CallClass::collective || call.kind == CallClass::start_collective ||
         (call.kind == CallClass::epoch && call.pattern == Pattern::neighbourhood);
}
constexpr bool lists_received(const Call& call) {
  return call.kind == CallClass::collective || call.kind == CallClass::start_collective;
}

struct Recording {
  std::string program;  // from --name, otherwise the name of the executable
  std::vector<std::string> command;
  std::map<std::string, double> parameters;  // --param takes precedence over parcast_parameter
  std::int32_t processes = 0;
  std::string mpi_library;
  std::string started;          // ISO 8601, UTC
  std::string machine_summary;  // processor model, cores
  int cores_per_host = 0;
  // whether the host of `parcast record` is a virtual machine, as far as it shows
  bool virtual_machine = false;
  int exit_code = 0;
  double launch_seconds = 0;      // wall time of the launch line
  std::string executable_digest;  // identifies the program
  std::vector<Call> calls;
  std::vector<RankRecording> ranks;  // by rank
  std::vector<Loss> losses;
  std::string digest;  // of the files, in rank order
  // of the programs that counted (facts.md), as in the file; empty when there is none
  std::string facts;
  // events of the run that an importer left out, one sentence each
  std::vector<std::string> outside;
  // part of the computing, mean per process: in calls that start accelerators or wait for them
  double accelerator_seconds = 0;
  // subfolders that are recordings themselves: processes started later, or by a second launch, have their own
  // MPI_COMM_WORLD
  std::vector<std::string> worlds;
  /// Returns whether some host ran more processes than it has cores. A process with a reserved share counts
  /// as that share. When some process has no host recorded, all processes count as running on one host with
  /// `cores_per_host` cores.
  bool oversubscribed() const;
};

/// Reads a complete recording. Fails only when nothing usable is there (no folder, no rank file, not a
/// recording); damage is listed in `losses`.
Result<Recording> read_recording(const std::filesystem::path& folder);

/// The bytes of a rank's second file, rank-N.counts.
struct CountsFile {
  std::string bytes, where;
};

/// Reads one rank's file from memory, and its counts if there are any. Appends to `losses`. The fuzzer calls
/// this.
Result<RankRecording> read_rank(std::string_view bytes, const std::string& where, std::vector<Call>& calls,
                                std::vector<Loss>& losses,
                                const std::optional<CountsFile>& counts = std::nullopt);

/// Fills in function, file, line and `inlined_into` of every site from the modules' debug data, where it is
/// found.
void resolve_sites(Recording& recording);

/// Returns the size of a collective for one rank: its contribution. For broadcasts and scatters it is the
/// bytes that the rank has afterwards, so that the size does not depend on the root.
std::uint64_t collective_volume(const Event& event, Pattern pattern);
/// Returns the sum of collective_volume over folded events.
std::uint64_t collective_volume(const FoldedKey& key, Pattern pattern);

/// Returns the number of events, folded or not, including freed ones.
std::uint64_t event_count(const RankRecording& rank);
/// Frees events and phases, and everything that only they refer to; event_count() still counts them.
void release_events(RankRecording& rank);
/// Returns the seconds that recording took from the process: a measured cost per event, and the time spent on
/// blocks and folding.
double seconds_recording(const RankRecording& rank);

/// Sums over the events of one process and one kind of call, folded or not.
struct CallSums {
  std::uint64_t events = 0;
  std::uint64_t calls = 0;  // excludes further requests of one call, includes repeated polls
  std::uint64_t sent = 0;   // events that name a receiver
  std::uint64_t sent_bytes = 0, received_bytes = 0;  // of Event::message and Event::received
  std::uint64_t collective_bytes = 0;                // sum of collective_volume
  double inside = 0;                                 // nanoseconds
};
/// Returns the sums by index of `calls`.
std::vector<CallSums> sums_by_call(const RankRecording& rank, const std::vector<Call>& calls);

/// Sum over all phases of one kind and name.
struct PhaseSum {
  PhaseKind kind = PhaseKind::computation;
  std::string name;
  std::uint64_t executions = 0;
  double seconds = 0;
  double operations = 0, quantums = 0;
  std::optional<PhaseUsage> usage;  // nothing when some rank did not record it
};
/// Return the sums of one rank, or over all ranks: by kind, then by name in order of first appearance.
std::vector<PhaseSum> phase_sums(const RankRecording& rank);
std::vector<PhaseSum> phase_sums(const Recording& recording);

/// Totals of one rank, as printed by `show --counts`.
struct RankCounts {
  std::int32_t rank = 0;
  std::map<std::string, std::uint64_t> calls;
  std::uint64_t messages_sent = 0;     // point to point
  std::uint64_t bytes_sent = 0;        // point to point
  std::uint64_t collective_bytes = 0;  // sum of collective_volume
  std::uint64_t put_bytes = 0;         // to the memory of other processes
  std::uint64_t got_bytes = 0;         // from the memory of other processes
  std::uint64_t written_bytes = 0;     // to files, by MPI
  std::uint64_t read_bytes = 0;
  double compute_seconds = 0;        // of the process (process_time.h)
  double communication_seconds = 0;  // in calls, summed over threads
  std::uint64_t events = 0;
};
std::vector<RankCounts> count(const Recording& recording);

}  // namespace parcast::recording
