// SPDX-License-Identifier: Apache-2.0
#pragma once
// Common beginning of the programs of one file, in C and C++: in misleading/ and inputs/ here, and in
// bench/pass.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#ifdef __cplusplus
#include <cstdio>
#include <cstdlib>
#include <cstring>
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#define NOINLINE __attribute__((noinline))
volatile double sink; /* keeps what is computed */
