/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of the recorder's counts: a second, independent tool, written by hand on the profiling
 * interface only. It counts calls by name, and messages and bytes sent between processes. For collectives it
 * counts the bytes that a process contributes (the message of a broadcast, its own part of a scatter). It
 * also counts bytes put to and got from memory of others and files. It writes the counts at MPI_Finalize to
 * SHIM_OUT/shim-RANK.txt. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char* name;
  unsigned long count;
} calls[256];
static unsigned long messages, bytes, collective;

static void note(const char* name) {
  int i = 0;
  while (calls[i].name && strcmp(calls[i].name, name) != 0) ++i;
  calls[i].name = name;
  __atomic_add_fetch(&calls[i].count, 1, __ATOMIC_RELAXED);
}

static unsigned long volume(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (unsigned long)count * (unsigned long)size;
}

static void sent(int to, int count, MPI_Datatype type) {
  if (to == MPI_PROC_NULL) return;
  __atomic_add_fetch(&messages, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&bytes, volume(count, type), __ATOMIC_RELAXED);
}

static int rank_in(MPI_Comm c) {
  int r;
  PMPI_Comm_rank(c, &r);
  return r;
}

static int others(MPI_Comm c) {
  int inter, n;
  PMPI_Comm_test_inter(c, &inter);
  inter ? PMPI_Comm_remote_size(c, &n) : PMPI_Comm_size(c, &n);
  return n;
}

static void gave(unsigned long amount) { __atomic_add_fetch(&collective, amount, __ATOMIC_RELAXED); }

