/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one call of the recorder to the C library fail: FAIL=NAME:N is the Nth call of NAME that comes
 * from libparcast-record.so. The host's own calls never fail. Loaded before the recorder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int seen;

/* The value of FAIL, read once, before there are threads: another thread may change the environment while
   one reads it. */
static const char* read_wanted(void) {
  static char text[64];
  static int is_read;
  if (!is_read) {
    const char* value = getenv("FAIL");
    if (value) strncpy(text, value, sizeof text - 1);
    is_read = 1;
  }
  return text;
}

__attribute__((constructor)) static void read_early(void) {
  read_wanted();
}

static int fails(const char* name, void* caller) {
  const char* wanted = read_wanted();
  const size_t length = strlen(name);
  if (strncmp(wanted, name, length) != 0 || wanted[length] != ':') return 0;
  Dl_info info;
  if (!dladdr(caller, &info) || !strstr(info.dli_fname, "libparcast-record")) return 0;
  return __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED) == atoi(wanted + length + 1);
}

#define CALLER __builtin_return_address(0)
#define NEXT(name) dlsym(RTLD_NEXT, name)

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  if (fails("open", CALLER)) return errno = EMFILE, -1;
  int (*next)(const char*, int, ...) = NEXT("open");
  return next(path, flags, mode);
}
void* mmap(void* at, size_t length, int protection, int flags, int file, off_t offset) {
  if (fails("mmap", CALLER)) return errno = ENOMEM, MAP_FAILED;
  void* (*next)(void*, size_t, int, int, int, off_t) = NEXT("mmap");
  return next(at, length, protection, flags, file, offset);
}
int posix_fallocate(int file, off_t offset, off_t length) {
  if (fails("posix_fallocate", CALLER)) return ENOSPC;
  int (*next)(int, off_t, off_t) = NEXT("posix_fallocate");
  return next(file, offset, length);
}
int ftruncate(int file, off_t length) {
  if (fails("ftruncate", CALLER)) return errno = EIO, -1;
  int (*next)(int, off_t) = NEXT("ftruncate");
  return next(file, length);
}
int fstat(int file, struct stat* status) {
  if (fails("fstat", CALLER)) return errno = EIO, -1;
  int (*next)(int, struct stat*) = NEXT("fstat");
  return next(file, status);
}
int madvise(void* at, size_t length, int advice) {
  if (fails("madvise", CALLER)) return errno = EINVAL, -1;
  int (*next)(void*, size_t, int) = NEXT("madvise");
  return next(at, length, advice);
}
int mkdir(const char* path, mode_t mode) {
  if (fails("mkdir", CALLER)) return errno = EROFS, -1;
  int (*next)(const char*, mode_t) = NEXT("mkdir");
  return next(path, mode);
}
int symlink(const char* target, const char* path) {
  if (fails("symlink", CALLER)) return errno = EPERM, -1;
  int (*next)(const char*, const char*) = NEXT("symlink");
  return next(target, path);
}
ssize_t readlink(const char* path, char* room, size_t size) {
  if (fails("readlink", CALLER)) return errno = EIO, -1;
  ssize_t (*next)(const char*, char*, size_t) = NEXT("readlink");
  return next(path, room, size);
}
char* getcwd(char* room, size_t size) {
  if (fails("getcwd", CALLER)) return errno = ENOENT, NULL;
  char* (*next)(char*, size_t) = NEXT("getcwd");
  return next(room, size);
}
ssize_t read(int file, void* room, size_t size) {
  if (fails("read", CALLER)) return errno = EIO, -1;
  ssize_t (*next)(int, void*, size_t) = NEXT("read");
  return next(file, room, size);
}
int getrusage(int who, struct rusage* usage) {
  if (fails("getrusage", CALLER)) return errno = EFAULT, -1;
  int (*next)(int, struct rusage*) = NEXT("getrusage");
  return next(who, usage);
}
int pthread_key_create(unsigned* key, void (*end)(void*)) {
  if (fails("pthread_key_create", CALLER)) return EAGAIN;
  int (*next)(unsigned*, void (*)(void*)) = NEXT("pthread_key_create");
  return next(key, end);
}
/* Calls of gathering. */
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  if (fails("openat", CALLER)) return errno = EMFILE, -1;
  int (*next)(int, const char*, int, ...) = NEXT("openat");
  return next(folder, path, flags, mode);
}
ssize_t pread(int file, void* room, size_t size, off_t at) {
  if (fails("pread", CALLER)) return errno = EIO, -1;
  ssize_t (*next)(int, void*, size_t, off_t) = NEXT("pread");
  return next(file, room, size, at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (fails("pwrite", CALLER)) return errno = ENOSPC, -1;
  ssize_t (*next)(int, const void*, size_t, off_t) = NEXT("pwrite");
  return next(file, bytes, size, at);
}
int fsync(int file) {
  if (fails("fsync", CALLER)) return errno = EIO, -1;
  int (*next)(int) = NEXT("fsync");
  return next(file);
}
int linkat(int one, const char* from, int two, const char* to, int flags) {
  if (fails("linkat", CALLER)) return errno = EPERM, -1;
  int (*next)(int, const char*, int, const char*, int) = NEXT("linkat");
  return next(one, from, two, to, flags);
}
int unlinkat(int folder, const char* path, int flags) {
  if (fails("unlinkat", CALLER)) return errno = EACCES, -1;
  int (*next)(int, const char*, int) = NEXT("unlinkat");
  return next(folder, path, flags);
}
int symlinkat(const char* target, int folder, const char* path) {
  if (fails("symlinkat", CALLER)) return errno = EPERM, -1;
  int (*next)(const char*, int, const char*) = NEXT("symlinkat");
  return next(target, folder, path);
}
ssize_t readlinkat(int folder, const char* path, char* room, size_t size) {
  if (fails("readlinkat", CALLER)) return errno = EIO, -1;
  ssize_t (*next)(int, const char*, char*, size_t) = NEXT("readlinkat");
  return next(folder, path, room, size);
}
int flock(int file, int operation) {
  if (fails("flock", CALLER)) return errno = ENOLCK, -1;
  int (*next)(int, int) = NEXT("flock");
  return next(file, operation);
}
int rmdir(const char* path) {
  if (fails("rmdir", CALLER)) return errno = EBUSY, -1;
  int (*next)(const char*) = NEXT("rmdir");
  return next(path);
}
int close(int file) {
  int (*next)(int) = NEXT("close");
  if (fails("close", CALLER)) return next(file), errno = EIO, -1;
  return next(file);
}
