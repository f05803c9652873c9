/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/gather.h"

#include <errno.h>
#include <stdlib.h>

/* Compute nodes need no installation of Parcast. This library, loaded into any program that runs once on
 * each node, gathers the files that the ranks left there:
 *
 *   LD_PRELOAD=.../libparcast-record.so PARCAST_GATHER=/shared/x.recording srun --ntasks-per-node=1 /bin/true
 *
 * A launcher and intermediate shells load it too. If another process of the node is gathering, or there
 * are no files, they continue at once. */
__attribute__((constructor)) static void gather_at_start(void) {
  const char* recording = getenv("PARCAST_GATHER");
  if (!recording || recording[0] != '/') return;
  const int before = errno;
  const char* directory = getenv("PARCAST_LOCAL");
  char folder[4200];
  struct parcast_gathered gathered;
  if (parcast_local_of(folder, sizeof folder, directory && *directory == '/' ? directory : NULL, recording))
    parcast_gather(folder, recording, 0, &gathered);
  errno = before;
}