#define T MPI_Datatype
#define C MPI_Comm
#define R MPI_Request
#define S MPI_Status
#define TOOL(name, parameters, arguments, what) \
  int name parameters {                         \
    note(#name);                                \
    what;                                       \
    return P##name arguments;                   \
  }
#define SEND(name) TOOL(name, (const void* b, int n, T t, int d, int g, C c), (b, n, t, d, g, c), sent(d, n, t))
SEND(MPI_Send) SEND(MPI_Bsend) SEND(MPI_Ssend) SEND(MPI_Rsend)
#define ISEND(name) TOOL(name, (const void* b, int n, T t, int d, int g, C c, R* r), (b, n, t, d, g, c, r), sent(d, n, t))
ISEND(MPI_Isend) ISEND(MPI_Ibsend) ISEND(MPI_Issend) ISEND(MPI_Irsend)
TOOL(MPI_Recv, (void* b, int n, T t, int s, int g, C c, S* u), (b, n, t, s, g, c, u), )
TOOL(MPI_Irecv, (void* b, int n, T t, int s, int g, C c, R* r), (b, n, t, s, g, c, r), )
TOOL(MPI_Mrecv, (void* b, int n, T t, MPI_Message* m, S* u), (b, n, t, m, u), )
TOOL(MPI_Imrecv, (void* b, int n, T t, MPI_Message* m, R* r), (b, n, t, m, r), )
TOOL(MPI_Sendrecv, (const void* a, int n, T t, int d, int g, void* b, int m, T u, int s, int h, C c, S* v),
     (a, n, t, d, g, b, m, u, s, h, c, v), sent(d, n, t))
TOOL(MPI_Sendrecv_replace, (void* b, int n, T t, int d, int g, int s, int h, C c, S* v), (b, n, t, d, g, s, h, c, v),
     sent(d, n, t))
/* persistent sends: remembered by handle */
static struct {
  R request;
  unsigned long bytes;
  int sends;
} kept[64];
static void keep(R request, int sends, int to, int n, T t) {
  int i = 0;
  while (kept[i].request && kept[i].request != request) ++i;
  kept[i].request = request;
  kept[i].sends = sends && to != MPI_PROC_NULL;
  kept[i].bytes = volume(n, t);
}
static void started(R request) {
  for (int i = 0; i < 64; ++i)
    if (kept[i].request == request && kept[i].sends) ++messages, bytes += kept[i].bytes;
}
#define SEND_INIT(name)                                                           \
  int name(const void* b, int n, T t, int d, int g, C c, R* r) {                  \
    const int result = P##name(b, n, t, d, g, c, r);                              \
    keep(*r, 1, d, n, t);                                                         \
    return result;                                                                \
  }
SEND_INIT(MPI_Send_init) SEND_INIT(MPI_Bsend_init) SEND_INIT(MPI_Ssend_init) SEND_INIT(MPI_Rsend_init)
int MPI_Recv_init(void* b, int n, T t, int s, int g, C c, R* r) {
  const int result = PMPI_Recv_init(b, n, t, s, g, c, r);
  keep(*r, 0, s, n, t);
  return result;
}
TOOL(MPI_Start, (R * r), (r), started(*r))
TOOL(MPI_Startall, (int n, R r[]), (n, r), for (int i = 0; i < n; ++i) started(r[i]))
TOOL(MPI_Wait, (R * r, S* s), (r, s), )
TOOL(MPI_Waitany, (int n, R r[], int* i, S* s), (n, r, i, s), )
TOOL(MPI_Waitall, (int n, R r[], S s[]), (n, r, s), )
TOOL(MPI_Waitsome, (int n, R r[], int* o, int i[], S s[]), (n, r, o, i, s), )
TOOL(MPI_Test, (R * r, int* f, S* s), (r, f, s), )
TOOL(MPI_Testany, (int n, R r[], int* i, int* f, S* s), (n, r, i, f, s), )
TOOL(MPI_Testall, (int n, R r[], int* f, S s[]), (n, r, f, s), )
TOOL(MPI_Testsome, (int n, R r[], int* o, int i[], S s[]), (n, r, o, i, s), )
TOOL(MPI_Probe, (int s, int g, C c, S* u), (s, g, c, u), )
TOOL(MPI_Iprobe, (int s, int g, C c, int* f, S* u), (s, g, c, f, u), )
TOOL(MPI_Mprobe, (int s, int g, C c, MPI_Message* m, S* u), (s, g, c, m, u), )
TOOL(MPI_Improbe, (int s, int g, C c, int* f, MPI_Message* m, S* u), (s, g, c, f, m, u), )

/* collectives: blocking and nonblocking variants */
static unsigned long sum(const int* n, int p, T t) {
  unsigned long all = 0;
  for (int i = 0; i < p; ++i) all += volume(n[i], t);
  return all;
}
static int here(int root, C c) {
  int inter;
  PMPI_Comm_test_inter(c, &inter);
  return inter ? root == MPI_ROOT : root == rank_in(c);
}
/* Returns whether this process receives from `root`. */
static int takes(int root, C c) {
  int inter;
  PMPI_Comm_test_inter(c, &inter);
  return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}
#define UNPACK(...) __VA_ARGS__
#define BOTH(name, iname, parameters, arguments, what)                       \
  TOOL(name, (UNPACK parameters, C c), (UNPACK arguments, c), what)          \
  TOOL(iname, (UNPACK parameters, C c, R* r), (UNPACK arguments, c, r), what)
TOOL(MPI_Barrier, (C c), (c), )
TOOL(MPI_Ibarrier, (C c, R* r), (c, r), )
BOTH(MPI_Bcast, MPI_Ibcast, (void* b, int n, T t, int o), (b, n, t, o), if (here(o, c) || takes(o, c)) gave(volume(n, t)))
BOTH(MPI_Reduce, MPI_Ireduce, (const void* a, void* b, int n, T t, MPI_Op p, int o), (a, b, n, t, p, o), gave(volume(n, t)))
BOTH(MPI_Allreduce, MPI_Iallreduce, (const void* a, void* b, int n, T t, MPI_Op p), (a, b, n, t, p), gave(volume(n, t)))
BOTH(MPI_Gather, MPI_Igather, (const void* a, int n, T t, void* b, int m, T u, int o), (a, n, t, b, m, u, o),
     gave(a == MPI_IN_PLACE ? volume(m, u) : volume(n, t)))
BOTH(MPI_Gatherv, MPI_Igatherv, (const void* a, int n, T t, void* b, const int m[], const int e[], T u, int o),
     (a, n, t, b, m, e, u, o), gave(a == MPI_IN_PLACE ? volume(m[rank_in(c)], u) : volume(n, t)))
BOTH(MPI_Scatter, MPI_Iscatter, (const void* a, int n, T t, void* b, int m, T u, int o), (a, n, t, b, m, u, o),
     if (takes(o, c)) gave(b == MPI_IN_PLACE ? volume(n, t) : volume(m, u)))
BOTH(MPI_Scatterv, MPI_Iscatterv, (const void* a, const int n[], const int e[], T t, void* b, int m, T u, int o),
     (a, n, e, t, b, m, u, o), if (takes(o, c)) gave(b == MPI_IN_PLACE ? volume(n[rank_in(c)], t) : volume(m, u)))
BOTH(MPI_Allgather, MPI_Iallgather, (const void* a, int n, T t, void* b, int m, T u), (a, n, t, b, m, u),
     gave(a == MPI_IN_PLACE ? volume(m, u) : volume(n, t)))
BOTH(MPI_Allgatherv, MPI_Iallgatherv, (const void* a, int n, T t, void* b, const int m[], const int e[], T u),
     (a, n, t, b, m, e, u), gave(a == MPI_IN_PLACE ? volume(m[rank_in(c)], u) : volume(n, t)))
BOTH(MPI_Alltoall, MPI_Ialltoall, (const void* a, int n, T t, void* b, int m, T u), (a, n, t, b, m, u),
     gave(others(c) * (a == MPI_IN_PLACE ? volume(m, u) : volume(n, t))))
BOTH(MPI_Alltoallv, MPI_Ialltoallv,
     (const void* a, const int n[], const int e[], T t, void* b, const int m[], const int f[], T u),
     (a, n, e, t, b, m, f, u), gave(a == MPI_IN_PLACE ? sum(m, others(c), u) : sum(n, others(c), t)))
BOTH(MPI_Alltoallw, MPI_Ialltoallw,
     (const void* a, const int n[], const int e[], const T t[], void* b, const int m[], const int f[], const T u[]),
     (a, n, e, t, b, m, f, u), for (int i = 0; i < others(c); ++i) gave(volume(n[i], t[i])))
BOTH(MPI_Reduce_scatter, MPI_Ireduce_scatter, (const void* a, void* b, const int n[], T t, MPI_Op p), (a, b, n, t, p),
     gave(sum(n, others(c), t)))
BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, (const void* a, void* b, int n, T t, MPI_Op p),
     (a, b, n, t, p), gave(others(c) * volume(n, t)))
