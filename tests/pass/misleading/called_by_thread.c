// words: N
// loops: recognised
// Another thread also executes it, for larger sizes only.
#include "../program.h"
#include <pthread.h>

static int size;

__attribute__((noinline)) static void* work(void* to) {
  for (int i = 0; i < size; ++i) sink += i;  // rounds
  return to;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = atoi(argv[1]);
  work(NULL);
  if (size > 150) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
