// SPDX-License-Identifier: Apache-2.0
#include "sea.h"

#include <algorithm>
#include <array>

#include "parcast/parcast.h"

namespace sharks {
namespace {

enum Purpose { kDirection, kLot, kPopulation, kAge };

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ull, x ^= x >> 27, x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/// Returns an integer below `bound`, from the upper half of a hash.
int below(std::uint64_t hash, int bound) { return static_cast<int>((hash >> 32) * static_cast<std::uint64_t>(bound) >> 32); }

std::uint8_t older(std::uint8_t steps) { return static_cast<std::uint8_t>(std::min(steps + 1, 255)); }

}  // namespace

Sea::Sea(const Rules& rules, int rows, int columns, const std::string& world, MPI_Comm processes)
    : rules_(rules), processes_(processes), rows_(rows), columns_(columns) {
  int rank = 0, size = 1;
  MPI_Comm_rank(processes, &rank);
  MPI_Comm_size(processes, &size);
  begin_ = rank * (rows / size) + std::min(rank, rows % size);
  own_ = rows / size + (rank < rows % size);
  above_ = (rank + size - 1) % size, below_ = (rank + 1) % size;
  const std::size_t cells = at(own_ + 2, 0);
  animals_.resize(cells), next_.resize(cells), choices_.resize(cells), admitted_.resize(cells);
  fill(world);
}

void Sea::fill(const std::string& world) {
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) {
      const Animal animal = animals_[at(i, j)] = animal_at_start(cell_of(i, j), world);
      mine_.first_fish += animal.kind == Kind::fish, mine_.first_sharks += animal.kind == Kind::shark;
    }
}

Animal Sea::animal_at_start(std::uint64_t cell, const std::string& world) const {
  if (!world.empty()) return {world[cell] == 'f' ? Kind::fish : world[cell] == 's' ? Kind::shark : Kind::none};
  const int lot = below(draw(cell, Kind::none, kPopulation), 120);
  const Kind kind = lot < 40 ? Kind::fish : lot < 43 ? Kind::shark : Kind::none;
  const int breed = kind == Kind::fish ? rules_.fish_breed : kind == Kind::shark ? rules_.shark_breed : 1;
  return {kind, static_cast<std::uint8_t>(below(draw(cell, Kind::none, kAge), breed))};
}

/// Returns the cell's number in the entire sea; `row` may be one above or below the own ones.
std::uint64_t Sea::cell_of(int row, int column) const {
  const int global = (begin_ + row - 1 + rows_) % rows_;
  return static_cast<std::uint64_t>(global) * static_cast<std::uint64_t>(columns_) + static_cast<std::uint64_t>(column);
}

std::uint64_t Sea::draw(std::uint64_t cell, Kind kind, int purpose) const {
  return mixed(mixed(mixed(rules_.seed) + step_) + cell * 16 + static_cast<std::uint64_t>(kind) * 4 + static_cast<std::uint64_t>(purpose));
}

std::size_t Sea::beside(int row, int column, Choice direction) const {
  switch (direction) {
    case Choice::north: return at(row - 1, column);
    case Choice::south: return at(row + 1, column);
    case Choice::west: return at(row, column == 0 ? columns_ - 1 : column - 1);
    case Choice::east: return at(row, column + 1 == columns_ ? 0 : column + 1);
    default: return at(row, column);
  }
}

void Sea::step() {
  {
    const parcast::Region region("fish");
    move_all(Kind::fish);
  }
  {
    const parcast::Region region("sharks");
    move_all(Kind::shark);
  }
  ++step_;
}

void Sea::move_all(Kind kind) {
  exchange(animals_);
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) choices_[at(i, j)] = animals_[at(i, j)].kind == kind ? choose(i, j, kind) : Choice::stay;
  exchange(choices_);
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) admitted_[at(i, j)] = admit(i, j, kind);
  exchange(admitted_);
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) next_[at(i, j)] = after(i, j, kind);
  animals_.swap(next_);
}

Sea::Choice Sea::choose(int row, int column, Kind kind) const {
  std::array<Choice, 4> empty{}, prey{};
  int empties = 0, fish = 0;
  for (const Choice direction : {Choice::north, Choice::south, Choice::west, Choice::east}) {
    const Kind there = animals_[beside(row, column, direction)].kind;
    if (there == Kind::none) empty[static_cast<std::size_t>(empties++)] = direction;
    if (there == Kind::fish) prey[static_cast<std::size_t>(fish++)] = direction;
  }
  const bool hunts = kind == Kind::shark && fish > 0;
  if (kind == Kind::shark && !hunts && animals_[at(row, column)].hunger + 1 >= rules_.starve) return Choice::die;
  const int ways = hunts ? fish : empties;
  if (ways == 0) return Choice::stay;
  const auto chosen = static_cast<std::size_t>(below(draw(cell_of(row, column), kind, kDirection), ways));
  return hunts ? prey[chosen] : empty[chosen];
}