BOTH(MPI_Scan, MPI_Iscan, (const void* a, void* b, int n, T t, MPI_Op p), (a, b, n, t, p), gave(volume(n, t)))
BOTH(MPI_Exscan, MPI_Iexscan, (const void* a, void* b, int n, T t, MPI_Op p), (a, b, n, t, p), gave(volume(n, t)))

TOOL(MPI_Comm_dup, (C c, C* d), (c, d), )
TOOL(MPI_Comm_dup_with_info, (C c, MPI_Info i, C* d), (c, i, d), )
TOOL(MPI_Comm_idup, (C c, C* d, R* r), (c, d, r), )
TOOL(MPI_Comm_split, (C c, int k, int o, C* d), (c, k, o, d), )
TOOL(MPI_Comm_split_type, (C c, int k, int o, MPI_Info i, C* d), (c, k, o, i, d), )
TOOL(MPI_Comm_create, (C c, MPI_Group g, C* d), (c, g, d), )
TOOL(MPI_Comm_create_group, (C c, MPI_Group g, int t, C* d), (c, g, t, d), )
TOOL(MPI_Comm_free, (C * c), (c), )
TOOL(MPI_Cancel, (R * r), (r), )
TOOL(MPI_Request_get_status, (R r, int* f, S* s), (r, f, s), )
TOOL(MPI_Buffer_detach, (void* b, int* n), (b, n), )
TOOL(MPI_Comm_disconnect, (C * c), (c), )
TOOL(MPI_Cart_create, (C c, int n, const int d[], const int p[], int o, C* g), (c, n, d, p, o, g), )
TOOL(MPI_Cart_sub, (C c, const int k[], C* d), (c, k, d), )
TOOL(MPI_Graph_create, (C c, int n, const int i[], const int e[], int o, C* g), (c, n, i, e, o, g), )
TOOL(MPI_Dist_graph_create_adjacent,
     (C c, int n, const int s[], const int w[], int m, const int d[], const int v[], MPI_Info i, int o, C* g),
     (c, n, s, w, m, d, v, i, o, g), )
