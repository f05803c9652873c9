// SPDX-License-Identifier: Apache-2.0
// Parts of a loop by rank and number of processes, as MPI programs write them.
typedef int MPI_Comm, MPI_Datatype;
typedef struct MPI_Status MPI_Status;
enum { MPI_COMM_WORLD = 0x44000000, MPI_DOUBLE = 0x4c00080b };
int MPI_Comm_rank(MPI_Comm, int*), MPI_Comm_size(MPI_Comm, int*);
int MPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm), MPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);

// CHECK-LABEL: block at distribution.c:{{[0-9]+}}
double block(const double* x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double s = 0;
  // CHECK-NEXT: loop 0 at distribution.c:[[@LINE+4]]: rounds = (sext64((((load local0 + 1) * arg1) s/ load local1)) - sext64(((load local0 * arg1) s/ load local1)) - 1), variable from sext64(((load local0 * arg1) s/ load local1)) to sext64((((load local0 + 1) * arg1) s/ load local1)) step 1, whole
  // CHECK-NEXT: if (((load local0 * arg1) s/ load local1) s< (((load local0 + 1) * arg1) s/ load local1))
  // CHECK: call MPI_Comm_rank(1140850688, local0) at distribution.c:[[@LINE-5]]
  // CHECK-NEXT: call MPI_Comm_size(1140850688, local1) at distribution.c:[[@LINE-5]]
  for (int i = rank * n / size; i < (rank + 1) * n / size; ++i) s += x[i];
  return s;
}

// CHECK-LABEL: cyclic at distribution.c:{{[0-9]+}}
double cyclic(const double* x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double s = 0;
  // With d = max(n, rank + size) - (rank + size), ceil(d / size). Here size is local0 and rank local1.
  // CHECK-NEXT: loop 0 at distribution.c:[[@LINE+4]]: rounds = (((smax(sext64(arg1), (sext64(load local0) + sext64(load local1))) - (sext64(load local0) + sext64(load local1)) - umin(1, (smax(sext64(arg1), (sext64(load local0) + sext64(load local1))) - (sext64(load local0) + sext64(load local1))))) u/ sext64(load local0)) + umin(1, (smax(sext64(arg1), (sext64(load local0) + sext64(load local1))) - (sext64(load local0) + sext64(load local1))))), variable from sext64(load local1) to sext64(arg1) step sext64(load local0), whole
  // CHECK-NEXT: if (load local1 s< arg1)
  // CHECK: call MPI_Comm_rank(1140850688, local1) at distribution.c:[[@LINE-6]]
  // CHECK-NEXT: call MPI_Comm_size(1140850688, local0) at distribution.c:[[@LINE-6]]
  for (int i = rank; i < n; i += size) s += x[i];
  return s;
}

// CHECK-LABEL: remainder_first at distribution.c:{{[0-9]+}}
double remainder_first(const double* x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int mine = n / size + (rank < n % size);
  double s = 0;
  // CHECK-NEXT: loop 0 at distribution.c:[[@LINE+4]]: rounds = (zext64((zext32((load local0 s< (arg1 s% load local1))) + (arg1 s/ load local1))) - 1), variable from 0 to sext64(((arg1 s/ load local1) + zext32((load local0 s< (arg1 s% load local1))))) step 1, whole
  // CHECK-NEXT: if ((zext32((load local0 s< (arg1 s% load local1))) + (arg1 s/ load local1)) s> 0)
  // CHECK: call MPI_Comm_rank(1140850688, local0) at distribution.c:[[@LINE-6]]
  // CHECK-NEXT: call MPI_Comm_size(1140850688, local1) at distribution.c:[[@LINE-6]]
  for (int i = 0; i < mine; ++i) s += x[i];
  return s;
}

// CHECK-LABEL: ring at distribution.c:{{[0-9]+}}
void ring(double* x, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // CHECK-NEXT: if (load local0 s> 0)
  // CHECK-NEXT: if (select((load local0 s> 0), load local0, load local0) s< (load local1 - 1))
  // CHECK: call MPI_Recv(*arg0, (arg1 << 1), 1275070475, (load local0 - 1), 7, 1140850688, somewhere) at distribution.c:[[@LINE+1]]
  if (rank > 0) MPI_Recv(x, 2 * n, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD, (MPI_Status*)1);
  // CHECK-NEXT: call MPI_Send(*arg0, (arg1 << 1), 1275070475, (select((load local0 s> 0), load local0, load local0) + 1), 7, 1140850688) at distribution.c:[[@LINE+1]]
  if (rank < size - 1) MPI_Send(x, 2 * n, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD);
}
