/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The team of virtual processors that run a program, each calling the same function (SPMD):
 *
 *     int main(int argc, char** argv) {
 *       return parcast::collections::run(argc, argv, [&](parcast::collections::Team& team) {
 *         const double sum = team.reduce(1.0 * team.rank(), std::plus<>());
 *         ...
 *       });
 *     }
 *
 *     ./program --collections cooperative:1024   1,024 processors in turn on one core
 *     ./program --collections threads:4          4 processors at once
 *     mpirun -n 16 ./program                     16 processes
 *     ./program --collections cooperative:4 --check-races      fails where the order of accesses matters
 *
 * The three give the same results to the bit: what processors bring is combined in order of rank. All
 * processors must call the same operations in the same order; `get` and `put` alone are free. What a
 * processor wrote, others see after the next barrier. Global variables are shared by the processors of one
 * process. */

#include <cstring>
#include <functional>
#include <source_location>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "parcast/collections/error.h"
#include "parcast/collections/runtime.h"

namespace parcast::collections {

class Recorder;
class Watch;

template <class T>
constexpr void check_sendable() {
  static_assert(
      std::is_trivially_copyable_v<T>,
      "this type cannot be sent to another processor: it is not trivially copyable (it may hold pointers)");
}

class Team {
 public:
  Team(detail::Runtime& runtime, Recorder* recorder, Watch* watch)
      : runtime_(runtime), recorder_(recorder), watch_(watch) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int rank() const { return runtime_.rank(); }
  int size() const { return runtime_.size(); }

  void barrier();

  /* Combines the values of all processors in order of rank; all get the result. */
  template <class T, class Op>
  [[gnu::always_inline]] T reduce(const T& mine, Op op) {
    const auto fold = [&op](std::byte* table, int processors) {
      T sum = load<T>(table, 0);
      for (int i = 1; i < processors; ++i) sum = op(sum, load<T>(table, i));
      std::memcpy(table, &sum, sizeof sum);
    };
    return load<T>(meet(meeting<T>(detail::Call::reduce), &mine, finish(fold), sizeof(T)), 0);
  }

  /* Combines `first` and the values of all processors of lower rank. */
  template <class T, class Op>
  [[gnu::always_inline]] T scan(const T& mine, Op op, T first) {
    const auto fold = [&op, &first](std::byte* table, int processors) {
      T sum = first;
      for (int i = 0; i < processors; ++i) {
        const T next = op(sum, load<T>(table, i));
        std::memcpy(table + sizeof(T) * static_cast<std::size_t>(i), &sum, sizeof sum);
        sum = next;
      }
    };
    return load<T>(meet(meeting<T>(detail::Call::scan), &mine, finish(fold), sizeof(T)), rank());
  }

  /* Returns the values of all processors in order of rank. */
  template <class T>
  [[gnu::always_inline]] std::vector<T> gather(const T& mine) {
    const std::byte* table = meet(meeting<T>(detail::Call::gather_all), &mine, {}, sizeof(T));
    std::vector<T> all(static_cast<std::size_t>(size()));
    std::memcpy(all.data(), table, all.size() * sizeof(T));
    return all;
  }

  /* Returns the root's value. */
  template <class T>
  [[gnu::always_inline]] T broadcast(T value, int root = 0) {
    check_sendable<T>();
    broadcast_bytes(&value, sizeof value, root);
    return value;
  }
  template <class T>
  [[gnu::always_inline]] void broadcast(std::span<T> values, int root = 0) {
    check_sendable<T>();
    broadcast_bytes(values.data(), values.size_bytes(), root);
  }

  /* What a recording has of the program: the problem's parameters, and regions, which nest. Without a
   * recording these do nothing. */
  void parameter(const char* name, double value);
  /* Whether computing and calls are recorded from here on. All processors switch at the same place. */
  void record(bool is_on);
  class Region {
   public:
    [[gnu::always_inline]] Region(Team& team, const char* name) : team_(team) { team_.begin_region(name); }
    [[gnu::always_inline]] ~Region() { team_.end_region(); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

   private:
    Team& team_;
  };

  /* The rest is for collections. */

  /* Elements that cross, stretch by stretch, with their owners. */
  class Transfer {
   public:
    void add(int owner, std::size_t there, std::size_t here, std::size_t bytes);

