// SPDX-License-Identifier: Apache-2.0
#pragma once
// Flows with known closed forms, with which the program checks its results.

#include "basin.h"

namespace ocean {

/// The steady transport of all water under the wind -stress cos(pi y / width) (H. Stommel, Transactions of
/// the American Geophysical Union 29, 1948). The sum of both layers' equations times their depths is r
/// laplace(psi) + beta d(psi)/dx = curl of the wind, psi = 0 on the walls. The layers' pressures are
/// gradients and drop out.
class StommelGyre {
 public:
  explicit StommelGyre(const Setting& setting);
  /// Returns d(psi)/dx: volume that flows north per metre from west to east, m^2/s.
  double northward(double x, double y) const;

 private:
  double wave_number_, amplitude_;  // of y; psi far from the walls
  double roots_[2], shares_[2];     // of the exponentials along x
};

/// Heights at rest under a steady stress on the upper layer: the surface's slope balances the wind stress,
/// and in the lower layer the interface's slope balances the surface's.
struct Tilt {
  double surface, interface;
};
Tilt tilt_at(const Setting& setting, double x);

/// The first standing wave of the interface, along both sides of the basin. Heights h at the cells' centres
/// satisfy h(t + dt) - 2 h(t) + h(t - dt) = -4 sin^2(omega dt / 2) h(t) exactly, with
/// sin^2(omega dt / 2) = (c dt)^2 (sin^2(k dx / 2) / dx^2 + sin^2(l dy / 2) / dy^2)
/// and c^2 the smaller root of c^4 - (g (h1 + h2) + g' h2) c^2 + g g' h1 h2 = 0. Heights are advanced first,
/// from velocities of 0, so they do not change in the first step: h is cos(omega (n - 1/2) dt) over its value
/// at n = 0.
class InternalWave {
 public:
  InternalWave(const Setting& setting, double dx, double dy, double dt);
  double interface_at(int column, int row, long steps) const;  // in metres; amplitude 1
  double surface_share() const { return surface_share_; }      // eta / zeta in this mode

 private:
  double along_x_, along_y_;  // phase per cell
  double turn_;               // omega dt
  double surface_share_;
};

}  // namespace ocean
