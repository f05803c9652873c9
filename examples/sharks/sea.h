// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sea of Wa-Tor, a torus of cells with at most one animal each (A. K. Dewdney, Scientific American
// 251(6), 1984). In a step first all fish move, then all sharks:
//
//   fish    to an empty neighbour (north, south, west or east), chosen at random; without one it stays
//   shark   to a neighbour with a fish, which it eats, chosen at random; without one like a fish. A shark
//           that has not eaten for `starve` steps dies
//   both    an animal that moves at breeding age or above leaves a newborn in its cell and has age 0 again
//
// Rows are distributed to the processes. All animals of a kind choose at once, from the sea before any of
// them moved. So the outcome depends neither on an order of cells nor on the distribution of rows. If several
// choose the same cell, the one with the lowest lot gets it and the others stay; of equal lots, the lower
// cell wins. Lots and choices are hashes of seed, step, kind and cell, so any process can draw them for any
// cell. Three exchanges of one row with the processes above and below resolve all conflicts, also across
// borders:
//
//   1. the animals of the outermost rows: the view of each animal; all choose
//   2. the choices: every cell has its four applicants, from 1 also their kinds, and admits one
//   3. the admissions: every applicant learns whether it has moved, and every cell its new content

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sharks {

enum class Kind : std::uint8_t { none, fish, shark };

struct Animal {
  Kind kind = Kind::none;
  std::uint8_t age = 0;     // steps since birth or breeding
  std::uint8_t hunger = 0;  // steps since a shark ate
};
static_assert(sizeof(Animal) == 3);

struct Rules {
  std::uint64_t seed = 1;
  int fish_breed = 3, shark_breed = 10, starve = 3;  // steps
};

/// Events since the start, and numbers of animals.
struct Census {
  long fish = 0, sharks = 0;                                         // now
  long first_fish = 0, first_sharks = 0;                             // at the start
  long fish_born = 0, eaten = 0, sharks_born = 0, starved = 0;
  /// Returns whether no animal appeared or vanished without reason.
  bool balances() const { return fish == first_fish + fish_born - eaten && sharks == first_sharks + sharks_born - starved; }
};

class Sea {
 public:
  /// `world`: a character per cell, row by row: '.', 'f' or 's', newborn. Empty: a fish in every third cell
  /// and a shark in every fortieth, at random.
  Sea(const Rules& rules, int rows, int columns, const std::string& world, MPI_Comm processes);

  void step();
  /// Returns the census over all processes, on every process.
  Census census() const;
  /// Returns a hash of all animals that does not depend on the distribution of rows.
  std::uint64_t state() const;
  /// Returns the sea in the format of `world` on process 0; empty on the others.
  std::string drawn() const;

 private:
  enum class Choice : std::uint8_t { stay, north, south, west, east, die };
  template <class Value>
  using Rows = std::vector<Value>;  // own rows, with one row of each neighbour process around them

  std::size_t at(int row, int column) const { return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column); }
  std::size_t beside(int row, int column, Choice direction) const;
  std::uint64_t cell_of(int row, int column) const;
  std::uint64_t draw(std::uint64_t cell, Kind kind, int purpose) const;
  void fill(const std::string& world);
  Animal animal_at_start(std::uint64_t cell, const std::string& world) const;

  void move_all(Kind kind);
  Choice choose(int row, int column, Kind kind) const;
  Choice admit(int row, int column, Kind kind) const;
  Animal after(int row, int column, Kind kind);
  Animal arrived(Animal animal, bool eats) const;
  Animal left_behind(Animal animal);
  Animal stayed(Animal animal);
  bool breeds(Animal animal) const;

  template <class Value>
  void exchange(Rows<Value>& rows) const;

  Rules rules_;
  MPI_Comm processes_;
  int rows_, columns_;           // of the entire sea
  int begin_ = 0, own_ = 0;      // rows of this process
  int above_ = 0, below_ = 0;    // processes
  std::uint64_t step_ = 0;
  Rows<Animal> animals_, next_;
  Rows<Choice> choices_, admitted_;  // direction from which a cell admits an animal
  Census mine_;
};

}  // namespace sharks