TOOL(MPI_Intercomm_create, (C c, int l, C b, int r, int t, C* d), (c, l, b, r, t, d), )
TOOL(MPI_Intercomm_merge, (C c, int h, C* d), (c, h, d), )
/* one-sided: bytes that go to, and come from, the memory of others */
static unsigned long put, got;
static void accessed(int target, unsigned long to, unsigned long from) {
  if (target != MPI_PROC_NULL) put += to, got += from;
}
#define A MPI_Aint
#define WIN MPI_Win
TOOL(MPI_Win_create, (void* b, A n, int u, MPI_Info i, C c, WIN* w), (b, n, u, i, c, w), )
TOOL(MPI_Win_allocate, (A n, int u, MPI_Info i, C c, void* b, WIN* w), (n, u, i, c, b, w), )
TOOL(MPI_Win_allocate_shared, (A n, int u, MPI_Info i, C c, void* b, WIN* w), (n, u, i, c, b, w), )
TOOL(MPI_Win_create_dynamic, (MPI_Info i, C c, WIN* w), (i, c, w), )
TOOL(MPI_Win_attach, (WIN w, void* b, A n), (w, b, n), )
TOOL(MPI_Win_detach, (WIN w, const void* b), (w, b), )
TOOL(MPI_Win_fence, (int a, WIN w), (a, w), )
TOOL(MPI_Win_free, (WIN * w), (w), )
TOOL(MPI_Win_lock, (int k, int r, int a, WIN w), (k, r, a, w), )
TOOL(MPI_Win_unlock, (int r, WIN w), (r, w), )
TOOL(MPI_Win_lock_all, (int a, WIN w), (a, w), )
TOOL(MPI_Win_unlock_all, (WIN w), (w), )
TOOL(MPI_Win_flush, (int r, WIN w), (r, w), )
TOOL(MPI_Win_flush_local, (int r, WIN w), (r, w), )
TOOL(MPI_Win_flush_all, (WIN w), (w), )
TOOL(MPI_Win_flush_local_all, (WIN w), (w), )
TOOL(MPI_Win_sync, (WIN w), (w), )
TOOL(MPI_Win_post, (MPI_Group g, int a, WIN w), (g, a, w), )
TOOL(MPI_Win_start, (MPI_Group g, int a, WIN w), (g, a, w), )
TOOL(MPI_Win_complete, (WIN w), (w), )
TOOL(MPI_Win_wait, (WIN w), (w), )
TOOL(MPI_Win_test, (WIN w, int* f), (w, f), )
#define ACCESS(name, rname, qualifier, to, from)                                                                       \
  TOOL(name, (qualifier void* b, int n, T t, int r, A d, int m, T u, WIN w), (b, n, t, r, d, m, u, w),                  \
       accessed(r, to * volume(n, t), from * volume(n, t)))                                                             \
  TOOL(rname, (qualifier void* b, int n, T t, int r, A d, int m, T u, WIN w, R* q), (b, n, t, r, d, m, u, w, q),        \
       accessed(r, to * volume(n, t), from * volume(n, t)))
