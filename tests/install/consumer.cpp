// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <parcast/parcast.h>

int main() {
  const parcast::Region region("all");
  parcast_parameter("n", 4);
  std::puts("4");
  return 0;
}
