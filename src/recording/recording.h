// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run as it was recorded: per process the list of its communication events, with the computing time between them.
// `read_recording` accepts what a killed or full-disk run left behind: every complete block, and the open block up to its
// committed counter; what is missing is listed in `losses`, never invented.
//
// A recording is a folder NAME.recording/ with meta.json and one rank-N.rec per process (format.h, docs/formats/recording.md).

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

/// What a call does, as far as a model needs to know. The table of calls (src/record/mpi/calls.table) gives each MPI
/// function its class.
enum class CallClass : std::uint8_t {
  none,
  initialise,
  finalise,
  send,                // blocking, buffered, synchronous, ready
  receive,
  send_receive,        // both at once
  start_send,          // nonblocking
  start_receive,
  wait,                // completes requests; blocks
  test,                // may complete requests; does not block
  probe,               // blocks until a message is there
  poll,                // asks whether a message is there
  collective,
  start_collective,
  communicator,        // creates or frees communicators, groups, topologies (collective)
  region_begin,
  region_end,
  one_sided,           // put, get, accumulate: data to or from the memory of another process
  epoch,               // synchronises one-sided access: fence (pattern barrier), lock, flush, post, start, complete, wait
  input_output,        // files, by MPI
};

/// How a collective moves data; `none` for other calls.
enum class Pattern : std::uint8_t {
  none, barrier, broadcast, reduce, allreduce, gather, scatter, allgather, alltoall, reduce_scatter, scan,
  neighbourhood,  // with the neighbours in a topology alone; of an epoch: with a group that the call names
};

constexpr std::int32_t kNoPeer = -1;       // MPI_PROC_NULL, or not applicable
constexpr std::int32_t kAnySource = -2;    // as asked for; the matched source stands in the completion
constexpr std::int32_t kOutside = -3;      // a process that is not in MPI_COMM_WORLD (spawned or connected later)

/// A message (or one side of it) that a call named.
struct Message {
  std::int32_t peer = kNoPeer;   // world rank of the partner; root for rooted collectives; kAnySource as asked for
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;       // sent; for receives what arrived (blocking) or the room asked for (nonblocking)
};