ACCESS(MPI_Put, MPI_Rput, const, 1, 0)
ACCESS(MPI_Get, MPI_Rget, , 0, 1)
TOOL(MPI_Accumulate, (const void* b, int n, T t, int r, A d, int m, T u, MPI_Op o, WIN w), (b, n, t, r, d, m, u, o, w),
     accessed(r, volume(n, t), 0))
TOOL(MPI_Raccumulate, (const void* b, int n, T t, int r, A d, int m, T u, MPI_Op o, WIN w, R* q),
     (b, n, t, r, d, m, u, o, w, q), accessed(r, volume(n, t), 0))
TOOL(MPI_Get_accumulate, (const void* b, int n, T t, void* e, int l, T v, int r, A d, int m, T u, MPI_Op o, WIN w),
     (b, n, t, e, l, v, r, d, m, u, o, w), accessed(r, volume(n, t), volume(l, v)))
TOOL(MPI_Rget_accumulate, (const void* b, int n, T t, void* e, int l, T v, int r, A d, int m, T u, MPI_Op o, WIN w, R* q),
     (b, n, t, e, l, v, r, d, m, u, o, w, q), accessed(r, volume(n, t), volume(l, v)))
TOOL(MPI_Fetch_and_op, (const void* b, void* e, T t, int r, A d, MPI_Op o, WIN w), (b, e, t, r, d, o, w),
     accessed(r, volume(1, t), volume(1, t)))
TOOL(MPI_Compare_and_swap, (const void* b, const void* k, void* e, T t, int r, A d, WIN w), (b, k, e, t, r, d, w),
     accessed(r, volume(2, t), volume(1, t)))

