/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_WORLD_H
#define PARCAST_RECORD_WORLD_H

#include <stdbool.h>

/* A name, of letters and digits, that the processes of one MPI_COMM_WORLD share and those of another do not have; empty where
 * nothing tells it. A process without MPI is a world of its own: `alone`. */
void parcast_name_world(char name[128], bool alone);

#endif
