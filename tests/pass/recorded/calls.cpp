// SPDX-License-Identifier: Apache-2.0
// Works known amounts between calls of MPI, then ends in the way of its first word. recorded.py has the amounts.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "parcast/parcast.h"
#include "work.h"

static bool exits_in_callback;

static int deleted(MPI_Comm, int, void*, void*) {
  work(60);
  if (exits_in_callback) std::exit(6);
  return MPI_SUCCESS;
}

static void added(void* in, void* out, int* count, MPI_Datatype*) {
  work(40);
  for (int i = 0; i < *count; ++i) static_cast<int*>(out)[i] += static_cast<int*>(in)[i];
}

static void fork_one(bool exec) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work(1000000);
    std::thread([] { work(1000000); }).join();
    if (exec) execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status) std::abort();
}

// Begins before MPI_Init, and continues after it.
static sem_t worked, may_go_on;
static void* early(void*) {
  work(6);
  sem_post(&worked);
  sem_wait(&may_go_on);
  work(1000);
  return nullptr;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  work(5);
  pthread_t thread;
  sem_init(&worked, 0, 0);
  sem_init(&may_go_on, 0, 0);
  pthread_create(&thread, nullptr, early, nullptr);
  sem_wait(&worked);
  MPI_Init(&argc, &argv);
  sem_post(&may_go_on);
  pthread_join(thread, nullptr);
  work(10);
  for (int i = 0; i < 5; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);  // the first
    work(100 + i);
  }
  for (int i = 0; i < 3; ++i) {
    parcast_region_begin("step");
    work(1);
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    work(2);
    parcast_region_end();
    work(3);
  }
  fork_one(false);
  fork_one(true);
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status || std::system("true") != 0) std::abort();
  MPI_Barrier(MPI_COMM_WORLD);  // the second
  work(70);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  exits_in_callback = std::strcmp(way, "callback") == 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("worked\n");
  std::fflush(stdout);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);  // no event: its callback works after the barrier
  if (std::strcmp(way, "operation") == 0) {
    MPI_Op op;
    MPI_Op_create(added, 1, &op);
    int mine[4] = {1, 2, 3, 4}, into[4];
    MPI_Reduce_local(mine, into, 4, MPI_INT, op);
    MPI_Op_free(&op);
  }
  if (std::strcmp(way, "_exit") == 0) _exit(3);
  if (std::strcmp(way, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(way, "abort") == 0) std::abort();
  if (std::strcmp(way, "throw") == 0) throw std::runtime_error("out of main");
  if (std::strcmp(way, "exit") == 0) std::exit(4);
  MPI_Finalize();
  work(4);
  return 0;
}
