/* SPDX-License-Identifier: Apache-2.0 */
/* A library with MPI's names that is another MPI: its handles are integers, like those of MPICH. A
 * recorder that treats them as pointers crashes. */
#include <stdio.h>
#include <string.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Send(const void* data, int count, int type, int to, int tag, int comm);
int MPI_Finalize(void);
int PMPI_Get_library_version(char* text, int* length);

int MPI_Init(int* argc, char*** argv) { return argc && argv ? 0 : 0; }
int MPI_Send(const void* data, int count, int type, int to, int tag, int comm) {
  printf("%s %d %x %d %d %x\n", (const char*)data, count, (unsigned)type, to, tag, (unsigned)comm);
  return 0;
}
int MPI_Finalize(void) { return 0; }
int PMPI_Get_library_version(char* text, int* length) {
  *length = (int)strlen(strcpy(text, "MPICH Version:\t4.0.2\n"));
  return 0;
}
