// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "collections/recording.h"
#include "parcast/collections/error.h"
#include "recording/call_class.h"
#include "recording/cycle.h"
#include "recording/writer.h"

namespace parcast::collections {
namespace {

using detail::Call;

enum Recorded {
  kRegionBegin,
  kRegionEnd,
  kGet,
  kPut,
  kFlush,
  kBarrier,
  kBroadcast,
  kReduce,
  kScan,
  kGather,
  kGatherAll,
  kScatter,
  kInit,
  kFinalize
};
struct Row {
  const char* name;
  parcast_call_class call_class;
  parcast_pattern pattern;
};
constexpr Row kCalls[] = {
    {"parcast_region_begin", PARCAST_CLASS_region_begin, PARCAST_PATTERN_none},
    {"parcast_region_end", PARCAST_CLASS_region_end, PARCAST_PATTERN_none},
    {"MPI_Get", PARCAST_CLASS_one_sided, PARCAST_PATTERN_none},
    {"MPI_Put", PARCAST_CLASS_one_sided, PARCAST_PATTERN_none},
    {"MPI_Win_flush", PARCAST_CLASS_epoch, PARCAST_PATTERN_none},
    {"MPI_Barrier", PARCAST_CLASS_collective, PARCAST_PATTERN_barrier},
    {"MPI_Bcast", PARCAST_CLASS_collective, PARCAST_PATTERN_broadcast},
    {"MPI_Allreduce", PARCAST_CLASS_collective, PARCAST_PATTERN_allreduce},
    {"MPI_Exscan", PARCAST_CLASS_collective, PARCAST_PATTERN_scan},
    {"MPI_Gather", PARCAST_CLASS_collective, PARCAST_PATTERN_gather},
    {"MPI_Allgather", PARCAST_CLASS_collective, PARCAST_PATTERN_allgather},
    {"MPI_Scatter", PARCAST_CLASS_collective, PARCAST_PATTERN_scatter},
    {"MPI_Init", PARCAST_CLASS_initialise, PARCAST_PATTERN_none},
    {"MPI_Finalize", PARCAST_CLASS_finalise, PARCAST_PATTERN_none},
};

Recorded recorded(Call call) {
  switch (call) {
    case Call::broadcast:
      return kBroadcast;
    case Call::reduce:
      return kReduce;
    case Call::scan:
      return kScan;
    case Call::gather:
      return kGather;
    case Call::gather_all:
      return kGatherAll;
    case Call::scatter:
      return kScatter;
    case Call::make:
    case Call::barrier:
    case Call::release:  // meets without the recorder
    case Call::end:
      break;
  }
  return kBarrier;
}

constexpr double kZero = 1e9;  // ticks are nanoseconds; this many at the program's beginning

std::uint64_t ticks_at(double nanoseconds) {
  return static_cast<std::uint64_t>(std::llround(kZero + nanoseconds));
}

/// The processor whose file is written, for the writer's clock.
thread_local const double* writing;

std::uint64_t limit_of_file() {
  const char* text = std::getenv("PARCAST_LIMIT");
  if (!text || *text < '0' || *text > '9') return std::uint64_t{1} << 30;
  char* unit;
  const std::uint64_t value = std::strtoull(text, &unit, 10);
  const int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
  return std::max<std::uint64_t>(value << shift, 1 << 20);
}

void read_command(char (&command)[1024]) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  if (read(file, command, sizeof command - 1) < 0) command[0] = 0;
  close(file);
}

parcast_header header_of(const Recording& recording, int rank, bool has_own_time, double now) {
  parcast_header header{};
  header.rank = rank;
  header.processes = recording.size();
  header.clock = parcast_clock.sequences ? PARCAST_CLOCK_MONOTONIC_RSEQ : PARCAST_CLOCK_MONOTONIC_LONG;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  header.cores = has_own_time ? static_cast<std::uint32_t>(recording.size())
                              : static_cast<std::uint32_t>(std::max(cores, 0L));  // none waits for a core
  header.init_exit = header.first_ticks = header.first_nanoseconds = ticks_at(now);
  header.init_enter = header.early_ticks = header.early_nanoseconds = header.init_exit - 1'000'000;
  header.share = 1;
  header.started = parcast_nanoseconds(CLOCK_REALTIME);
  header.limit = limit_of_file();
  header.process_id = static_cast<std::uint64_t>(getpid());
  gethostname(header.host, sizeof header.host - 1);
  std::strncpy(header.library, ("Parcast collections, " + recording.runtime()).c_str(),
               sizeof header.library - 1);
  read_command(header.command);
  return header;
}

}  // namespace

