/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What a runtime does for one processor of a team: two primitives, on which all operations are built.
 * Programs do not use this header.
 *
 *   meet     all processors come with some bytes; one folds the table of all of them; all see the result
 *   Memory   the elements of each processor, which all can read and write while the owner computes
 *
 * There are three runtimes: processors as fibres on one thread (cooperative), as threads, as processes of
 * MPI. */

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace parcast::collections::detail {

enum class Call : std::uint8_t {
  make,
  barrier,
  broadcast,
  reduce,
  scan,
  gather,
  gather_all,
  scatter,
  release,
  end
};

/* What a processor calls when it meets the others. All must call the same. */
struct Meeting {
  Call call = Call::barrier;
  std::uint32_t bytes = 0;     /* that each processor brings */
  std::uint64_t signature = 0; /* of types and sizes */
  const char* what = "";       /* name of the collection, or nothing */
};

/* Folds the table: `bytes` of each processor in order of rank. Runs once, or once on each process; with the
 * same input always to the same result. */
struct Finish {
  void (*run)(const void* function, std::byte* table, int processors) = nullptr;
  const void* function = nullptr;
};

/* Consecutive bytes: at `there` of the owner's elements, and at `here` of the other's buffer. */
struct Stretch {
  std::size_t there = 0, here = 0, bytes = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;
  virtual void read(int owner, std::span<const Stretch> stretches, std::byte* into) = 0;
  virtual void write(int owner, std::span<const Stretch> stretches, const std::byte* from) = 0;
  /* The owner's elements, where all are in one process; else null. */
  virtual const std::byte* part(int /*owner*/) const { return nullptr; }
};

class Runtime {
 public:
  Runtime();
  virtual ~Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  /* No two processors of this process have the same, not even those of different teams. */
  std::uint64_t number() const { return number_; }
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /* Waits for all processors. The result is valid until this processor meets the others again. `clock` is
   * this processor's time; afterwards, where processors have times of their own, the latest of all. */
  virtual const std::byte* meet(const Meeting& meeting, const void* mine, Finish finish, double& clock) = 0;
  /* Gives all processors access to the elements of each. All must call it; `own` lives as long as any of them
   * needs it. */
  virtual std::unique_ptr<Memory> share(std::shared_ptr<std::byte> own, std::size_t bytes,
                                        const Meeting& meeting) = 0;
  /* Copies the root's bytes to all. */
  virtual void broadcast(void* data, std::size_t bytes, int root, const Meeting& meeting, double& clock) = 0;

 private:
  std::uint64_t number_;
};

/* Throws unless the processor of that number runs on this thread. `name` of a collection. */
void check_running(std::uint64_t number, const char* name);

} /* namespace parcast::collections::detail */
