// SPDX-License-Identifier: Apache-2.0
// Processors as processes of MPI. Elements are in windows that all keep locked (passive target), so that
// owners take no part in accesses; what MPI needs of them it does while they wait in meetings.
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "collections/gathering.h"
#include "collections/runtimes.h"

namespace parcast::collections {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30;  // bytes at once, since MPI counts by int

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

/// The datatype of stretches, by one of their two places.
class Type {
 public:
  Type(std::span<const detail::Stretch> stretches, std::size_t detail::Stretch::*place) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (const detail::Stretch& each : stretches)
      for (std::size_t at = 0; at < each.bytes; at += kLargest) {
        lengths.push_back(static_cast<int>(std::min(each.bytes - at, kLargest)));
        places.push_back(static_cast<MPI_Aint>(each.*place + at));
      }
    check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE,
                                   &type_),
          "MPI_Type_create_hindexed");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

[[noreturn]] void end_all(int rank, const char* text) {
  std::fprintf(stderr, "processor %d: %s\n", rank, text);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

class Window final : public detail::Memory {
 public:
  Window(std::shared_ptr<std::byte> own, std::size_t bytes, std::string name, detail::Runtime& process,
         std::vector<MPI_Win>& windows)
      : own_(std::move(own)), name_(std::move(name)), process_(process), windows_(windows) {
    check(
        MPI_Win_create(own_.get(), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_),
        "MPI_Win_create");
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
    windows_.push_back(window_);
  }
  /// All leave together. After an exception the others may never come, and the process ends.
  ~Window() final {
    if (std::uncaught_exceptions() > 0) return;
    meet_others();
    std::erase(windows_, window_);
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void read(int owner, std::span<const detail::Stretch> stretches, std::byte* into) final {
    if (const detail::Stretch& one = stretches.front(); stretches.size() == 1 && one.bytes <= kLargest) {
      const int bytes = static_cast<int>(one.bytes);
      check(MPI_Get(into + one.here, bytes, MPI_BYTE, owner, static_cast<MPI_Aint>(one.there), bytes,
                    MPI_BYTE, window_),
            "MPI_Get");
      check(MPI_Win_flush(owner, window_), "MPI_Win_flush");
      return;
    }
    const Type here(stretches, &detail::Stretch::here), there(stretches, &detail::Stretch::there);
    check(MPI_Get(into, 1, here, owner, 0, 1, there, window_), "MPI_Get");
    check(MPI_Win_flush(owner, window_), "MPI_Win_flush");
  }
  void write(int owner, std::span<const detail::Stretch> stretches, const std::byte* from) final {
    const Type here(stretches, &detail::Stretch::here), there(stretches, &detail::Stretch::there);
    check(MPI_Put(from, 1, here, owner, 0, 1, there, window_), "MPI_Put");
    check(MPI_Win_flush(owner, window_), "MPI_Win_flush");
  }

 private:
  /// Freeing the window would wait without end for a process that calls something else.
  void meet_others() const {
    double clock = 0;
    try {
      process_.meet({detail::Call::release, 0, 0, name_.c_str()}, nullptr, {}, clock);
    } catch (const std::exception& error) {
      end_all(process_.rank(), error.what());
    }
  }

  std::shared_ptr<std::byte> own_;
  std::string name_;
  detail::Runtime& process_;
  std::vector<MPI_Win>& windows_;
  MPI_Win window_;
};

/// Of one process, whose elements are all its own. Open MPI 4.1 makes no window there.
class Alone final : public detail::Memory {
 public:
  explicit Alone(std::shared_ptr<std::byte> own) : own_(std::move(own)) {}
  void read(int, std::span<const detail::Stretch>, std::byte*) final {}
  void write(int, std::span<const detail::Stretch>, const std::byte*) final {}

 private:
  std::shared_ptr<std::byte> own_;
};

/// What a process calls, and a little of what it brings.
struct Packet {
  detail::Call call;
  std::uint32_t bytes;
  std::uint64_t signature;
  char what[40];
  std::byte payload[64];
};

class Process final : public detail::Runtime {
 public:
  Process() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    packets_.resize(static_cast<std::size_t>(size_));
  }
  int rank() const final { return rank_; }
  int size() const final { return size_; }

  const std::byte* meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                        double&) final {
    synchronise_windows();
    Packet packet{meeting.call, meeting.bytes, meeting.signature, {}, {}};
    std::strncpy(packet.what, meeting.what, sizeof packet.what - 1);
    const bool is_small = meeting.bytes <= sizeof packet.payload;
    if (is_small && mine) std::memcpy(packet.payload, mine, meeting.bytes);
    check(MPI_Allgather(&packet, sizeof packet, MPI_BYTE, packets_.data(), sizeof packet, MPI_BYTE,
                        MPI_COMM_WORLD),
          "MPI_Allgather");
    for (int i = 0; i < size_; ++i) check_same(i, meeting_of(i), 0, meeting_of(0));
    table_.resize(meeting.bytes * packets_.size());
    if (is_small) {
      for (std::size_t i = 0; i < packets_.size() && meeting.bytes > 0; ++i)
        std::memcpy(table_.data() + i * meeting.bytes, packets_[i].payload, meeting.bytes);
    } else {
      const int bytes = static_cast<int>(meeting.bytes);
      check(MPI_Allgather(mine, bytes, MPI_BYTE, table_.data(), bytes, MPI_BYTE, MPI_COMM_WORLD),
            "MPI_Allgather");
    }
    if (finish.run) finish.run(finish.function, table_.data(), size_);
    synchronise_windows();
    return table_.data();
  }

  std::unique_ptr<detail::Memory> share(std::shared_ptr<std::byte> own, std::size_t bytes,
                                        const detail::Meeting& meeting) final {
    double clock = 0;
    meet(meeting, nullptr, {}, clock);
    if (size_ == 1) return std::make_unique<Alone>(std::move(own));
    return std::make_unique<Window>(std::move(own), bytes, meeting.what, *this, windows_);
  }

  void broadcast(void* data, std::size_t bytes, int root, const detail::Meeting& meeting,
                 double& clock) final {
    meet(meeting, nullptr, {}, clock);
    for (std::size_t at = 0; at < bytes; at += kLargest)
      check(MPI_Bcast(static_cast<std::byte*>(data) + at, static_cast<int>(std::min(bytes - at, kLargest)),
                      MPI_BYTE, root, MPI_COMM_WORLD),
            "MPI_Bcast");
  }

 private:
  detail::Meeting meeting_of(int rank) const {
    const Packet& packet = packets_[static_cast<std::size_t>(rank)];
    return {packet.call, packet.bytes, packet.signature, packet.what};
  }
  /// What others wrote, and what this process wrote to its own part, is visible afterwards (MPI 3.1, 11.4).
  void synchronise_windows() const {
    for (const MPI_Win window : windows_) MPI_Win_sync(window);
  }

  int rank_ = 0, size_ = 1;
  std::vector<Packet> packets_;
  std::vector<std::byte> table_;
  std::vector<MPI_Win> windows_;
};

