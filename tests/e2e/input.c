/* SPDX-License-Identifier: Apache-2.0
 *
 *   mpirun -n 2 input FILE          FILE: "size N" and "steps S", a line each
 *
 * Each step multiplies N numbers of each process N times and adds them up over all processes. With "fail P" in
 * the file, P processes end with exit code 7. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0, steps = 1, fail = 0, processes = 0, value = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  FILE* file = argc > 1 ? fopen(argv[1], "r") : NULL;
  char key[16];
  while (file && fscanf(file, "%15s %d", key, &value) == 2) {
    if (strcmp(key, "size") == 0) size = value;
    if (strcmp(key, "steps") == 0) steps = value;
    if (strcmp(key, "fail") == 0) fail = value;
  }
  if (!file || size <= 0) MPI_Abort(MPI_COMM_WORLD, 2);
  fclose(file);
  if (fail == processes) {
    printf("this program fails with %d processes\n", processes);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 7);
  }
  double* numbers = malloc((size_t)size * sizeof *numbers);
  for (int i = 0; i < size; ++i) numbers[i] = 1 + 1e-9 * i;
  double total = 0;
  for (int step = 0; step < steps; ++step) {
    double sum = 0;
    for (int repeat = 0; repeat < size; ++repeat)
      for (int i = 0; i < size; ++i) sum += numbers[i] * numbers[repeat];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("total %g\n", total);
  free(numbers);
  MPI_Finalize();
  return 0;
}
