// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast record` keeps of a program with collections: one file for each virtual processor, in the
// format and by the writer of the recorder (recording/writer.h), with the events that MPI would have:
//
//   get, get_block    MPI_Get, MPI_Win_flush      the owner, bytes from it
//   put, put_block    MPI_Put, MPI_Win_flush      the owner, bytes to it
//   barrier           MPI_Barrier
//   reduce ...        MPI_Allreduce, MPI_Exscan, MPI_Bcast, MPI_Gather, MPI_Allgather, MPI_Scatter
//
// A fibre has a time of its own, which only its computing advances; it leaves a meeting when the last one
// comes. So its recording is that of a machine with a processor for each, and a network that takes no time
// (ExtraP's translated trace: Mohr, Shanmugam, Malony: Speedy, 1995, section 3.2). Threads and processes have
// real times.

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collections/stopwatch.h"
#include "parcast/collections/runtime.h"

struct parcast_writer;
struct parcast_stream;

namespace parcast::collections {

/// Returns the folder that `parcast record` names, once: what this process starts later is not recorded
/// there.
std::optional<std::string> take_recording_folder();
/// Returns the folder of this run: the given one, or one in it where another run was first. Throws Error
/// where there is none.
std::string begin_recording(const std::string& folder);

/// What the files of a team have in common: the folder, and the numbers of places, modules and regions.
class Recording {
 public:
  struct Module {
    std::uintptr_t base;
    std::string path, build_id;
  };
  struct Site {
    std::uint32_t module;
    std::uint64_t offset;
  };
  struct Region {
    std::uint32_t parent;
    std::string name;  // empty: a function
    std::uint32_t module;
    std::uint64_t offset;
  };

  /// `runtime`: how the program ran, for the reader.
  Recording(std::string folder, int size, std::string runtime);

  const std::string& folder() const { return folder_; }
  int size() const { return size_; }
  const std::string& runtime() const { return runtime_; }
  Stopwatch& stopwatch() { return stopwatch_; }

  std::uint32_t site(const void* return_address);
  std::uint32_t region(std::uint32_t parent, const std::string& name);
  std::uint32_t function(std::uint32_t parent, const void* address);
  Module module(std::uint32_t number);
  Site site_of(std::uint32_t number);
  Region region_of(std::uint32_t number);

 private:
  std::uint32_t module_of(const void* address);
  std::uint32_t number_of(const Region& region);

  std::string folder_, runtime_;
  int size_;
  Stopwatch stopwatch_;  // of the one thread of all fibres
  std::mutex lock_;
  std::vector<Module> modules_;
  std::vector<Site> sites_{{}};
  std::vector<Region> regions_{{}};
  std::unordered_map<const void*, std::uint32_t> site_numbers_;
  std::unordered_map<std::string, std::uint32_t> region_numbers_;
};

/// The file of one virtual processor.
class Recorder {
 public:
  enum class Time { own, real };
  /// `own`: the processor is a fibre.
  Recorder(Recording& recording, int rank, Time time);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Ends a piece of computing, and returns this processor's time in nanoseconds.
  double enter();
  /// The call has ended at `clock`, for a processor with a time of its own.
  void leave_access(bool reads, int owner, std::uint64_t bytes, const void* site);
  void leave_collective(detail::Call call, int rank, int root, std::uint64_t bytes, double clock,
                        const void* site);
  /// Nothing of the call is kept.
  void leave() { stopwatch_->start(); }

  void parameter(const char* name, double value);
  /// Off: nothing is written, and a processor's own time does not advance.
  void record(bool is_on);
  void begin_region(const char* name, const void* site);
  void begin_method(const void* address, const void* site);
  void end_region(const void* site);

  /// The program begins, and has ended.
  void begin();
  void end();  // after enter()

 private:
  struct Moved;
  void close();
  void write(int call, const void* site, double exit, const Moved& moved);
  void finish_event();
  std::uint32_t defined_site(const void* site);
  std::uint32_t define_site(const void* site);
  void define_region(std::uint32_t number);
  void define_module(std::uint32_t number);
  void push(std::uint32_t region, const void* site);
  static void read_clocks(std::uint64_t* ticks, std::uint64_t* nanoseconds);

  Recording& recording_;
  Time time_;
  Stopwatch own_stopwatch_;
  Stopwatch* stopwatch_;
  std::unique_ptr<parcast_writer> writer_;
  std::unique_ptr<parcast_stream> stream_;
  struct Seen {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  std::array<Seen, 64> seen_sites_{};  // by address
  std::vector<bool> defined_sites_, defined_regions_, defined_modules_;
  std::vector<std::uint32_t> path_{0};  // regions that are open
  double real_now() const;

  bool is_on_ = true;
  double off_ = 0, off_since_ = 0;               // nanoseconds, in real time
  double now_ = 0, entered_ = 0, computed_ = 0;  // nanoseconds
  double spent_ = 0;                             // on recording, in real time
};

}  // namespace parcast::collections
