// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/one_sided.h"

#include <array>
#include <memory>

#include "base/text.h"

namespace parcast::training {
namespace {

enum class Access : std::size_t { put, get, accumulate };
enum class Synchronisation : std::size_t { fence, pscw, lock, flush };

constexpr std::array kAccesses{"put", "get", "accumulate"};
constexpr std::array kSynchronisations{"fence", "pscw", "lock", "flush"};

/// Memory that the other processes may access, with one way of synchronisation.
class Window {
 public:
  Window(const Team& team, Synchronisation by)
      : by_(by),
        next_((team.rank() + 1) % team.size()),
        memory_(kUsualLargest / sizeof(double), 1.0),
        given_(memory_.size(), 1.0),
        got_(memory_.size(), 0.0) {
    MPI_Comm_dup(team.communicator(), &world_);
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    const int before = (team.rank() + team.size() - 1) % team.size();
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(world_, &all);
    MPI_Group_incl(all, 1, &next_, &targets_);
    MPI_Group_incl(all, 1, &before, &origins_);
    MPI_Group_free(&all);
    sound_ = MPI_Win_create(memory_.data(), kUsualLargest, sizeof(double), MPI_INFO_NULL, world_, &window_) ==
             MPI_SUCCESS;
    if (!all_say(sound_)) return;
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    if (by_ == Synchronisation::fence) take(MPI_Win_fence(0, window_));
    if (by_ == Synchronisation::flush) take(MPI_Win_lock_all(0, window_));
    all_say(sound_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    if (sound_ && by_ == Synchronisation::fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
    if (sound_ && by_ == Synchronisation::flush) MPI_Win_unlock_all(window_);
    if (sound_) MPI_Win_free(&window_);  // freeing a window whose calls were refused may deadlock
    MPI_Group_free(&targets_);
    MPI_Group_free(&origins_);
    MPI_Comm_free(&world_);
  }

  void call(Access access, int bytes) {
    switch (by_) {
      case Synchronisation::fence:
        go(access, bytes);
        take(MPI_Win_fence(0, window_));
        return;
      case Synchronisation::pscw:
        take(MPI_Win_post(origins_, 0, window_));
        take(MPI_Win_start(targets_, 0, window_));
        go(access, bytes);
        take(MPI_Win_complete(window_));
        take(MPI_Win_wait(window_));
        return;
      case Synchronisation::lock:
        take(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next_, 0, window_));
        go(access, bytes);
        take(MPI_Win_unlock(next_, window_));
        return;
      case Synchronisation::flush:
        go(access, bytes);
        take(MPI_Win_flush(next_, window_));
        return;
    }
  }

  /// Collective. Returns whether no process had a refused call so far.
  bool works() { return all_say(sound_); }

 private:
  void take(int code) { sound_ = sound_ && code == MPI_SUCCESS; }

  void go(Access access, int bytes) {
    const int numbers = bytes / static_cast<int>(sizeof(double));
    if (access == Access::put)
      take(MPI_Put(given_.data(), numbers, MPI_DOUBLE, next_, 0, numbers, MPI_DOUBLE, window_));
    if (access == Access::get)
      take(MPI_Get(got_.data(), numbers, MPI_DOUBLE, next_, 0, numbers, MPI_DOUBLE, window_));
    if (access == Access::accumulate)
      take(MPI_Accumulate(given_.data(), numbers, MPI_DOUBLE, next_, 0, numbers, MPI_DOUBLE, MPI_SUM,
                          window_));
  }

  bool all_say(bool mine) {
    int all = mine;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, world_);
    return sound_ = all != 0;
  }

  Synchronisation by_;
  int next_;
  std::vector<double> memory_, given_, got_;
  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Group targets_ = MPI_GROUP_NULL, origins_ = MPI_GROUP_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  bool sound_ = true;
};

Table table_of(const std::string& name, const std::shared_ptr<Window>& window, Access access) {
  return {name, Table::Class::usual, true, [=](int bytes) -> std::optional<Table::Call> {
            if (bytes > kUsualLargest) return std::nullopt;  // size of the windows
            return Table::Call{static_cast<double>(bytes), [=] { window->call(access, bytes); }};
          }};
}

}  // namespace

void measure_one_sided(Team& team, double seconds, calibrate::Measurements& into) {
  if (team.size() == 1) return;
  std::vector<Table> tables;
  std::vector<std::string> refused;
  for (std::size_t by = 0; by < kSynchronisations.size(); ++by) {
    const auto window = std::make_shared<Window>(team, static_cast<Synchronisation>(by));
    for (std::size_t access = 0; access < kAccesses.size(); ++access) {
      const std::string name = std::string(kAccesses[access]) + "-" + kSynchronisations[by];
      if (window->works()) window->call(static_cast<Access>(access), sizeof(double));
      if (window->works())
        tables.push_back(table_of(name, window, static_cast<Access>(access)));
      else
        refused.push_back(name);
    }
  }
  if (!refused.empty() && team.leads())
    into.notes.push_back("this MPI refused one-sided calls, which were not measured: " + join(refused, ", "));
  measure(team, tables, seconds, into);
}

}  // namespace parcast::training
