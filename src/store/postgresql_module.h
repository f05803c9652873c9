// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the module libparcast-postgresql.so offers. PostgreSQL's client brings some twenty libraries along, whose start costs
// every command as much time as its own, so that they are loaded with this module when a store on such a server is asked for.

#include "store/dialect.h"

extern "C" {

/// Parcast's version as the module was built: another one's dialect is not ours.
extern const char parcast_postgresql_version[];

/// The caller owns it.
parcast::store::Dialect* parcast_postgresql_dialect(const parcast::store::Place* place);
}
