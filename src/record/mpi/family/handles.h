/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_HANDLES_H
#define PARCAST_RECORD_FAMILY_HANDLES_H
/* Included once per family, with its mpi.h. The differences between the families: handles, statuses,
 * names. */

#include <mpi.h>
#include <string.h>

#include "record/mpi/family.h"
#include "record/mpi/next.h"

#if defined(OPEN_MPI)
/* Handles are pointers to variables of the library. */
typedef uintptr_t handle_word;
#elif defined(MPICH_VERSION)
/* Handles are integers (the MPICH ABI, also used by Intel MPI, MVAPICH and Cray MPICH); files are
 * pointers. */
typedef uint32_t handle_word;
#else
#error "This mpi.h is neither Open MPI's nor MPICH's"
#endif
#define HANDLE(mpi_handle) ((parcast_handle)(handle_word)(mpi_handle))
/* A file is a pointer in both families. */
#define FILE_HANDLE(file) ((parcast_handle)(uintptr_t)(file))
#define COMMUNICATOR(number) ((MPI_Comm)(handle_word)(number))

/* Functions of MPI that the recorder itself calls, by their profiling names. */
static struct {
  int (*Comm_rank)(MPI_Comm, int*);
  int (*Comm_size)(MPI_Comm, int*);
  int (*Comm_group)(MPI_Comm, MPI_Group*);
  int (*Comm_remote_group)(MPI_Comm, MPI_Group*);
  int (*Comm_test_inter)(MPI_Comm, int*);
  int (*Group_size)(MPI_Group, int*);
  int (*Group_translate_ranks)(MPI_Group, int, const int[], MPI_Group, int[]);
  int (*Group_free)(MPI_Group*);
  int (*Topo_test)(MPI_Comm, int*);
  int (*Cartdim_get)(MPI_Comm, int*);
  int (*Cart_get)(MPI_Comm, int, int[], int[], int[]);
  int (*Cart_shift)(MPI_Comm, int, int, int*, int*);
  int (*Graph_neighbors_count)(MPI_Comm, int, int*);
  int (*Graph_neighbors)(MPI_Comm, int, int, int[]);
  int (*Dist_graph_neighbors_count)(MPI_Comm, int*, int*, int*);
  int (*Dist_graph_neighbors)(MPI_Comm, int, int[], int[], int, int[], int[]);
  int (*Type_size_x)(MPI_Datatype, MPI_Count*);
  int (*Comm_create_keyval)(MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*);
  int (*Comm_set_attr)(MPI_Comm, int, void*);
  int (*Query_thread)(int*);
} mpi;

static bool find_functions(void) {
  struct {
    void* target;
    const char* name;
  } wanted[] = {{&mpi.Comm_rank, "PMPI_Comm_rank"},
                {&mpi.Comm_size, "PMPI_Comm_size"},
                {&mpi.Comm_group, "PMPI_Comm_group"},
                {&mpi.Comm_remote_group, "PMPI_Comm_remote_group"},
                {&mpi.Comm_test_inter, "PMPI_Comm_test_inter"},
                {&mpi.Group_size, "PMPI_Group_size"},
                {&mpi.Group_translate_ranks, "PMPI_Group_translate_ranks"},
                {&mpi.Group_free, "PMPI_Group_free"},
                {&mpi.Topo_test, "PMPI_Topo_test"},
                {&mpi.Cartdim_get, "PMPI_Cartdim_get"},
                {&mpi.Cart_get, "PMPI_Cart_get"},
                {&mpi.Cart_shift, "PMPI_Cart_shift"},
                {&mpi.Graph_neighbors_count, "PMPI_Graph_neighbors_count"},
                {&mpi.Graph_neighbors, "PMPI_Graph_neighbors"},
                {&mpi.Dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count"},
                {&mpi.Dist_graph_neighbors, "PMPI_Dist_graph_neighbors"},
                {&mpi.Type_size_x, "PMPI_Type_size_x"},
                {&mpi.Comm_create_keyval, "PMPI_Comm_create_keyval"},
                {&mpi.Comm_set_attr, "PMPI_Comm_set_attr"},
                {&mpi.Query_thread, "PMPI_Query_thread"}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* found = parcast_find(wanted[i].name);
    if (!found) return false;
    memcpy(wanted[i].target, &found, sizeof found);
  }
  return true;
}

#if defined(OPEN_MPI)
static bool is_family(const char* version, const char* library) {
  (void)library;
  return strncmp(version, "Open MPI v4.", 12) == 0;
}

static bool find_values(struct parcast_family_values* values) {
  struct {
    parcast_handle* target;
    const char* name;
  } wanted[] = {{&values->world, "ompi_mpi_comm_world"},
                {&values->self, "ompi_mpi_comm_self"},
                {&values->null_communicator, "ompi_mpi_comm_null"},
                {&values->null_request, "ompi_request_null"},
                {&values->no_message, "ompi_message_no_proc"}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* found = parcast_find(wanted[i].name);
    if (!found) return false;
    *wanted[i].target = (parcast_handle)(uintptr_t)found;
  }
  return true;
}

static inline uint64_t status_bytes(const MPI_Status* status) {
  return (uint64_t)status->_ucount;
}
static inline bool was_cancelled(const MPI_Status* status) {
  return status->_cancelled != 0;
}
#else
/* Libraries that follow the MPICH ABI share the interface version 12. */
static bool is_family(const char* version, const char* library) {
  const bool kin =
      strstr(version, "MPICH") || strstr(version, "MVAPICH") || strstr(version, "Intel(R) MPI Library");
#if defined(PARCAST_LINKED)
  (void)library;
  return kin;
#else
  return kin && strstr(library, ".so.12");
#endif
}

static bool find_values(struct parcast_family_values* values) {
  *values =
      (struct parcast_family_values){HANDLE(MPI_COMM_WORLD), HANDLE(MPI_COMM_SELF), HANDLE(MPI_COMM_NULL),
                                     HANDLE(MPI_REQUEST_NULL), HANDLE(MPI_MESSAGE_NO_PROC)};
  return true;
}

static inline uint64_t status_bytes(const MPI_Status* status) {
  return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1)
                                                    << 32;
}
static inline bool was_cancelled(const MPI_Status* status) {
  return status->count_hi_and_cancelled & 1;
}
#endif

static MPI_Datatype null_type;
static MPI_Op no_op;

/* In Open MPI these are variables of the library, and the recorder is not linked to it. */
static bool find_constants(void) {
#if defined(OPEN_MPI)
  null_type = parcast_find("ompi_mpi_datatype_null");
  no_op = parcast_find("ompi_mpi_op_no_op");
  return null_type && no_op;
#else
  null_type = MPI_DATATYPE_NULL;
  no_op = MPI_NO_OP;
  return true;
#endif
}

static inline bool is_no_op(MPI_Op op) {
  return op == no_op;
}

static bool find_library(struct parcast_family_values* values) {
  return find_functions() && find_values(values) && find_constants();
}

static inline uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || type == null_type || mpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0) return 0;
  return (uint64_t)count * (uint64_t)size;
}

#endif