struct Recorder::Moved {
  const parcast_message *sent = nullptr, *received = nullptr;
};

void Recorder::read_clocks(std::uint64_t* ticks, std::uint64_t* nanoseconds) {
  *ticks = *nanoseconds = ticks_at(*writing);
}

Recorder::Recorder(Recording& recording, int rank, Time time)
    : recording_(recording),
      time_(time),
      stopwatch_(time == Time::own ? &recording.stopwatch() : &own_stopwatch_),
      writer_(std::make_unique<parcast_writer>()),
      stream_(std::make_unique<parcast_stream>()) {
  *stream_ = {};
  now_ = time_ == Time::own ? 0 : Stopwatch::now();
  writing = &now_;
  const parcast_header header = header_of(recording, rank, time == Time::own, now_);
  const std::string path = recording.folder() + "/rank-" + std::to_string(rank) + ".rec";
  if (const int failure = parcast_writer_open(writer_.get(), path.c_str(), &header, read_clocks);
      failure != 0)
    throw Error("the recording of processor " + std::to_string(rank) + " cannot be written to " + path +
                ": " + std::strerror(failure));
  const char* times = std::getenv("PARCAST_TIMES");
  parcast_cycle_begin(stream_.get(), times && std::strcmp(times, "all") == 0);
  define_module(0);
  parcast_put_site(writer_.get(), stream_.get(), 0, PARCAST_NO_ID, 0);
  parcast_put_region(writer_.get(), stream_.get(), 0, 0, "");
  parcast_put_regular_communicator(writer_.get(), stream_.get(), 0, 0, 1,
                                   static_cast<std::uint32_t>(recording.size()), nullptr, 0, 0);
  std::uint32_t number = 0;
  for (const Row& row : kCalls)
    parcast_put_call(writer_.get(), stream_.get(), number++, row.call_class, row.pattern, row.name);
}

/// A program that ends by an exception has no MPI_Finalize.
Recorder::~Recorder() {
  if (writer_) close();
}

/// MPI_Init ends where the time begins: computing before it is not the run's.
void Recorder::begin() {
  entered_ = now_ - 1000;
  write(kInit, nullptr, now_, {});
  finish_event();
}

void Recorder::end() {
  record(true);
  writing = &now_;
  parcast_set_live(writer_.get(), PARCAST_LIVE_FINALISED, ticks_at(now_));
  write(kFinalize, nullptr, now_, {});
  close();
}

void Recorder::close() {
  writing = &now_;
  parcast_set_live(writer_.get(), PARCAST_LIVE_OWN_TICKS, static_cast<std::uint64_t>(spent_));
  parcast_writer_close(writer_.get(), stream_.get());
  writer_.reset();
}

double Recorder::enter() {
  const double computed = is_on_ ? stopwatch_->stop() : 0;
  computed_ += computed;
  now_ = time_ == Time::own ? now_ + computed : real_now();
  return entered_ = now_;
}

double Recorder::real_now() const {
  return (is_on_ ? Stopwatch::now() : off_since_) - off_;
}

void Recorder::record(bool is_on) {
  if (is_on == is_on_) return;
  if (is_on)
    off_ += Stopwatch::now() - off_since_;
  else
    off_since_ = Stopwatch::now();
  is_on_ = is_on;
}

std::uint32_t Recorder::defined_site(const void* address) {
  if (!address) return 0;
  Seen& seen = seen_sites_[reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15ull >> 58];
  if (seen.address != address) seen = {address, define_site(address)};
  return seen.number;
}

std::uint32_t Recorder::define_site(const void* address) {
  const std::uint32_t number = recording_.site(address);
  if (number >= defined_sites_.size()) defined_sites_.resize(number + 1);
  if (defined_sites_[number]) return number;
  defined_sites_[number] = true;
  const Recording::Site site = recording_.site_of(number);
  define_module(site.module);
  parcast_put_site(writer_.get(), stream_.get(), number, site.module, site.offset);
  return number;
}

void Recorder::define_module(std::uint32_t number) {
  if (number == PARCAST_NO_ID) return;
  if (number >= defined_modules_.size()) defined_modules_.resize(number + 1);
  if (defined_modules_[number]) return;
  defined_modules_[number] = true;
  const Recording::Module module = recording_.module(number);
  parcast_put_module(writer_.get(), stream_.get(), number, module.path.c_str(),
                     reinterpret_cast<const unsigned char*>(module.build_id.data()),
                     static_cast<std::uint32_t>(module.build_id.size()));
}

