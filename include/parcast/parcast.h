/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_PARCAST_H
#define PARCAST_PARCAST_H
/* The region and probe API for C and C++: names parts of a program, its phases and its parameters. Link
 * with -lparcast (CMake: parcast::region). Every call returns at once unless the program runs under
 * `parcast record`, whose recorder library replaces these functions. The API works with and without MPI;
 * without MPI, the first call begins the recording. */

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

/* A region is a named part of the program. Regions nest, separately in each thread. The name is copied on
 * its first use. */
void parcast_region_begin(const char* name);
void parcast_region_end(void);

/* Declares a parameter of the problem, for example its size. The last value given before MPI_Finalize is
 * used; a value on the command line of `parcast record` (--param) takes precedence. */
void parcast_parameter(const char* name, double value);

/* Records only events of these classes from now on: a list of mpi, io (files, by MPI), user (regions) and
 * memory (page faults, context switches and memory of regions). "" switches all classes off; a null
 * pointer switches them on again. Classes that `parcast record --classes` excludes stay off. Computing
 * time is still measured: the time until the next switch is one segment between the two. MPI_Pcontrol(0)
 * and MPI_Pcontrol(1) do the same for all classes. */
void parcast_classes(const char* list);

/* The probe, one per process, divides the process's time into phases. A phase begins where the previous
 * one ended, so there are no gaps. The first phase begins where the probe begins, or at MPI_Init's return
 * if that is later. The time from the last phase to the run's end, including the wait for other processes,
 * is a phase "end" of kind idle.
 *
 *     parcast_probe_begin(parameters, 2);                                  at the start of the run
 *     ... parcast_phase("multiply", PARCAST_COMPUTE, operations, 0);       at the end of each phase
 *     ... parcast_phase("shift", PARCAST_COMMUNICATE, 0, elements);
 *
 * (J. Lemeire, E. Dirkx: A Refinement Strategy for a User-Oriented Performance Analysis, Euro PVM/MPI
 * 2004.) */

enum parcast_phase_kind {
  PARCAST_COMPUTE,
  PARCAST_COMMUNICATE, /* the part that does not overlap with computing */
  PARCAST_IDLE         /* waiting */
};

struct parcast_value {
  const char* name;
  double value;
};

/* Begins the probe and declares the run's parameters as parcast_parameter does. Without this call the
 * probe begins at MPI_Init's return, or without MPI at the first call of this API. Only the thread that
 * calls first has phases. */
void parcast_probe_begin(const struct parcast_value* parameters, int count);

/* Ends a phase. The name is copied; null means the name of the kind. `operations`: number of equal
 * operations done; `quantums`: number of units of data handled or moved; both finite and not negative.
 * Mistakes are reported on stderr, once for each kind of mistake. */
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
