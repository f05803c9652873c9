// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps the results of verbs in the store. A store that cannot be opened causes a warning; the answer is
// printed all the same.

#include <string>

#include "cli/inputs.h"
#include "cli/output.h"
#include "store/store.h"

namespace parcast::cli {

inline const Flag& no_store_flag() {
  static const Flag flag{"--no-store", 0, "", "keep nothing in the store"};
  return flag;
}

/// Calls `action` with the open store unless --no-store was given.
template <class Action>
void remember(const Invocation& invocation, Action action) {
  if (invocation.has("--no-store")) return;
  auto store = store::Store::open(store_url(invocation));
  if (!store)
    return say_warning(invocation, {"not kept in the store: " + store.error().what, store.error().where,
                                    store.error().hint});
  if (const auto kept = action(*store); !kept)
    say_warning(invocation,
                {"not kept in the store: " + kept.error().what, kept.error().where, kept.error().hint});
}

}  // namespace parcast::cli
