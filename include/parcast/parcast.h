/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_PARCAST_H
#define PARCAST_PARCAST_H
/* The region API: names parts of a program and its parameters, for C and C++. Link with -lparcast (CMake:
 * parcast::region). Every call returns at once unless the program runs under `parcast record`, whose recorder
 * library takes the place of these functions. Works with and without MPI. */

#ifdef __cplusplus
extern "C" {
#endif

/* A region is a named part of the program; regions nest, per thread. The name is copied on its first use. */
void parcast_region_begin(const char* name);
void parcast_region_end(void);

/* Declares a parameter of the problem, for example its size. The last value given before MPI_Finalize counts;
 * a value given on the command line of `parcast record` (--param) wins over it. */
void parcast_parameter(const char* name, double value);

/* From now on only events of these classes are recorded: a list of mpi, io (files, by MPI), user (regions) and memory (page
 * faults, switches and memory of regions). "" switches all of them off, a null pointer on again; never more than `parcast
 * record --classes` allows. Computing time goes on being taken: what passes until the next switch is one segment between the
 * two. MPI_Pcontrol(0) and MPI_Pcontrol(1) do the same for all classes. */
void parcast_classes(const char* list);

#ifdef __cplusplus
} /* extern "C" */

namespace parcast {
/* A region that lasts as long as the object. */
class Region {
 public:
  explicit Region(const char* name) { parcast_region_begin(name); }
  ~Region() { parcast_region_end(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};
} /* namespace parcast */
#endif

#endif
