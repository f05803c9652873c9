/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_VOLUME_H
#define PARCAST_RECORD_VOLUME_H
/* Bytes that this rank contributes to a collective and bytes that it gets, as parts.sent_bytes and
 * parts.received_bytes; parts.communicator is set before. Arguments that are not significant on this rank (counts of a
 * root elsewhere, types beside MPI_IN_PLACE) are never looked at. docs/formats/recording.md has the table. */

#include "record/mpi/recorder.h"

typedef struct parcast_thread parcast_thread;
typedef struct parcast_parts parcast_parts;

void parcast_volume_same(parcast_thread*, parcast_parts*, int count, MPI_Datatype type);
void parcast_volume_broadcast(parcast_thread*, parcast_parts*, int count, MPI_Datatype type, int root);
void parcast_volume_reduce(parcast_thread*, parcast_parts*, int count, MPI_Datatype type, int root);
void parcast_volume_gather(parcast_thread*, parcast_parts*, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                           int recvcount, MPI_Datatype recvtype, int root);
void parcast_volume_gatherv(parcast_thread*, parcast_parts*, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            const int* recvcounts, MPI_Datatype recvtype, int root);
void parcast_volume_scatter(parcast_thread*, parcast_parts*, int sendcount, MPI_Datatype sendtype, const void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, int root);
void parcast_volume_scatterv(parcast_thread*, parcast_parts*, const int* sendcounts, MPI_Datatype sendtype,
                             const void* recvbuf, int recvcount, MPI_Datatype recvtype, int root);
void parcast_volume_allgather(parcast_thread*, parcast_parts*, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              int recvcount, MPI_Datatype recvtype);
void parcast_volume_allgatherv(parcast_thread*, parcast_parts*, const void* sendbuf, int sendcount,
                               MPI_Datatype sendtype, const int* recvcounts, MPI_Datatype recvtype);
void parcast_volume_alltoall(parcast_thread*, parcast_parts*, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             int recvcount, MPI_Datatype recvtype);
void parcast_volume_alltoallv(parcast_thread*, parcast_parts*, const void* sendbuf, const int* sendcounts,
                              MPI_Datatype sendtype, const int* recvcounts, MPI_Datatype recvtype);
void parcast_volume_alltoallw(parcast_thread*, parcast_parts*, const void* sendbuf, const int* sendcounts,
                              const MPI_Datatype* sendtypes, const int* recvcounts, const MPI_Datatype* recvtypes);
void parcast_volume_reduce_scatter(parcast_thread*, parcast_parts*, const int* recvcounts, MPI_Datatype type);
void parcast_volume_reduce_scatter_block(parcast_thread*, parcast_parts*, int recvcount, MPI_Datatype type);

/* The root as the peer of a rooted collective. */
void parcast_name_root(parcast_parts*, int root);
/* The communicator that a call made. */
void parcast_name_created(struct parcast_open*, parcast_parts*, MPI_Comm made);

#endif
