/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "parcast/parcast.h"

int main(void) {
  parcast_parameter("n", 3);
  parcast_region_begin("all");
  puts("no MPI here");
  parcast_region_end();
  return 4;
}
