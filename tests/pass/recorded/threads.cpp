// SPDX-License-Identifier: Apache-2.0
// Threads that work known amounts; without MPI, so that the recording begins with the program. recorded.py has the amounts.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "work.h"

static sem_t done;

struct AtEnd {
  ~AtEnd() { work(20); }
};

static void nested() {
  static thread_local AtEnd at_end;
  (void)&at_end;
  work(1000);
  pthread_exit(nullptr);
}

static void* joined(void*) {
  work(1000);
  return nullptr;
}
static void* leaves(void*) {
  nested();
  return nullptr;
}
static void* detached(void*) {
  work(1000);
  sem_post(&done);
  return nullptr;
}
static int of_c11(void*) {
  work(1000);
  return 5;
}
static void* cancelled(void*) {
  work(1000);
  sem_post(&done);
  for (;;) pause();
}
static void* many(void*) {
  for (int i = 0; i < 300; ++i) work(50);
  return nullptr;
}
static void key_ends(void*) { work(30); }

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  sem_init(&done, 0, 0);
  work(5);
  pthread_t one;
  pthread_key_t key;
  pthread_key_create(&key, key_ends);
  pthread_create(&one, nullptr, joined, nullptr);
  pthread_join(one, nullptr);
  pthread_create(&one, nullptr, leaves, nullptr);
  pthread_join(one, nullptr);
  std::thread([&] {
    pthread_setspecific(key, &key);
    work(1000);
  }).join();
  pthread_create(&one, nullptr, cancelled, nullptr);
  sem_wait(&done);
  pthread_cancel(one);
  pthread_join(one, nullptr);
  thrd_t other;
  int result = 0;
  thrd_create(&other, of_c11, nullptr);
  thrd_join(other, &result);
  if (std::strcmp(way, "at-once") == 0) {
    std::vector<pthread_t> all(8);
    for (pthread_t& thread : all) pthread_create(&thread, nullptr, many, nullptr);
    for (pthread_t& thread : all) pthread_join(thread, nullptr);
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_create(&one, &attributes, detached, nullptr);
  sem_wait(&done);
  usleep(200000);  // no thread can wait for its end
  std::printf("worked %d\n", result);
  std::fflush(stdout);
  if (std::strcmp(way, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(way, "main-leaves") == 0) pthread_exit(nullptr);
  return 0;
}
