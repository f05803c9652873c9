/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation points of the C library. Reports each call that comes from libparcast-record.so while the
 * thread may be cancelled. Conversely, cancellation must not be disabled in an MPI call that the recorder
 * passes on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_enabled(void) {
  int state, ignored;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, &ignored);
  return state == PTHREAD_CANCEL_ENABLE;
}

static void watch(const char* name, void* caller) {
  Dl_info info;
  if (!is_enabled() || !dladdr(caller, &info) || !strstr(info.dli_fname, "libparcast-record")) return;
  fprintf(stderr, "the recorder may be cancelled in %s\n", name);
}

#define CALLER __builtin_return_address(0)
#define WATCHED(result, name, parameters, ...)                        \
  result name parameters {                                            \
    result(*next) parameters = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    watch(#name, CALLER);                                             \
    return next(__VA_ARGS__);                                         \
  }

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  watch("open", CALLER);
  int (*next)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  watch("openat", CALLER);
  int (*next)(int, const char*, int, ...) = dlsym(RTLD_NEXT, "openat");
  return next(folder, path, flags, mode);
}
WATCHED(int, close, (int file), file)
WATCHED(ssize_t, read, (int file, void* room, size_t size), file, room, size)
WATCHED(ssize_t, write, (int file, const void* bytes, size_t size), file, bytes, size)
WATCHED(ssize_t, pread, (int file, void* room, size_t size, off_t at), file, room, size, at)
WATCHED(ssize_t, pwrite, (int file, const void* bytes, size_t size, off_t at), file, bytes, size, at)
WATCHED(int, posix_fallocate, (int file, off_t offset, off_t length), file, offset, length)
WATCHED(int, fsync, (int file), file)
WATCHED(int, nanosleep, (const struct timespec* time, struct timespec* left), time, left)
WATCHED(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const struct timespec* time), set, info, time)

/* Handles of MPI are pointers or integers: either passes through unchanged. */
int MPI_Send(const void* bytes, int count, void* type, int to, int tag, void* communicator) {
  if (!is_enabled()) fprintf(stderr, "MPI_Send is called with cancellation put off\n");
  int (*next)(const void*, int, void*, int, int, void*) = dlsym(RTLD_NEXT, "MPI_Send");
  return next(bytes, count, type, to, tag, communicator);
}