/// A request that a wait or test call completed.
struct Completion {
  std::uint32_t request = 0;
  std::int32_t source = kNoPeer;  // world rank, for receives
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// `count` partners with world ranks first, first + stride, ..., each with that many bytes.
struct Share {
  std::int32_t first = 0, stride = 0;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;        // to or from each
};

/// What epochs say in place of a tag (call_class.h).
enum class Lock : std::int32_t { none = 0, shared = 1, exclusive = 2 };
constexpr std::int32_t kEpochEnded = 1;

struct Event {
  std::uint16_t call = 0;         // index into Recording::calls
  std::uint16_t thread = 0;       // 0 is the thread that initialised MPI
  std::uint32_t site = 0;         // index into RankRecording::sites
  std::uint32_t region = 0;       // index into RankRecording::regions: the path open at entry (of region_begin: the new one)
  std::uint32_t communicator = 0; // index into RankRecording::communicators
  std::int64_t enter = 0;         // nanoseconds of the monotonic clock since this rank's MPI_Init returned
  std::int64_t exit = 0;
  std::int64_t compute = 0;       // nanoseconds on the processor since the previous event's exit on this thread; 0 before
                                  // MPI_Init's return and after MPI_Finalize's entry
  bool switched = false;          // another thread had the processor during that time
  Message message;                // send side; for collectives: root and bytes that this rank contributes; probes: asked; of locks, unlocks
                                  // and flushes: the owner, and as tag a Lock; of MPI_Win_test that tag is kEpochEnded when it is
  Message received;               // receive side of receives and send_receive; for collectives: bytes this rank gets; of epochs the tag is
                                  // 1 + which of the communicator's windows it is, 0 not told; 1 byte: the program said MPI_MODE_NOCHECK
  std::uint32_t sent_shares = 0;  // of collectives whose parts differ: index into RankRecording::shares; 0 not told; of MPI_Win_post, _start: the group
  std::uint32_t received_shares = 0;
  std::uint32_t request = 0;      // of start_* calls: serial number within the rank; 0 none
  std::uint32_t first_completion = 0;  // completions[first .. first + count) of the rank
  std::uint32_t completion_count = 0;
  std::uint32_t created = 0;      // communicator made by this call; 0 none
  std::uint32_t repeats = 1;      // calls this event stands for: a loop of unsuccessful polls is one event, enter to exit
  bool continued = false;         // a further request of the same call (MPI_Startall), not another call
  std::int64_t stolen = 0;        // nanoseconds off the processor between enter and exit, where the recorder noticed
  bool estimated = false;         // it was folded: its times are means of all executions
};

constexpr std::uint32_t kNoModule = 0xffffffff;

/// A function that another one was inlined into, and where it called that.
struct Frame {
  std::string function, file;
  int line = 0;
};

/// Where a call was made: a return address in a module; file and line are found after the run from the debug data.
struct Site {
  std::uint32_t module = kNoModule;  // index into RankRecording::modules; kNoModule of an unknown site
  std::uint64_t offset = 0;       // return address - load address
  std::string function, file;     // empty when unknown
  int line = 0;
  std::vector<Frame> inlined_into = {};  // what `function` is part of, where it was inlined; from the inside out
};

struct Module {
  std::string path, build_id;
};

struct Communicator {
  std::vector<std::int32_t> world_ranks;   // world rank of each member, in order of the communicator's ranks
  std::vector<std::int32_t> dimensions;    // of a Cartesian topology, else empty
  std::vector<bool> periodic;
  std::vector<std::int32_t> coordinates;   // of this rank
};

/// What a region's path is made of. A function of the stack has a module; its name stands there once it was looked up.
struct PathPart {
  std::uint32_t parent = 0;       // index into RankRecording::regions
  std::uint32_t module = kNoModule;  // kNoModule: named by the program
  std::uint64_t offset = 0;       // of the function's first byte - load address
  std::string name;
};

/// What one thread used in one region, without the regions inside. Sampled: at the regions' begins and ends some time apart.
struct Usage {
  std::uint16_t thread = 0;
  std::uint32_t region = 0;       // index into RankRecording::regions
  std::uint64_t samples = 0;
  std::uint64_t minor_faults = 0, major_faults = 0;  // pages mapped without and with reading a disk
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::uint64_t peak_memory = 0;  // bytes resident at most in the process so far, when it was sampled last here
  std::uint64_t peak_growth = 0;  // bytes by which that grew here
  std::optional<std::uint64_t> cycles, instructions, cache_misses;  // where the kernel allows them
};

/// What the thread that tells the phases used in some of them.
struct PhaseUsage {
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::optional<std::uint64_t> cycles, instructions, cache_misses;
};
/// The sum. A counter that one of them does not know is not known of both.
PhaseUsage operator+(const PhaseUsage& a, const PhaseUsage& b);

/// What a phase's time goes to.
enum class PhaseKind : std::uint8_t { computation, communication, idle };

/// A part of the process's time line that the program told (parcast_phase).
struct Phase {
  PhaseKind kind = PhaseKind::computation;
  std::uint32_t name = 0;         // index into RankRecording::phase_names
  std::int64_t begin = 0;         // nanoseconds as in Event; of all but the first phase the end of the one before
  std::int64_t end = 0;
  double operations = 0;          // equal ones, made
  double quantums = 0;            // units of data, handled or moved
};

/// What was used from the end of the last phase that was sampled to the end of this one: of the phases in between, 0.2 ms in all at most, too.
struct PhaseSample {
  std::size_t phase = 0;          // index into RankRecording::phases
  PhaseUsage usage;
};

/// A call that was seen but is not followed in detail.
struct UnfollowedCall {
  std::string name;
  std::uint64_t count = 0;
};

struct Loss {
  std::string what;               // one sentence: which block, bytes or events are missing, and why
};

struct RankRecording {
  std::int32_t rank = 0;
  std::string host;
  bool finalised = false;         // MPI_Finalize was reached
  bool complete = false;          // finalised, and nothing of its file is lost: its counts are whole
  std::string clock;              // how times were taken: "counter, switches detected", ...
  int cores = 0;                  // online on this host; 0 unknown
  double processor_share = 1;     // of a core, reserved by the kernel for each thread; 1 without a reservation
  std::string started;            // ISO 8601, UTC: return of MPI_Init
  std::string mpi_library;
  std::vector<std::string> command;
  double clock_frequency = 0;     // time stamp counter ticks per second
  std::int64_t zero = 0;          // nanoseconds of the host's monotonic clock at time 0; with them the ranks of a host have one time line
  double overhead_per_event = 0;  // seconds, measured at start
  std::vector<Chapter> chapters;  // events that were folded while they were recorded, per thread in their order; then:
  std::vector<Event> events;      // in order of entry per thread
  std::vector<Completion> completions;
  std::vector<Site> sites;
  std::vector<Module> modules;
  std::vector<Communicator> communicators;  // [0] is MPI_COMM_WORLD
  std::vector<std::vector<Share>> shares;   // bytes per partner of collectives; [0] is none
  std::vector<std::string> regions;         // "main/solve/halo"; [0] is ""
  std::vector<PathPart> path_parts;         // of each region; empty where none is a function of the stack
  std::uint64_t without_path = 0;           // events whose path on the stack is not known: their region is the program's own
  std::vector<Usage> usage;                 // by thread and region
  std::vector<std::string> phase_names;
  std::vector<Phase> phases;                // in order, without gaps; of a finalised rank the last one is "end", idle (phases.md)
  std::vector<PhaseSample> phase_samples;   // in the order of phases; none where that was not recorded
  std::map<std::string, double> parameters; // given by parcast_parameter
  std::map<std::string, double> environment_parameters;  // given by PARCAST_PARAM
  std::vector<UnfollowedCall> unfollowed;
  std::uint64_t dropped_events = 0;         // not kept because a limit was reached
  std::uint64_t released_events = 0;        // of those that were read: let go by who had used them
  std::uint8_t released_threads = 0;         // process_time.h, Threads, of those
  std::int64_t total_compute = 0;           // nanoseconds on the processor, of each thread added up; the process's: process_time.h
  std::int64_t wall = 0;                    // nanoseconds from MPI_Init's return to MPI_Finalize's entry (or the last event)
  std::uint64_t peak_memory = 0;            // bytes resident at most; 0 unknown
  bool summarised = false;                  // some chapters' order was given up: counts, sums and times are whole
  double own_seconds = 0;                   // that the recorder spent between events on the file and on folding
  Counted counted;                          // by the program itself, where it was compiled with the pass
};

/// What a call that receives and returns with the message (receive, send_receive) named. Of others their events say it:
/// Event::received of those that begin a receive, Event::message of probes and polls; kAnySource there, and a tag below 0 for any.
enum class Asked : std::uint8_t {
  unknown,     // recorded before format 7, or by other tools
  named,       // source and tag
  any_source,
  any_tag,
  anything,    // both
};

struct Call {
  std::string name;         // not unique: calls of one name differ in what they do
  CallClass kind = CallClass::none;
  Pattern pattern = Pattern::none;
  Asked asked = Asked::unknown;
};

/// Whether a receive or a probe was for any source, any tag. False of what asks for none, and where it was not recorded.
bool asks_any_source(const Call& call, const Event& event);
bool asks_any_tag(const Call& call, const Event& event);
/// Whether events of the call tell the partners in a list, in place of the tag of what they send, and of what they receive.
constexpr bool lists_sent(const Call& call) {
  return call.kind == CallClass::collective || call.kind == CallClass::start_collective || (call.kind == CallClass::epoch && call.pattern == Pattern::neighbourhood);
}
constexpr bool lists_received(const Call& call) { return call.kind == CallClass::collective || call.kind == CallClass::start_collective; }

struct Recording {
  std::string program;                      // name given with --name, else of the executable
  std::vector<std::string> command;
  std::map<std::string, double> parameters; // --param over parcast_parameter
  std::int32_t processes = 0;
  std::string mpi_library;
  std::string started;                      // ISO 8601, UTC
  std::string machine_summary;              // processor model, cores
  int cores_per_host = 0;
  bool virtual_machine = false;             // the host that ran `parcast record` is one, as far as it tells
  int exit_code = 0;
  double launch_seconds = 0;                // wall time of the whole launch line
  std::string executable_digest;            // tells programs apart
  std::vector<Call> calls;
  std::vector<RankRecording> ranks;         // by rank
  std::vector<Loss> losses;
  std::string digest;                       // of the files, in rank order
  std::string facts;                        // of the programs that counted (facts.md), as the file holds them; empty where there is none
  std::vector<std::string> outside;         // what the run did and an importer left out, a sentence each
  double accelerator_seconds = 0;           // of the computing, a process's mean: in calls that start accelerators or wait for them
  std::vector<std::string> worlds;          // subfolders with recordings of their own: processes started later, or by a
                                            // second launch, have an MPI_COMM_WORLD of their own
  /// Some host ran more processes than it has cores; those with a reserved share count by it. Where not every process tells its host, all are taken to have run
  /// on one of `cores_per_host`.
  bool oversubscribed() const;
};

/// Reads a whole recording. An error only when nothing usable is there (no folder, no rank file, not a recording);
/// damage is listed in `losses`.
Result<Recording> read_recording(const std::filesystem::path& folder);

/// The bytes of a rank's other file, rank-N.counts.
struct CountsFile {
  std::string bytes, where;
};

/// Reads one rank's file from memory, and its counts where there are any: what the fuzzer calls. Appends to `losses`.
Result<RankRecording> read_rank(std::string_view bytes, const std::string& where, std::vector<Call>& calls,
                                std::vector<Loss>& losses, const std::optional<CountsFile>& counts = std::nullopt);

/// Fills function, file, line and what that was inlined into of every site from the modules' debug data, where it can be found.
void resolve_sites(Recording& recording);

/// The size of a collective as one rank sees it: what it contributes; for broadcasts and scatters what it ends up with,
/// so that the size does not depend on who is the root.
std::uint64_t collective_volume(const Event& event, Pattern pattern);
/// The sum of that over folded events.
std::uint64_t collective_volume(const FoldedKey& key, Pattern pattern);

/// Events, folded or not, those let go included.
std::uint64_t event_count(const RankRecording& rank);
/// Lets events and phases go, with all that only they refer to; event_count() still counts them.
void release_events(RankRecording& rank);
/// Seconds that recording took from the process: a measured cost per event, and the time spent on blocks and folding.
double seconds_recording(const RankRecording& rank);

/// What one process did by one kind of call, folded or not.
struct CallSums {
  std::uint64_t events = 0;
  std::uint64_t calls = 0;              // without further requests of one call, with repeated polls
  std::uint64_t sent = 0;               // events that name a partner to send to
  std::uint64_t sent_bytes = 0, received_bytes = 0;  // of Event::message and Event::received
  std::uint64_t collective_bytes = 0;   // sum of collective_volume
  double inside = 0;                    // nanoseconds
};
/// By index of `calls`.
std::vector<CallSums> sums_by_call(const RankRecording& rank, const std::vector<Call>& calls);

/// All phases of one kind and name.
struct PhaseSum {
  PhaseKind kind = PhaseKind::computation;
  std::string name;
  std::uint64_t executions = 0;
  double seconds = 0;
  double operations = 0, quantums = 0;
  std::optional<PhaseUsage> usage;              // nothing where some of the ranks did not record it
};
/// Of one rank, and over all ranks: by kind, then by name in order of first appearance.
std::vector<PhaseSum> phase_sums(const RankRecording& rank);
std::vector<PhaseSum> phase_sums(const Recording& recording);

/// Totals per rank: what `show --counts` prints.
struct RankCounts {
  std::int32_t rank = 0;
  std::map<std::string, std::uint64_t> calls;
  std::uint64_t messages_sent = 0;      // point to point
  std::uint64_t bytes_sent = 0;         // point to point
  std::uint64_t collective_bytes = 0;   // sum of collective_volume
  std::uint64_t put_bytes = 0;          // to the memory of other processes
  std::uint64_t got_bytes = 0;          // from there
  std::uint64_t written_bytes = 0;      // to files, by MPI
  std::uint64_t read_bytes = 0;
  double compute_seconds = 0;           // of the process (process_time.h)
  double communication_seconds = 0;     // in calls, of each thread added up
  std::uint64_t events = 0;
};
std::vector<RankCounts> count(const Recording& recording);

}  // namespace parcast::recording
