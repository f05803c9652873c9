// SPDX-License-Identifier: Apache-2.0
#pragma once
// Properties that all points of a set of recordings share besides their range. Examples: N is always a
// multiple of 16, p is always a power of two, p always divides N. Such recordings do not show what a count is
// elsewhere (remainders, odd process counts). docs/models/counts.md, "The lattice".

#include <cstdint>
#include <string>
#include <vector>

#include "model/binding.h"

namespace parcast::program {

struct Lattice {
  /// variable = remainder (mod modulus); modulus 0: it never varied. Variables with modulus 1 are left out.
  struct Residue {
    std::string variable;
    std::int64_t modulus = 0, remainder = 0;
  };
  /// p always divided parameter + offset.
  struct Divided {
    std::string parameter;
    int offset = 0;
  };
  std::vector<Residue> residues;
  std::vector<std::string> powers_of_two;  // variables that were always one, with three values or more
  std::vector<Divided> divided;
  bool several = false;                          // p was never 1
  std::vector<std::string> whole, not_negative;  // parameters that always were

  /// Returns whether only the kind of the parameters' values limits the lattice.
  bool everywhere() const { return residues.empty() && powers_of_two.empty() && divided.empty() && !several; }
  bool contains(const Point& point) const;
  /// Returns whether the parameters are whole numbers and not negative where they always were.
  bool in_domain(const Point& point) const;
};

/// Return the lattice of the points or of the model's recordings. Parameters that had fractions are ignored.
Lattice lattice_of(const std::vector<Point>& recorded);
Lattice lattice_of(const Model& model);

/// Returns the rules as text: "N is a multiple of 16, p is a power of two and divides N". Variables that
/// never varied are left out.
std::string to_text(const Lattice& lattice);
/// Returns a small point that breaks as many rules as a run can (ProcessRule), except those of variables that
/// never varied: "a recording at p = 3, N = 17".
std::string advice_off(const Lattice& lattice, const std::vector<Point>& recorded);

/// Returns the points of the model's recordings that are not damaged.
std::vector<Point> recorded_points(const Model& model);

}  // namespace parcast::program
