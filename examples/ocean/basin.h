// SPDX-License-Identifier: Apache-2.0
#pragma once
// Wind-driven circulation of two layers of water of different density in a rectangular basin with a flat
// bottom: the linear shallow water equations on a beta plane (A. E. Gill: Atmosphere-Ocean Dynamics, 1982,
// 6.2 and 12.4),
//
//   du1/dt - f v1 = -g d(eta)/dx - r u1 + wind/h1      d(eta - zeta)/dt = -h1 div(u1, v1)      upper layer
//   dv1/dt + f u1 = -g d(eta)/dy - r v1
//   du2/dt - f v2 = -d(g eta + g' zeta)/dx - r u2      d(zeta)/dt       = -h2 div(u2, v2)      lower layer
//   dv2/dt + f u2 = -d(g eta + g' zeta)/dy - r v2
//
// with eta the height of the surface, zeta that of the interface between the layers, r friction, g' gravity
// reduced by the difference of density, wind the eastward stress over density, and f = f0 + beta y.
//
// Columns of cells, the segments of the basin from west to east, are distributed to the processes in strips.
// Velocities lie on the cells' western (u) and southern (v) faces. Heights are advanced first, then u with
// the new heights and the old v, then v with the new u (A. Sielecki, Monthly Weather Review 96, 1968). So a
// step passes one column of heights and of v to the east, and one of u to the west.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ocean {

enum class Flow {
  gyre,     // trade winds in the south and westerlies in the north, on a rotating Earth
  setup,    // a steady east wind stress on a lake at rest: surface and interface tilt against each other
  seiche    // a standing wave of the interface, without wind, rotation and friction
};

/// Metres and seconds.
struct Setting {
  Flow flow = Flow::gyre;
  double length = 1e6, width = 1e6;       // west to east, south to north
  double upper = 200, lower = 800;        // depths h1, h2
  double gravity = 9.81, reduced = 0.02;  // g, g'
  double f0 = 1e-4, beta = 2e-11;
  double friction = 2e-6;
  double stress = 1e-4;  // wind stress over the water's density, m^2/s^2
};
Setting setting_of(Flow flow);

/// One field on a strip of columns, each from south to north, with an extra column at either end. Columns are
/// padded to an odd number of cache lines. Each field starts some lines further into its page than the one
/// before, so that neighbouring values of different fields do not compete for the same cache lines.
class Field {
 public:
  Field(int columns, int rows, int number)
      : pitch_((rows + 1 + kLine - 1) / kLine * kLine | kLine),
        first_(number * 5 * kLine),
        values_(static_cast<std::size_t>(first_ + (columns + 2) * static_cast<std::ptrdiff_t>(pitch_))) {}
  double* column(int i) { return values_.data() + first_ + i * static_cast<std::ptrdiff_t>(pitch_); }
  const double* column(int i) const { return values_.data() + first_ + i * static_cast<std::ptrdiff_t>(pitch_); }

 private:
  static constexpr int kLine = 8;  // doubles per cache line
  int pitch_, first_;
  std::vector<double> values_;
};

/// Values that do not depend on the distribution of columns: `state` is a hash of all bits of all fields.
struct Totals {
  double upper_volume = 0, lower_volume = 0;  // gain over the volume at rest
  double speed = 0;  // largest |u| + |v| of a cell, m/s; infinite if a value is no number
  double off = 0;                             // see Basin::off
  std::uint64_t state = 0;
};

class Basin {
 public:
  /// `segments` x `rows` cells; this process gets its share of the columns.
  Basin(const Setting& setting, int segments, int rows, MPI_Comm processes);

  void step();
  /// Returns the totals over all processes, on every process.
  Totals totals() const;
  double largest_speed() const;

 private:
  struct Layer {
    Field u, v;
    double depth;
  };
  struct Sums {
    double off = 0, all = 0;
  };

  void start_seiche();
  void advance_heights();
  void advance_u(Layer& layer, double of_surface, double of_interface, double wind_share);
  void advance_v(Layer& layer, double of_surface, double of_interface);
  void pass_east(std::initializer_list<Field*> fields);
  void pass_west(std::initializer_list<Field*> fields);
  void shift(std::initializer_list<Field*> fields, int from, int to, int into, int source);
  double wind(int row) const;
  /// Returns the relative error, as a mean square, against a known flow: for the gyre the northward transport
  /// of Stommel's steady solution, for the lake the heights of the tilt in equilibrium, for the seiche the
  /// standing wave of these difference equations at this time.
  Sums off() const;
  Sums off_stommel() const;
  Sums off_tilt() const;
  Sums off_wave() const;
  std::uint64_t state() const;

  Setting setting_;
  MPI_Comm processes_;
  int segments_, rows_, begin_ = 0, columns_ = 0, west_, east_;
  double dx_, dy_, dt_;
  long steps_ = 0;
  std::vector<double> send_, receive_;
  Field eta_, zeta_;
  Layer upper_, lower_;
};

}  // namespace ocean
