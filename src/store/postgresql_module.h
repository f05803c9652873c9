// SPDX-License-Identifier: Apache-2.0
#pragma once
// Interface of the module libparcast-postgresql.so. PostgreSQL's client depends on some twenty libraries,
// which would double the start time of every command. They are therefore loaded with this module, and only
// when a store on such a server is opened.

#include "store/dialect.h"

extern "C" {

/// Version of Parcast that built the module; a module of another version is refused.
extern const char parcast_postgresql_version[];

/// The caller owns it.
parcast::store::Dialect* parcast_postgresql_dialect(const parcast::store::Place* place);
}