   private:
    friend class Team;
    friend class Watch;
    struct Part {
      int owner;
      detail::Stretch stretch;
    };
    std::vector<Part> parts_;
  };
  /* Copies from the owners' elements into a buffer, or back: for each other owner a request and a reply. */
  void fetch(detail::Memory& memory, Transfer& transfer, const std::byte* own, std::byte* into);
  void store(detail::Memory& memory, Transfer& transfer, std::byte* own, const std::byte* from);
  /* The same for a collective operation, which is recorded as one event. */
  void fetch_within(detail::Memory& memory, Transfer& transfer, const std::byte* own, std::byte* into);
  void store_within(detail::Memory& memory, Transfer& transfer, std::byte* own, const std::byte* from);
  /* One stretch; `site` of the program's call. */
  void read(detail::Memory& memory, int owner, const detail::Stretch& stretch, std::byte* into,
            const void* site);
  void write(detail::Memory& memory, int owner, const detail::Stretch& stretch, const std::byte* from,
             const void* site);

  std::unique_ptr<detail::Memory> share(std::shared_ptr<std::byte> own, std::size_t bytes,
                                        const detail::Meeting& meeting);
  /* Meets, and records it as a collective of that many bytes. */
  const std::byte* meet(const detail::Meeting& meeting, const void* mine, detail::Finish finish,
                        std::uint64_t bytes, int root = 0);
  /* Meets without a record. */
  void meet_silently(const detail::Meeting& meeting);
  std::uint64_t number() const { return runtime_.number(); }
  void begin_region(const char* name, const char* what = "");
  void end_region();
  /* A region of a method, by its address. */
  void begin_method(const void* address, const char* name_without_address);

  /* With --check-races: elements, and what is accessed where. Otherwise these do nothing. */
  bool is_watched() const { return watch_ != nullptr; }
  void watch(std::shared_ptr<std::byte> own, std::size_t bytes, std::size_t element_bytes,
             std::function<std::string(int owner, std::size_t element)> name_of);
  void note(const detail::Memory& memory, int owner, const detail::Stretch& stretch, bool writes,
            const std::source_location& where) {
    if (watch_) [[unlikely]]
      note_access(memory, owner, stretch, writes, where);
  }
  void note(const detail::Memory& memory, const Transfer& transfer, bool writes,
            const std::source_location& where) {
    if (!watch_) [[likely]]
      return;
    for (const Transfer::Part& part : transfer.parts_)
      note_access(memory, part.owner, part.stretch, writes, where);
  }
  /* As many own elements are computed. */
  void note_own(std::int64_t elements);

 private:
  void check_use(const char* name) const { detail::check_running(runtime_.number(), name); }
  void note_access(const detail::Memory& memory, int owner, const detail::Stretch& stretch, bool writes,
                   const std::source_location& where);

  template <class T>
  static T load(const std::byte* table, int rank) {
    T value;
    std::memcpy(&value, table + sizeof(T) * static_cast<std::size_t>(rank), sizeof value);
    return value;
  }
  template <class T>
  static detail::Meeting meeting(detail::Call call) {
    check_sendable<T>();
    return {call, sizeof(T), typeid(T).hash_code(), ""};
  }
  template <class F>
  static detail::Finish finish(const F& fold) {
    return {[](const void* f, std::byte* table, int processors) {
              (*static_cast<const F*>(f))(table, processors);
            },
            &fold};
  }
  void broadcast_bytes(void* data, std::size_t bytes, int root);
  template <class Move>
  void move(Transfer& transfer, const void* site, bool reads, std::byte* own, std::byte* buffer, Move move);

  detail::Runtime& runtime_;
  Recorder* recorder_;
  Watch* watch_;
};

using Program = std::function<void(Team&)>;

/* Runs the program on the processors that --collections NAME:N names, which is removed from the arguments.
 * Prints the first error; returns the program's exit code. */
int run(int& argc, char** argv, const Program& program);

/* The same with given processors; the first exception is thrown. */
struct Processors {
  enum class Kind { cooperative, threads, mpi };
  Kind kind = Kind::cooperative;
  int count = 1;
  std::size_t stack = 256 * 1024; /* bytes of a fibre's stack; of kind cooperative */
  bool checks_races = false;      /* of kind cooperative */
};
void run(const Processors& processors, const Program& program);

} /* namespace parcast::collections */