void check_launcher(int size) {
  const char* launched =
      std::getenv("OMPI_COMM_WORLD_SIZE") ? std::getenv("OMPI_COMM_WORLD_SIZE") : std::getenv("PMI_SIZE");
  if (launched && std::atoi(launched) != size)
    throw Error("the launcher started " + std::string(launched) +
                " processes, but each takes itself to be alone: it belongs to another MPI library than "
                "libparcast-collections-mpi.so");
}

/// The folder of the run is the one that process 0 finds.
std::optional<Recording> recording_of(const std::optional<std::string>& wanted, const Process& process) {
  if (!wanted) return std::nullopt;
  char folder[4096] = "";
  if (process.rank() == 0) std::strncpy(folder, begin_recording(*wanted).c_str(), sizeof folder - 1);
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  return std::optional<Recording>(std::in_place, folder, process.size(), "MPI");
}

void live(const std::optional<std::string>& folder, const Program& program) {
  Process process;
  try {
    check_launcher(process.size());
    std::optional<Recording> recording = recording_of(folder, process);
    std::optional<Recorder> recorder;
    if (recording) recorder.emplace(*recording, process.rank(), Recorder::Time::real);
    running = &process;
    run_processor(process, recorder ? &*recorder : nullptr, nullptr, program);
    running = nullptr;
  } catch (const std::exception& error) {
    end_all(process.rank(), error.what());
  } catch (...) {
    end_all(process.rank(), "an exception of an unknown type");
  }
}

}  // namespace
}  // namespace parcast::collections

/// The program may have initialised MPI itself.
extern "C" void parcast_collections_run_mpi(const parcast::collections::Program& program) {
  const auto folder =
      parcast::collections::take_recording_folder();  // before MPI_Init, where the recorder would begin
  int is_initialised = 0, is_finalised = 0;
  MPI_Initialized(&is_initialised);
  MPI_Finalized(&is_finalised);
  if (is_finalised)
    throw parcast::collections::Error("a program can run one team of MPI's processes, and did");
  if (!is_initialised) MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  parcast::collections::live(folder, program);
  if (!is_initialised) MPI_Finalize();
}
