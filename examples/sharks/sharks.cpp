// SPDX-License-Identifier: Apache-2.0
// Sharks world: predators and prey on a torus (sea.h has the rules, and the resolution of conflicts at
// borders).
//
//   mpirun -n 4 sharks 256 100               256 x 256 cells at random, 100 steps
//   mpirun -n 2 sharks world.txt 10 [SEED]   a drawn world: a character . f s per cell, rows of equal length
//
// Prints the numbers of animals, of births, of eaten and of starved ones, which must balance. Then a hash of
// all animals, which is the same on any number of processes, the final world if the input was drawn, and the
// time in seconds.

#include <mpi.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "parcast/parcast.h"
#include "sea.h"

namespace {

using namespace sharks;

constexpr int kCheckEvery = 20;  // steps between censuses
constexpr int kLargest = 30000;  // rows or columns

struct Wanted {
  int rows = 0, columns = 0, steps = 0;
  Rules rules;
  std::string world;    // drawn, without line ends
  std::string problem;  // why the input is invalid
};

/// Returns -1 if the text is no number.
long whole_number(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end ? value : -1;
}

/// Process 0 reads a drawn world and sends it to the others.
void read_world(const std::string& path, Wanted& wanted) {
  std::ifstream file(path);
  if (!file) wanted.problem = "no file " + path;
  int number = 0;
  for (std::string row; wanted.problem.empty() && std::getline(file, row);) {
    ++number;
    const std::string place = path + ":" + std::to_string(number) + ": ", cells = std::to_string(row.size());
    if (number == 1) wanted.columns = static_cast<int>(row.size());
    if (row.find_first_not_of(".fs") != std::string::npos) wanted.problem = place + "a cell is . f or s";
    else if (static_cast<int>(row.size()) != wanted.columns) wanted.problem = place + "this row has " + cells + " cells, the first one " + std::to_string(wanted.columns);
    wanted.world += row;
  }
  wanted.rows = number;
  if (wanted.problem.empty() && wanted.world.empty()) wanted.problem = path + " is empty";
  if (wanted.rows > kLargest || wanted.columns > kLargest) wanted.problem = path + " has more than " + std::to_string(kLargest) + " rows or columns";
}

void share(std::string& text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
}

Wanted wanted_from(int argc, char** argv, int rank, int size) {
  Wanted wanted;
  const long steps = argc == 3 || argc == 4 ? whole_number(argv[2]) : -1, seed = argc == 4 ? whole_number(argv[3]) : 1;
  if (steps < 0 || steps > 10000000 || seed < 0) {
    wanted.problem = "usage: sharks N|WORLD.txt STEPS [SEED]   (1 <= N <= 30000, 0 <= STEPS <= 10000000)";
    return wanted;
  }
  wanted.steps = static_cast<int>(steps), wanted.rules.seed = static_cast<std::uint64_t>(seed);
  if (const long n = whole_number(argv[1]); n >= 0) {
    if (n < 1 || n > kLargest) wanted.problem = "N is a number from 1 to " + std::to_string(kLargest);
    wanted.rows = wanted.columns = static_cast<int>(n);
  } else {
    if (rank == 0) read_world(argv[1], wanted);
    MPI_Bcast(&wanted.rows, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&wanted.columns, 1, MPI_INT, 0, MPI_COMM_WORLD);
    share(wanted.world);
    share(wanted.problem);
  }
  if (wanted.problem.empty() && wanted.rows < size)
    wanted.problem = std::to_string(wanted.rows) + " rows cannot be dealt out to " + std::to_string(size) + " processes: run at most " + std::to_string(wanted.rows);
  return wanted;
}

int run(const Wanted& wanted, int rank, int size, double start) {
  parcast_parameter("N", wanted.rows);
  parcast_parameter("steps", wanted.steps);
  Sea sea(wanted.rules, wanted.rows, wanted.columns, wanted.world, MPI_COMM_WORLD);
  for (int step = 1; step <= wanted.steps; ++step) {
    sea.step();
    if (step % kCheckEvery == 0 && !sea.census().balances()) {
      if (rank == 0) std::fprintf(stderr, "sharks: animals came from nowhere or got lost before step %d\n", step);
      return 1;
    }
  }
  const Census census = sea.census();
  const std::uint64_t state = sea.state();
  const double seconds = MPI_Wtime() - start;
  const std::string drawn = wanted.world.empty() ? "" : sea.drawn();
  if (rank == 0) {
    std::printf("rows %d columns %d steps %d processes %d\n", wanted.rows, wanted.columns, wanted.steps, size);
    std::printf("fish %ld born %ld eaten %ld\nsharks %ld born %ld starved %ld\nstate %016" PRIx64 "\n", census.fish, census.fish_born, census.eaten, census.sharks,
                census.sharks_born, census.starved, state);
    const auto columns = static_cast<std::size_t>(wanted.columns);
    for (std::size_t i = 0; i < drawn.size(); i += columns) std::printf("%s\n", drawn.substr(i, columns).c_str());
    std::printf("seconds %.6f\n", seconds);
  }
  return census.balances() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double start = MPI_Wtime();
  int rank = 0, size = 1, code = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    const Wanted wanted = wanted_from(argc, argv, rank, size);
    if (wanted.problem.empty()) code = run(wanted, rank, size, start);
    else if (rank == 0) std::fprintf(stderr, "%s%s\n", wanted.problem.starts_with("usage") ? "" : "sharks: ", wanted.problem.c_str());
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "sharks: rank %d has too little memory (%s)\n", rank, problem.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
