// SPDX-License-Identifier: Apache-2.0
#pragma once
// What programs of one file begin with, in C and C++: of misleading/ and inputs/ here, and of bench/pass.
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