/* neighbourhoods of a line (none beyond its ends) and of a ring */
static void to_neighbours(C c, const int n[], int one, const T t[], T all) {
  int kind, to[2];
  PMPI_Topo_test(c, &kind);
  if (kind == MPI_CART) PMPI_Cart_shift(c, 0, 1, &to[0], &to[1]);
  for (int i = 0; i < (kind == MPI_CART ? 2 : 1); ++i)
    if (kind != MPI_CART || to[i] != MPI_PROC_NULL) gave(volume(n ? n[i] : one, t ? t[i] : all));
}
#define NEIGHBOURS(name, parameters, arguments, what)                                     \
  BOTH(MPI_Neighbor_##name, MPI_Ineighbor_##name, parameters, arguments, what)
NEIGHBOURS(allgather, (const void* a, int n, T t, void* b, int m, T u), (a, n, t, b, m, u), to_neighbours(c, NULL, n, NULL, t))
NEIGHBOURS(allgatherv, (const void* a, int n, T t, void* b, const int m[], const int e[], T u), (a, n, t, b, m, e, u),
           to_neighbours(c, NULL, n, NULL, t))
NEIGHBOURS(alltoall, (const void* a, int n, T t, void* b, int m, T u), (a, n, t, b, m, u), to_neighbours(c, NULL, n, NULL, t))
NEIGHBOURS(alltoallv, (const void* a, const int n[], const int e[], T t, void* b, const int m[], const int f[], T u),
           (a, n, e, t, b, m, f, u), to_neighbours(c, n, 0, NULL, t))
NEIGHBOURS(alltoallw, (const void* a, const int n[], const A e[], const T t[], void* b, const int m[], const A f[], const T u[]),
           (a, n, e, t, b, m, f, u), to_neighbours(c, n, 0, t, t[0]))

/* files */
static unsigned long written, got_from_files;
#define F MPI_File
#define O MPI_Offset
static unsigned long really(const S* status) {
  int bytes_read;
  PMPI_Get_elements(status, MPI_BYTE, &bytes_read);
  return (unsigned long)bytes_read;
}
TOOL(MPI_File_open, (C c, const char* n, int a, MPI_Info i, F* f), (c, n, a, i, f), )
TOOL(MPI_File_close, (F * f), (f), )
TOOL(MPI_File_delete, (const char* n, MPI_Info i), (n, i), )
TOOL(MPI_File_set_size, (F f, O n), (f, n), )
TOOL(MPI_File_preallocate, (F f, O n), (f, n), )
TOOL(MPI_File_get_size, (F f, O* n), (f, n), )
TOOL(MPI_File_set_view, (F f, O d, T e, T t, const char* r, MPI_Info i), (f, d, e, t, r, i), )
TOOL(MPI_File_sync, (F f), (f), )
TOOL(MPI_File_seek_shared, (F f, O o, int w), (f, o, w), )
TOOL(MPI_File_get_position_shared, (F f, O* o), (f, o), )
#define WRITE(name) TOOL(name, (F f, const void* b, int n, T t, S* s), (f, b, n, t, s), written += volume(n, t))
#define WRITE_AT(name) TOOL(name, (F f, O o, const void* b, int n, T t, S* s), (f, o, b, n, t, s), written += volume(n, t))
WRITE(MPI_File_write) WRITE(MPI_File_write_all) WRITE(MPI_File_write_shared) WRITE(MPI_File_write_ordered)
WRITE_AT(MPI_File_write_at) WRITE_AT(MPI_File_write_at_all)
#define READ_WITH(name, parameters, arguments)     \
  int name parameters {                            \
    S own;                                         \
    note(#name);                                   \
    if (s == MPI_STATUS_IGNORE) s = &own;          \
    const int result = P##name arguments;          \
    got_from_files += really(s);                   \
    return result;                                 \
  }
#define READ(name) READ_WITH(name, (F f, void* b, int n, T t, S* s), (f, b, n, t, s))
#define READ_AT(name) READ_WITH(name, (F f, O o, void* b, int n, T t, S* s), (f, o, b, n, t, s))
READ(MPI_File_read) READ(MPI_File_read_all) READ(MPI_File_read_shared) READ(MPI_File_read_ordered)
READ_AT(MPI_File_read_at) READ_AT(MPI_File_read_at_all)
TOOL(MPI_File_iwrite_at, (F f, O o, const void* b, int n, T t, R* r), (f, o, b, n, t, r), written += volume(n, t))
TOOL(MPI_File_iread_at, (F f, O o, void* b, int n, T t, R* r), (f, o, b, n, t, r), got_from_files += volume(n, t))
TOOL(MPI_File_write_at_all_begin, (F f, O o, const void* b, int n, T t), (f, o, b, n, t), written += volume(n, t))
TOOL(MPI_File_write_at_all_end, (F f, const void* b, S* s), (f, b, s), )
TOOL(MPI_File_read_at_all_begin, (F f, O o, void* b, int n, T t), (f, o, b, n, t), got_from_files += volume(n, t))
TOOL(MPI_File_read_at_all_end, (F f, void* b, S* s), (f, b, s), )

int MPI_Finalize(void) {
  char path[4096];
  const char* folder = getenv("SHIM_OUT");
  note("MPI_Finalize");
  if (folder) {
    snprintf(path, sizeof path, "%s/shim-%d.txt", folder, rank_in(MPI_COMM_WORLD));
    FILE* file = fopen(path, "w");
    if (file) {
      for (int i = 0; calls[i].name; ++i) fprintf(file, "%s %lu\n", calls[i].name, calls[i].count);
      fprintf(file, "messages %lu\nbytes %lu\ncollective %lu\n", messages, bytes, collective);
      fprintf(file, "put %lu\ngot %lu\nwritten %lu\nread %lu\n", put, got, written, got_from_files);
      fclose(file);
    }
  }
  return PMPI_Finalize();
}
