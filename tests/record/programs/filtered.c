/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel kills this process for a call of fallocate or getrusage: from before the recorder starts
 * (`early`), or after it has started (`late`). With MPI (WITH_MPI) and without. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "parcast/parcast.h"

#ifdef WITH_MPI
#include <mpi.h>
static void begin(int* argc, char*** argv) { MPI_Init(argc, argv); }
static void exchange(void) {
  int value = 1, sum = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &sum, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void end(void) { MPI_Finalize(); }
#else
static void begin(int* argc, char*** argv) {
  (void)argc, (void)argv;
  parcast_region_begin("begin");
  parcast_region_end();
}
static void exchange(void) {}
static void end(void) {}
#endif

static int forbid(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int main(int argc, char** argv) {
  const char* when = argc > 1 ? argv[1] : "";
  if (strcmp(when, "early") == 0 && !forbid()) return 77;
  begin(&argc, &argv);
  if (strcmp(when, "late") == 0 && !forbid()) return 77;
  for (int i = 0; i < 20000; ++i) {
    parcast_region_begin(i % 3 ? "often" : "seldom");
    exchange();
    parcast_region_end();
  }
  printf("done\n");
  fflush(stdout);
  end();
  return 0;
}
