// SPDX-License-Identifier: Apache-2.0
#include "basin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "known_flows.h"
#include "parcast/parcast.h"

namespace ocean {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Fraction of the longest time step at which the fastest wave, that of the surface, is stable.
constexpr double kOfLongestStep = 0.6;

int share_begin(int all, int parts, int index) { return index * (all / parts) + std::min(index, all % parts); }

int rank_in(MPI_Comm processes) {
  int rank = 0;
  MPI_Comm_rank(processes, &rank);
  return rank;
}

int size_of(MPI_Comm processes) {
  int size = 1;
  MPI_Comm_size(processes, &size);
  return size;
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ull, x ^= x >> 27, x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

}  // namespace

Setting setting_of(Flow flow) {
  Setting setting;
  setting.flow = flow;
  if (flow == Flow::gyre) return setting;
  setting.f0 = setting.beta = 0;
  if (flow == Flow::setup) {  // a lake, which reaches its equilibrium soon
    setting.length = 1e5, setting.width = 2e4;
    setting.upper = 20, setting.lower = 80;
    setting.friction = 3.5e-5;  // near critical damping of the interface
  } else {
    setting.friction = setting.stress = 0;
  }
  return setting;
}

Basin::Basin(const Setting& setting, int segments, int rows, MPI_Comm processes)
    : setting_(setting), processes_(processes), segments_(segments), rows_(rows),
      begin_(share_begin(segments, size_of(processes), rank_in(processes))),
      columns_(share_begin(segments, size_of(processes), rank_in(processes) + 1) - begin_),
      west_(begin_ == 0 ? MPI_PROC_NULL : rank_in(processes) - 1),
      east_(begin_ + columns_ == segments ? MPI_PROC_NULL : rank_in(processes) + 1),
      dx_(setting.length / segments), dy_(setting.width / rows),
      dt_(kOfLongestStep / (std::sqrt(setting.gravity * (setting.upper + setting.lower)) * std::sqrt(1 / (dx_ * dx_) + 1 / (dy_ * dy_)))),
      eta_(columns_, rows, 0), zeta_(columns_, rows, 1),
      upper_{Field(columns_, rows, 2), Field(columns_, rows, 3), setting.upper},
      lower_{Field(columns_, rows, 4), Field(columns_, rows, 5), setting.lower} {
  if (setting.flow == Flow::seiche) start_seiche();
}

void Basin::start_seiche() {
  const InternalWave wave(setting_, dx_, dy_, dt_);
  for (int i = 1; i <= columns_; ++i)
    for (int j = 0; j < rows_; ++j) {
      zeta_.column(i)[j] = wave.interface_at(begin_ + i - 1, j, 0);
      eta_.column(i)[j] = wave.surface_share() * zeta_.column(i)[j];
    }
}

/// Returns the eastward stress in the middle of a row.
double Basin::wind(int row) const {
  if (setting_.flow == Flow::setup) return setting_.stress;
  return -setting_.stress * std::cos(kPi * (row + 0.5) / rows_);
}

void Basin::step() {
  {
    const parcast::Region region("heights");
    advance_heights();
    pass_east({&eta_, &zeta_, &upper_.v, &lower_.v});
  }
  {
    const parcast::Region region("currents");
    advance_u(upper_, setting_.gravity, 0, 1 / setting_.upper);
    advance_u(lower_, setting_.gravity, setting_.reduced, 0);
    pass_west({&upper_.u, &lower_.u});
    advance_v(upper_, setting_.gravity, 0);
    advance_v(lower_, setting_.gravity, setting_.reduced);
  }
  ++steps_;
}

void Basin::advance_heights() {
  const double east = dt_ / dx_, north = dt_ / dy_;
  for (int i = 1; i <= columns_; ++i) {
    const double *u1 = upper_.u.column(i), *u1_next = upper_.u.column(i + 1), *v1 = upper_.v.column(i);
    const double *u2 = lower_.u.column(i), *u2_next = lower_.u.column(i + 1), *v2 = lower_.v.column(i);
    double *eta = eta_.column(i), *zeta = zeta_.column(i);
    for (int j = 0; j < rows_; ++j) {
      const double out_of_upper = upper_.depth * (east * (u1_next[j] - u1[j]) + north * (v1[j + 1] - v1[j]));
      const double out_of_lower = lower_.depth * (east * (u2_next[j] - u2[j]) + north * (v2[j + 1] - v2[j]));
      zeta[j] -= out_of_lower;
      eta[j] -= out_of_upper + out_of_lower;
    }
  }
}

/// Advances u on the western faces; nothing flows through the basin's western wall.
void Basin::advance_u(Layer& layer, double of_surface, double of_interface, double wind_share) {
  const double slope_of_surface = dt_ * of_surface / dx_, slope_of_interface = dt_ * of_interface / dx_;
  const double kept = 1 / (1 + dt_ * setting_.friction);
  std::vector<double> blown(static_cast<std::size_t>(rows_)), turned(blown);
  for (int j = 0; j < rows_; ++j) {
    blown[static_cast<std::size_t>(j)] = dt_ * wind_share * wind(j);
    turned[static_cast<std::size_t>(j)] = 0.25 * dt_ * (setting_.f0 + setting_.beta * (j + 0.5) * dy_);
  }
  for (int i = begin_ == 0 ? 2 : 1; i <= columns_; ++i) {
    const double *eta = eta_.column(i), *eta_west = eta_.column(i - 1), *zeta = zeta_.column(i), *zeta_west = zeta_.column(i - 1);
    const double *v = layer.v.column(i), *v_west = layer.v.column(i - 1), *push = blown.data(), *turn = turned.data();
    double* u = layer.u.column(i);
    for (int j = 0; j < rows_; ++j)
      u[j] = kept * (u[j] + turn[j] * (v[j] + v[j + 1] + v_west[j] + v_west[j + 1]) - slope_of_surface * (eta[j] - eta_west[j]) -
                     slope_of_interface * (zeta[j] - zeta_west[j]) + push[j]);
  }
}

/// Advances v on the southern faces; nothing flows through the southern and the northern wall.
void Basin::advance_v(Layer& layer, double of_surface, double of_interface) {
  const double slope_of_surface = dt_ * of_surface / dy_, slope_of_interface = dt_ * of_interface / dy_;
  const double kept = 1 / (1 + dt_ * setting_.friction);
  for (int i = 1; i <= columns_; ++i) {
    const double *eta = eta_.column(i), *zeta = zeta_.column(i), *u = layer.u.column(i), *u_next = layer.u.column(i + 1);
    double* v = layer.v.column(i);
    for (int j = 1; j < rows_; ++j) {
      const double turn = 0.25 * dt_ * (setting_.f0 + setting_.beta * j * dy_);
      v[j] = kept * (v[j] - turn * (u[j - 1] + u[j] + u_next[j - 1] + u_next[j]) - slope_of_surface * (eta[j] - eta[j - 1]) -
                     slope_of_interface * (zeta[j] - zeta[j - 1]));
    }
  }
}

/// Sends the last own column to the east, where it becomes the column before the first one.
void Basin::pass_east(std::initializer_list<Field*> fields) { shift(fields, columns_, east_, 0, west_); }

/// Sends the first own column to the west. East of the basin the column of u stays 0: a wall.
void Basin::pass_west(std::initializer_list<Field*> fields) { shift(fields, 1, west_, columns_ + 1, east_); }

void Basin::shift(std::initializer_list<Field*> fields, int from, int to, int into, int source) {
  const auto rows = static_cast<std::size_t>(rows_) + 1;
  const int count = static_cast<int>(fields.size() * rows);
  send_.resize(fields.size() * rows), receive_.resize(fields.size() * rows);
  double* out = send_.data();
  for (Field* field : fields) out = std::copy_n(field->column(from), rows, out);
  MPI_Sendrecv(send_.data(), count, MPI_DOUBLE, to, 0, receive_.data(), count, MPI_DOUBLE, source, 0, processes_, MPI_STATUS_IGNORE);
  if (source == MPI_PROC_NULL) return;
  const double* in = receive_.data();
  for (Field* field : fields) {
    std::copy_n(in, rows, field->column(into));
    in += rows;
  }
}

double Basin::largest_speed() const {
  double largest = 0;
  for (const Layer* layer : {&upper_, &lower_})
    for (int i = 1; i <= columns_; ++i)
      for (int j = 0; j < rows_; ++j) {
        const double here = std::fabs(layer->u.column(i)[j]) + std::fabs(layer->v.column(i)[j]);
        if (!(here <= largest)) largest = std::isnan(here) ? std::numeric_limits<double>::infinity() : here;
      }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, processes_);
  return largest;
}

