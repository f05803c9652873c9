// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all points of a set of recordings have in common beyond their range: N always a multiple of 16, p always a power
// of two, p always a divisor of N. What a count does elsewhere (remainders, odd process counts) no such recording shows.
// docs/models/counts.md, "The lattice".

#include <cstdint>
#include <string>
#include <vector>

#include "model/binding.h"

namespace parcast::program {

struct Lattice {
  /// variable = remainder (mod modulus); modulus 0: it never varied. Those with modulus 1 are left out.
  struct Residue {
    std::string variable;
    std::int64_t modulus = 0, remainder = 0;
  };
  /// p always divided the parameter plus this.
  struct Divided {
    std::string parameter;
    int offset = 0;
  };
  std::vector<Residue> residues;
  std::vector<std::string> powers_of_two;  // variables that were nothing else, at three values or more
  std::vector<Divided> divided;
  bool several = false;                    // p was never 1
  std::vector<std::string> whole, not_negative;  // parameters that always were

  /// Whether nothing but the kind of the parameters' values limits it.
  bool everywhere() const { return residues.empty() && powers_of_two.empty() && divided.empty() && !several; }
  bool contains(const Point& point) const;
  /// Whether the parameters are whole and not negative where they always were.
  bool in_domain(const Point& point) const;
};

/// Parameters that were not whole everywhere have no place in it.
Lattice lattice_of(const std::vector<Point>& recorded);
Lattice lattice_of(const Model& model);

/// "N is a multiple of 16, p is a power of two and divides N"; without what never varied.
std::string to_text(const Lattice& lattice);
/// "a recording at p = 3, N = 17": a small one that breaks every rule of the lattice but those of what never varied.
std::string advice_off(const Lattice& lattice, const std::vector<Point>& recorded);

/// The points of a model's recordings that are whole.
std::vector<Point> recorded_points(const Model& model);

}  // namespace parcast::program
