// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <parcast/parcast.h>

int main() {
  const parcast::Region region("all");
  parcast_parameter("n", 4);
  parcast::Probe probe{{"m", 1}};
  probe.phase("sum", PARCAST_COMMUNICATE, 3, 3);
  probe.phase("wait", PARCAST_IDLE);
  std::puts("4");
  return 0;
}