Totals Basin::totals() const {
  Totals totals;
  double sums[4] = {};
  for (int i = 1; i <= columns_; ++i)
    for (int j = 0; j < rows_; ++j) {
      sums[0] += eta_.column(i)[j] - zeta_.column(i)[j];
      sums[1] += zeta_.column(i)[j];
    }
  const Sums from_known = off();
  sums[2] = from_known.off, sums[3] = from_known.all;
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, processes_);
  totals.state = state();
  MPI_Allreduce(MPI_IN_PLACE, &totals.state, 1, MPI_UINT64_T, MPI_SUM, processes_);
  const double cells = static_cast<double>(segments_) * rows_;
  totals.upper_volume = sums[0] / (cells * setting_.upper);
  totals.lower_volume = sums[1] / (cells * setting_.lower);
  totals.off = std::sqrt(sums[2] / sums[3]);
  totals.speed = largest_speed();
  return totals;
}

Basin::Sums Basin::off() const {
  switch (setting_.flow) {
    case Flow::gyre: return off_stommel();
    case Flow::setup: return off_tilt();
    case Flow::seiche: return off_wave();
  }
  return {};
}

Basin::Sums Basin::off_stommel() const {
  const StommelGyre gyre(setting_);
  Sums sums;
  for (int i = 1; i <= columns_; ++i)
    for (int j = 1; j < rows_; ++j) {
      const double known = gyre.northward((begin_ + i - 0.5) * dx_, j * dy_);
      const double here = upper_.depth * upper_.v.column(i)[j] + lower_.depth * lower_.v.column(i)[j];
      sums.off += (here - known) * (here - known), sums.all += known * known;
    }
  return sums;
}

