/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int spared;

void parcast_spare_system_calls(void) {
  spared = 1;
}

static int write_zeros(int descriptor, uint64_t offset, uint64_t length) {
  static const char zeros[1 << 16];
  for (uint64_t done = 0; done < length;) {
    const uint64_t left = length - done;
    const ssize_t put =
        pwrite(descriptor, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : ENOSPC;
    done += (uint64_t)put;
  }
  return 0;
}

int parcast_make_room(int descriptor, uint64_t offset, uint64_t length) {
  if (spared) return write_zeros(descriptor, offset, length);
  int failure;
  do {
    failure = posix_fallocate(descriptor, (off_t)offset, (off_t)length);
  } while (failure == EINTR);
  return failure;
}

int parcast_resources_used(int who, struct rusage* usage) {
  return spared ? -1 : getrusage(who, usage);
}