/// Returns the side from which the cell admits an animal.
Sea::Choice Sea::admit(int row, int column, Kind kind) const {
  struct Applicant {
    Choice from, came_by;
    int row, column;
  };
  const int west = column == 0 ? columns_ - 1 : column - 1, east = column + 1 == columns_ ? 0 : column + 1;
  Choice admitted = Choice::stay;
  std::uint64_t lowest = 0, of_cell = 0;
  for (const Applicant& who : {Applicant{Choice::north, Choice::south, row - 1, column}, Applicant{Choice::south, Choice::north, row + 1, column},
                               Applicant{Choice::west, Choice::east, row, west}, Applicant{Choice::east, Choice::west, row, east}}) {
    if (choices_[at(who.row, who.column)] != who.came_by) continue;
    const std::uint64_t cell = cell_of(who.row, who.column), lot = draw(cell, kind, kLot);
    if (admitted != Choice::stay && (lot > lowest || (lot == lowest && cell > of_cell))) continue;
    admitted = who.from, lowest = lot, of_cell = cell;
  }
  return admitted;
}

/// Returns the content of the cell after all animals of `kind` have moved.
Animal Sea::after(int row, int column, Kind kind) {
  const Animal here = animals_[at(row, column)];
  if (const Choice from = admitted_[at(row, column)]; from != Choice::stay) {
    const bool eats = here.kind == Kind::fish;
    mine_.eaten += eats;
    return arrived(animals_[beside(row, column, from)], eats);
  }
  if (here.kind != kind) return here;
  const auto admitted_by = [&](Choice direction, Choice from) { return admitted_[beside(row, column, direction)] == from; };
  switch (choices_[at(row, column)]) {
    case Choice::north: return admitted_by(Choice::north, Choice::south) ? left_behind(here) : stayed(here);
    case Choice::south: return admitted_by(Choice::south, Choice::north) ? left_behind(here) : stayed(here);
    case Choice::west: return admitted_by(Choice::west, Choice::east) ? left_behind(here) : stayed(here);
    case Choice::east: return admitted_by(Choice::east, Choice::west) ? left_behind(here) : stayed(here);
    case Choice::die: ++mine_.starved; return {};
    case Choice::stay: break;
  }
  return stayed(here);
}

bool Sea::breeds(Animal animal) const { return older(animal.age) >= (animal.kind == Kind::fish ? rules_.fish_breed : rules_.shark_breed); }

Animal Sea::arrived(Animal animal, bool eats) const {
  animal.age = breeds(animal) ? 0 : older(animal.age);
  animal.hunger = eats || animal.kind == Kind::fish ? 0 : older(animal.hunger);
  return animal;
}

Animal Sea::left_behind(Animal animal) {
  if (!breeds(animal)) return {};
  ++(animal.kind == Kind::fish ? mine_.fish_born : mine_.sharks_born);
  return {animal.kind};
}

/// Ages an animal that stays. A shark whose fish was eaten by another one may starve here.
Animal Sea::stayed(Animal animal) {
  animal.age = older(animal.age);
  if (animal.kind == Kind::fish) return animal;
  animal.hunger = older(animal.hunger);
  if (animal.hunger < rules_.starve) return animal;
  ++mine_.starved;
  return {};
}

/// Sends the outermost own rows to the processes above and below, and receives theirs next to the own ones.
template <class Value>
void Sea::exchange(Rows<Value>& rows) const {
  const int bytes = columns_ * static_cast<int>(sizeof(Value));
  MPI_Sendrecv(&rows[at(1, 0)], bytes, MPI_BYTE, above_, 0, &rows[at(own_ + 1, 0)], bytes, MPI_BYTE, below_, 0, processes_, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&rows[at(own_, 0)], bytes, MPI_BYTE, below_, 1, &rows[at(0, 0)], bytes, MPI_BYTE, above_, 1, processes_, MPI_STATUS_IGNORE);
}

Census Sea::census() const {
  Census all = mine_;
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) all.fish += animals_[at(i, j)].kind == Kind::fish, all.sharks += animals_[at(i, j)].kind == Kind::shark;
  std::array<long, 8> sums{all.fish, all.sharks, all.first_fish, all.first_sharks, all.fish_born, all.eaten, all.sharks_born, all.starved};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_LONG, MPI_SUM, processes_);
  return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]};
}

std::uint64_t Sea::state() const {
  std::uint64_t sum = 0;
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) {
      const Animal animal = animals_[at(i, j)];
      const auto value = static_cast<std::uint64_t>(animal.kind) << 16 | static_cast<std::uint64_t>(animal.age) << 8 | animal.hunger;
      sum += mixed(mixed(cell_of(i, j)) + value);
    }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, processes_);
  return sum;
}

std::string Sea::drawn() const {
  std::string mine;
  for (int i = 1; i <= own_; ++i)
    for (int j = 0; j < columns_; ++j) mine += ".fs"[static_cast<std::size_t>(animals_[at(i, j)].kind)];
  int rank = 0, size = 1;
  MPI_Comm_rank(processes_, &rank);
  MPI_Comm_size(processes_, &size);
  std::vector<int> counts(static_cast<std::size_t>(size)), places(counts);
  const int own = static_cast<int>(mine.size()), place = begin_ * columns_;
  MPI_Gather(&own, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, processes_);
  MPI_Gather(&place, 1, MPI_INT, places.data(), 1, MPI_INT, 0, processes_);
  std::string all(rank == 0 ? static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_) : 0, ' ');
  MPI_Gatherv(mine.data(), own, MPI_CHAR, all.data(), counts.data(), places.data(), MPI_CHAR, 0, processes_);
  return all;
}

}  // namespace sharks
