/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_PARCAST_H
#define PARCAST_PARCAST_H
/* The region and probe API: names parts of a program, its phases and its parameters, for C and C++. Link with -lparcast
 * (CMake: parcast::region). Every call returns at once unless the program runs under `parcast record`, whose recorder
 * library takes the place of these functions. Works with and without MPI; without, the first call begins the recording. */

#ifdef __cplusplus
#include <initializer_list>
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

/* The probe: one per process, it divides the process's time into phases. A phase begins where the one before ended, so that
 * they leave no gap: the first where the probe begins, or at MPI_Init's return if that is later; after the last one the rest
 * up to the run's end, the wait for other processes included, is a phase "end" of kind idle.
 *
 *     parcast_probe_begin(parameters, 2);                                  at the start of the run
 *     ... parcast_phase("multiply", PARCAST_COMPUTE, operations, 0);       at the end of each phase
 *     ... parcast_phase("shift", PARCAST_COMMUNICATE, 0, elements);
 *
 * (J. Lemeire, E. Dirkx: A Refinement Strategy for a User-Oriented Performance Analysis, Euro PVM/MPI 2004.) */

enum parcast_phase_kind {
  PARCAST_COMPUTE,
  PARCAST_COMMUNICATE, /* what of it does not overlap with computing */
  PARCAST_IDLE         /* waits */
};

struct parcast_value {
  const char* name;
  double value;
};

/* The probe begins now; each of the run's parameters is taken as by parcast_parameter. Without this call it begins at
 * MPI_Init's return; without MPI at the first call of this API. Phases are the matter of the thread that calls first. */
void parcast_probe_begin(const struct parcast_value* parameters, int count);

/* The phase that ends now. Its name is copied and may be null: then it is called as its kind. `operations`: how many equal
 * operations it made; `quantums`: how many units of data it handled or moved; both finite and not below 0. What is wrong is
 * said on stderr, once for each mistake. */
void parcast_phase(const char* name, enum parcast_phase_kind kind, double operations, double quantums);

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

struct Parameter {
  template <class Number>
  Parameter(const char* its_name, Number its_value) : name(its_name), value(static_cast<double>(its_value)) {}
  const char* name;
  double value;
};

/* parcast::Probe probe{{"n", 512}, {"r", 2}};
 * ... probe.phase("multiply", PARCAST_COMPUTE, operations, quantums); */
class Probe {
 public:
  explicit Probe(std::initializer_list<Parameter> parameters = {}) {
    for (const Parameter& parameter : parameters) parcast_parameter(parameter.name, parameter.value);
    parcast_probe_begin(nullptr, 0);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  void phase(const char* name, parcast_phase_kind kind, double operations = 0, double quantums = 0) {
    parcast_phase(name, kind, operations, quantums);
  }
};
} /* namespace parcast */
#endif

#endif
