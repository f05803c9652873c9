// SPDX-License-Identifier: Apache-2.0
// Wind-driven circulation in a density-stratified ocean: two layers in a basin whose segments from west to
// east are distributed to the processes (basin.h has the equations and the scheme). After P. J. Hatcher, M.
// J. Quinn: Data-Parallel Programming on MIMD Computers, 1991, whose programs of the same name are scaled by
// segments.
//
//   mpirun -n 4 ocean 640 128 1000           640 segments of 128 cells from south to north, 1000 steps:
//                                            a gyre under trade winds and westerlies, which
//                                            converges to Stommel's
//   mpirun -n 2 ocean 32 4 20000 setup       a lake under a steady wind: surface and interface tilt
//   mpirun -n 2 ocean 32 32 1000 seiche      a standing wave of the interface
//
// Prints the change of either layer's volume (only by rounding), the largest velocity, the error against a
// flow with closed form (basin.h: Basin::off), a hash of all bits of the final state, and the time in
// seconds. The hash is the same on any number of processes.

#include <mpi.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>

#include "basin.h"
#include "parcast/parcast.h"

namespace {

using namespace ocean;

constexpr int kCheckEvery = 20;  // steps between checks that the solution is still finite

struct Wanted {
  int segments, rows, steps;
  Flow flow = Flow::gyre;
};

/// Returns 0 if the text is no positive number.
int whole_number(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *text && !*end && value > 0 && value <= 10000000 ? static_cast<int>(value) : 0;
}

std::optional<Flow> flow_named(const char* name) {
  if (std::strcmp(name, "gyre") == 0) return Flow::gyre;
  if (std::strcmp(name, "setup") == 0) return Flow::setup;
  if (std::strcmp(name, "seiche") == 0) return Flow::seiche;
  return std::nullopt;
}

std::optional<Wanted> wanted(int argc, char** argv, int processes) {
  if (argc != 4 && argc != 5) return std::nullopt;
  Wanted asked{whole_number(argv[1]), whole_number(argv[2]), whole_number(argv[3])};
  const auto flow = argc == 5 ? flow_named(argv[4]) : Flow::gyre;
  if (asked.segments < processes || asked.segments > 100000 || asked.rows < 2 || asked.rows > 100000 || asked.steps == 0 || !flow) return std::nullopt;
  asked.flow = *flow;
  return asked;
}

int run(const Wanted& asked, int rank, int size, double start) {
  parcast_parameter("N", asked.segments);
  parcast_parameter("rows", asked.rows);
  parcast_parameter("steps", asked.steps);
  Basin basin(setting_of(asked.flow), asked.segments, asked.rows, MPI_COMM_WORLD);
  for (int step = 1; step <= asked.steps; ++step) {
    basin.step();
    if (step % kCheckEvery == 0 && !std::isfinite(basin.largest_speed())) {
      if (rank == 0) std::fprintf(stderr, "ocean: the solution blew up before step %d\n", step);
      return 1;
    }
  }
  const Totals totals = basin.totals();
  if (rank == 0)
    std::printf("segments %d rows %d steps %d processes %d\nvolumes %.1e %.1e\nspeed %.9e\noff %.3e\nstate %016" PRIx64 "\nseconds %.6f\n",
                asked.segments, asked.rows, asked.steps, size, totals.upper_volume, totals.lower_volume, totals.speed, totals.off, totals.state,
                MPI_Wtime() - start);
  const bool kept = std::fabs(totals.upper_volume) < 1e-12 && std::fabs(totals.lower_volume) < 1e-12;
  return kept ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  int rank = 0, size = 1, code = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (const auto asked = wanted(argc, argv, size)) {
    try {
      code = run(*asked, rank, size, start);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "ocean: rank %d has too little memory for %d x %d cells (%s)\n", rank, asked->segments, asked->rows, problem.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  } else if (rank == 0) {
    std::fprintf(stderr,
                 "usage: ocean SEGMENTS ROWS STEPS [gyre|setup|seiche]   (%d <= SEGMENTS <= 100000 on %d processes, 2 <= ROWS <= 100000, "
                 "1 <= STEPS <= 10000000)\n",
                 size, size);
  }
  MPI_Finalize();
  return code;
}