void Recorder::define_region(std::uint32_t number) {
  if (number >= defined_regions_.size()) defined_regions_.resize(number + 1);
  if (number == 0 || defined_regions_[number]) return;
  defined_regions_[number] = true;
  const Recording::Region region = recording_.region_of(number);
  define_region(region.parent);
  if (!region.name.empty()) {
    parcast_put_region(writer_.get(), stream_.get(), number, region.parent, region.name.c_str());
    return;
  }
  define_module(region.module);
  parcast_put_frame(writer_.get(), stream_.get(), number, region.parent, region.module, region.offset);
}

/// Writes an event from enter() to `exit`.
void Recorder::write(int call, const void* site, double exit, const Moved& moved) {
  if (!is_on_) return;
  writing = &now_;
  now_ = std::max(exit, entered_);
  const std::uint32_t place = defined_site(site);
  std::uint64_t words[16];
  std::uint32_t used = sizeof(parcast_event) / 8;
  const auto add = [&](std::uint8_t flag, const void* from, std::size_t bytes) {
    std::memcpy(words + used, from, bytes);
    used += static_cast<std::uint32_t>(bytes / 8);
    return flag;
  };
  std::uint64_t flags = 0;
  if (moved.sent) flags |= add(PARCAST_HAS_MESSAGE, moved.sent, sizeof *moved.sent);
  if (moved.received) flags |= add(PARCAST_HAS_RECEIVED, moved.received, sizeof *moved.received);
  const auto compute = static_cast<std::uint64_t>(std::llround(computed_));
  if (time_ == Time::real || call == kInit) flags |= add(PARCAST_HAS_COMPUTE, &compute, sizeof compute);
  computed_ = 0;
  words[0] = PARCAST_EVENT | flags << 8;
  words[1] = ticks_at(entered_);
  words[2] = ticks_at(now_);
  words[3] = static_cast<std::uint64_t>(place) << 32 | static_cast<std::uint64_t>(call);
  words[4] = path_.back();
  void* room = parcast_reserve(writer_.get(), stream_.get(), sizeof words);
  if (!room) return parcast_count_dropped(writer_.get(), 1);
  parcast_commit_words(stream_.get(), static_cast<std::uint64_t*>(room), words, used);
}

/// Folds what has been written; what that takes is no computing.
void Recorder::finish_event() {
  if (stream_->offset >= stream_->next_slice) parcast_cycle_go_on(writer_.get(), stream_.get());
  if (time_ == Time::real) spent_ += real_now() - now_;
  stopwatch_->start();
}

void Recorder::leave_access(bool reads, int owner, std::uint64_t bytes, const void* site) {
  const double exit = time_ == Time::own ? entered_ : real_now();
  const parcast_message moved{owner, 0, bytes}, flushed{owner, 0, 0};
  write(reads ? kGet : kPut, site, exit, reads ? Moved{nullptr, &moved} : Moved{&moved, nullptr});
  entered_ = now_;
  write(kFlush, site, now_, {&flushed, nullptr});
  finish_event();
}

/// The size of a collective is what a processor contributes; of a broadcast the message, at the root sent, at
/// the others received; of a scatter what a processor receives (recording::collective_volume).
void Recorder::leave_collective(Call call, int rank, int root, std::uint64_t bytes, double clock,
                                const void* site) {
  const bool is_rooted = call == Call::broadcast || call == Call::gather || call == Call::scatter;
  const bool is_received = call == Call::scatter || (call == Call::broadcast && rank != root);
  const parcast_message sent{is_rooted ? root : PARCAST_NO_PEER, 0, is_received ? 0 : bytes},
      received{PARCAST_NO_PEER, 0, is_received ? bytes : 0};
  write(recorded(call), site, time_ == Time::own ? clock : real_now(),
        recorded(call) == kBarrier ? Moved{} : Moved{&sent, is_received ? &received : nullptr});
  finish_event();
}

void Recorder::parameter(const char* name, double value) {
  parcast_put_parameter(writer_.get(), stream_.get(), name, value, 0);
}

void Recorder::push(std::uint32_t region, const void* site) {
  enter();
  define_region(region);
  path_.push_back(region);
  write(kRegionBegin, site, entered_, {});
  finish_event();
}

void Recorder::begin_region(const char* name, const void* site) {
  push(recording_.region(path_.back(), name), site);
}

void Recorder::begin_method(const void* address, const void* site) {
  push(recording_.function(path_.back(), address), site);
}

void Recorder::end_region(const void* site) {
  if (path_.size() == 1) return;
  enter();
  write(kRegionEnd, site, entered_, {});
  path_.pop_back();
  finish_event();
}

}  // namespace parcast::collections
