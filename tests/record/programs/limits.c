/* SPDX-License-Identifier: Apache-2.0 */
/* Exceeds the recorder's limits of regions, region levels and parameters: limits REGIONS LEVELS PARAMETERS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "parcast/parcast.h"

int main(int argc, char** argv) {
  const int regions = atoi(argv[1]), levels = atoi(argv[2]), parameters = atoi(argv[3]);
  char name[32];
  for (int i = 0; i < parameters; ++i) {
    snprintf(name, sizeof name, "parameter%d", i);
    parcast_parameter(name, i);
  }
  MPI_Init(&argc, &argv);
  for (int i = 0; i < regions; ++i) {
    snprintf(name, sizeof name, "region%d", i);
    parcast_region_begin(name);
    parcast_region_end();
  }
  for (int i = 0; i < levels; ++i) parcast_region_begin("level");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < levels; ++i) parcast_region_end();
  MPI_Finalize();
  return 0;
}