Basin::Sums Basin::off_tilt() const {
  Sums sums;
  for (int i = 1; i <= columns_; ++i) {
    const Tilt known = tilt_at(setting_, (begin_ + i - 0.5) * dx_);
    for (int j = 0; j < rows_; ++j) {
      const double surface = eta_.column(i)[j] - known.surface, between = zeta_.column(i)[j] - known.interface;
      sums.off += surface * surface + between * between;
      sums.all += known.surface * known.surface + known.interface * known.interface;
    }
  }
  return sums;
}

Basin::Sums Basin::off_wave() const {
  const InternalWave wave(setting_, dx_, dy_, dt_);
  Sums sums;
  for (int i = 1; i <= columns_; ++i)
    for (int j = 0; j < rows_; ++j) {
      const double start = wave.interface_at(begin_ + i - 1, j, 0), known = wave.interface_at(begin_ + i - 1, j, steps_);
      const double surface = eta_.column(i)[j] - wave.surface_share() * known, between = zeta_.column(i)[j] - known;
      sums.off += surface * surface + between * between, sums.all += start * start;
    }
  return sums;
}

std::uint64_t Basin::state() const {
  std::uint64_t sum = 0, number = 0;
  for (const Field* field : {&eta_, &zeta_, &upper_.u, &upper_.v, &lower_.u, &lower_.v}) {
    for (int i = 1; i <= columns_; ++i)
      for (int j = 0; j < rows_; ++j) {
        const auto column = number * static_cast<std::uint64_t>(segments_) + static_cast<std::uint64_t>(begin_ + i - 1);
        const auto place = column * static_cast<std::uint64_t>(rows_) + static_cast<std::uint64_t>(j);
        sum += mixed(std::bit_cast<std::uint64_t>(field->column(i)[j]) + mixed(place));
      }
    ++number;
  }
  return sum;
}

}  // namespace ocean
