// SPDX-License-Identifier: Apache-2.0
#include "counting.h"

double there(const double* x, int n) { return largest(x, n); }
