// SPDX-License-Identifier: Apache-2.0
#include "work.h"

extern "C" void plugin_work() { work(9); }
