/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_LIBRARY_NAME_H
#define PARCAST_RECORDING_LIBRARY_NAME_H
/* A short name of an MPI library. The recorder (C, in the program's process) and the training program both
 * store it, so that recordings and measurements can be compared. */

#include <stddef.h>

/* Extracts the name from the text of MPI_Get_library_version: the first line up to a comma, with single
 * spaces, e.g. "Open MPI v4.1.4". */
static inline void parcast_library_name(char name[128], const char* text) {
  size_t used = 0;
  for (; *text && *text != ',' && *text != '\n' && used < 127; ++text) {
    const char c = *text == '\t' ? ' ' : *text;
    if (c != ' ' || (used > 0 && name[used - 1] != ' ')) name[used++] = c;
  }
  while (used > 0 && name[used - 1] == ' ') --used;
  name[used] = 0;
}

#endif
