/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_LIBRARY_NAME_H
#define PARCAST_RECORDING_LIBRARY_NAME_H
/* What an MPI library calls itself, in short. The recorder (C, in other people's processes) and the training program keep it, so that
 * what was recorded and what was measured can be compared. */

#include <stddef.h>

/* Of what MPI_Get_library_version gives the first line up to a comma, with single spaces: "Open MPI v4.1.4". */
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
