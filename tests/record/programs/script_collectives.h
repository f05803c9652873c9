/* SPDX-License-Identifier: Apache-2.0 */
/* Part of script.c: collectives and communicators.
 *
 *   collective NAME COMM ROOT COUNT TYPE [COUNT...]
 *   icollective NAME REQUEST COMM ROOT COUNT TYPE [COUNT...]
 *
 * For the v variants [COUNT...] are the counts of all members, and COUNT the largest. */

/* Displacements of blocks that follow each other. */
static void lay_out(const int* counts, int size, int* displacements) {
  for (int i = 0, sum = 0; i < size; sum += counts[i++]) displacements[i] = sum;
}

static void read_counts(int* counts, int* displacements, int size) {
  for (int i = 0; i < size; ++i) counts[i] = number();
  lay_out(counts, size, displacements);
}

#define BOTH(call, start, ...) (request ? start(__VA_ARGS__, request) : call(__VA_ARGS__))

static void collective(int nonblocking) {
  const char* name = word();
  struct request* opened = nonblocking ? open_request(false) : NULL;
  MPI_Request* request = opened ? &opened->handle : NULL;
  const MPI_Comm in = comm();
  const int root = number(), count = number();
  const MPI_Datatype kind = type();
  int size, rank;
  MPI_Comm_size(in, &size);
  MPI_Comm_rank(in, &rank);
  const size_t members = (size_t)size, bytes = (size_t)count * members * 8;
  char *sent = take(bytes), *received = take(bytes);
  /* Static, because a nonblocking call needs them after it returns. */
  int *counts = take(members * sizeof(int)), *places = take(members * sizeof(int));
  int *others = take(members * sizeof(int)), *other_places = take(members * sizeof(int));
  const MPI_Op op = kind == MPI_BYTE ? MPI_BXOR : MPI_SUM;
  memset(sent, 0, bytes);
  if (!strcmp(name, "barrier")) {
    request ? MPI_Ibarrier(in, request) : MPI_Barrier(in);
  } else if (!strcmp(name, "bcast")) {
    BOTH(MPI_Bcast, MPI_Ibcast, sent, count, kind, root, in);
  } else if (!strcmp(name, "reduce")) {
    BOTH(MPI_Reduce, MPI_Ireduce, sent, received, count, kind, op, root, in);
  } else if (!strcmp(name, "allreduce")) {
    BOTH(MPI_Allreduce, MPI_Iallreduce, sent, received, count, kind, op, in);
  } else if (!strcmp(name, "gather")) {
    BOTH(MPI_Gather, MPI_Igather, sent, count, kind, received, count, kind, root, in);
  } else if (!strcmp(name, "scatter")) {
    BOTH(MPI_Scatter, MPI_Iscatter, sent, count, kind, received, count, kind, root, in);
  } else if (!strcmp(name, "allgather")) {
    BOTH(MPI_Allgather, MPI_Iallgather, sent, count, kind, received, count, kind, in);
  } else if (!strcmp(name, "alltoall")) {
    BOTH(MPI_Alltoall, MPI_Ialltoall, sent, count, kind, received, count, kind, in);
  } else if (!strcmp(name, "reduce_scatter_block")) {
    BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, sent, received, count, kind, op, in);
  } else if (!strcmp(name, "scan")) {
    BOTH(MPI_Scan, MPI_Iscan, sent, received, count, kind, op, in);
  } else if (!strcmp(name, "exscan")) {
    BOTH(MPI_Exscan, MPI_Iexscan, sent, received, count, kind, op, in);
  } else if (!strcmp(name, "allgatherv")) {
    read_counts(counts, places, size);
    BOTH(MPI_Allgatherv, MPI_Iallgatherv, sent, counts[rank], kind, received, counts, places, kind, in);
  } else if (!strcmp(name, "gatherv")) {
    read_counts(counts, places, size);
    BOTH(MPI_Gatherv, MPI_Igatherv, sent, counts[rank], kind, received, counts, places, kind, root, in);
  } else if (!strcmp(name, "alltoallv")) { /* member i sends counts[i] to each */
    read_counts(counts, places, size);
    for (int i = 0; i < size; ++i) others[i] = counts[rank];
    lay_out(others, size, other_places);
    BOTH(MPI_Alltoallv, MPI_Ialltoallv, sent, others, other_places, kind, received, counts, places, kind, in);
  } else {
    fprintf(stderr, "script: no collective is named %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (opened) observe_handle(opened);
}

/* The last number identifies the new communicator; -1 if this rank gets none. */
static void keep(MPI_Comm made, int as) {
  if (as >= 0) comms[as] = made;
}

static void duplicate(int nonblocking) {
  struct request* request = nonblocking ? open_request(false) : NULL;
  const MPI_Comm in = comm();
  const int as = number();
  if (request) {
    MPI_Comm_idup(in, &comms[as], &request->handle); /* written when the request is complete */
    observe_handle(request);
  } else {
    MPI_Comm_dup(in, &comms[as]);
  }
}

static void split(int unused) {
  (void)unused;
  const MPI_Comm in = comm();
  const int color = number(), key = number(), as = number();
  MPI_Comm made;
  MPI_Comm_split(in, color < 0 ? MPI_UNDEFINED : color, key, &made);
  keep(made, as);
}

/* COMM TAG SIZE RANK... NUMBER */
static void create(int by_group) {
  const MPI_Comm in = comm();
  const int tag_of_group = number(), size = number();
  int* ranks = take((size_t)size * sizeof(int));
  for (int i = 0; i < size; ++i) ranks[i] = number();
  MPI_Group all, chosen;
  MPI_Comm made;
  MPI_Comm_group(in, &all);
  MPI_Group_incl(all, size, ranks, &chosen);
  if (by_group) {
    MPI_Comm_create_group(in, chosen, tag_of_group, &made);
  } else {
    MPI_Comm_create(in, chosen, &made);
  }
  keep(made, number());
  MPI_Group_free(&chosen);
  MPI_Group_free(&all);
}

static void free_comm(int unused) {
  (void)unused;
  MPI_Comm_free(&comms[number()]);
}
