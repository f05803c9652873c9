/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_WORLD_H
#define PARCAST_RECORD_WORLD_H

/* A name, of letters and digits, that the processes of one MPI_COMM_WORLD share and those of another do not have; empty where
 * nothing tells it. */
void parcast_name_world(char name[128]);

#endif
