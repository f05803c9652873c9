// SPDX-License-Identifier: Apache-2.0
#include "store/dialect.h"

namespace parcast::store {

Result<std::unique_ptr<Dialect>> dialect_of(const Place& place) {
  if (place.backend == Backend::sqlite) return sqlite_dialect(place);
#ifdef PARCAST_POSTGRESQL
  return postgresql_dialect(place);
#else
  return Error{"this build of Parcast cannot speak to PostgreSQL", place.shown,
               "install libpq-dev and build again, or keep the store in a file with --store PATH"};
#endif
}

}  // namespace parcast::store
