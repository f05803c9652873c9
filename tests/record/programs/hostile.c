/* SPDX-License-Identifier: Apache-2.0 */
/* Does unusual things that programs may do: handles signals, closes every descriptor, changes its folder,
 * lowers its limits, empties its environment. Then sends many messages, so that the recorder must grow its
 * file. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static void handle(int signal) { handled += signal == SIGXFSZ ? 100 : 1; }

static void lower(int resource, rlim_t value) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = value;
  setrlimit(resource, &limit);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 20000;
  if (strcmp(what, "signals") == 0) {
    for (int s = 1; s < 32; ++s)
      if (s != SIGKILL && s != SIGSTOP && s != SIGCHLD) signal(s, handle);
  }
  MPI_Init(&argc, &argv);
  if (strcmp(what, "signals") == 0) raise(SIGUSR1);
  if (strcmp(what, "folder") == 0 && chdir("/") != 0) return 90;
  if (strcmp(what, "descriptors") == 0) lower(RLIMIT_NOFILE, 0);
  if (strcmp(what, "environment") == 0) clearenv();
  if (strcmp(what, "file-size") == 0) {
    signal(SIGXFSZ, handle);
    lower(RLIMIT_FSIZE, 300000);
  }
  if (strcmp(what, "address-space") == 0) lower(RLIMIT_AS, 1);
  int value = 1, sum = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &sum, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    value += sum % 7;
  }
  printf("%d %d\n", value, (int)handled);
  fflush(stdout);
  MPI_Finalize();
  return handled >= 100 ? 91 : 0;
}
