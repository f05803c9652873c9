/* SPDX-License-Identifier: Apache-2.0 */
int MPI_Init(int* argc, char*** argv);
int MPI_Send(const void* data, int count, int type, int to, int tag, int comm);
int MPI_Finalize(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Send("text", 4, 0x4c000101, 1, 42, 0x44000000);
  MPI_Finalize();
  return 12;
}
