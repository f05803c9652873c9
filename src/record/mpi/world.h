/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_WORLD_H
#define PARCAST_RECORD_WORLD_H

#include <stdbool.h>

/* Writes a name of letters and digits that identifies the MPI_COMM_WORLD of this process; empty when it
 * cannot be determined. A process without MPI (`alone`) is its own world. */
void parcast_name_world(char name[128], bool alone);

#endif
