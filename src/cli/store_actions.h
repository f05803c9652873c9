// SPDX-License-Identifier: Apache-2.0
#pragma once
// The actions of `parcast store` as data: name, usage, flags and function. verbs/store.cpp is the table.

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "report/style.h"
#include "store/store.h"

namespace parcast::cli {

struct StoreCall {
  const Invocation& invocation;
  const report::Style& look;
  std::vector<std::string> words;  // the words after the action's name
  store::Store& store;
};

struct StoreAction {
  std::string_view name, usage, summary;
  std::size_t fewest = 0, most = 0;
  std::vector<std::string_view> flags = {};  // besides --store and those that every verb takes
  bool makes = false;                        // creates a store if there is none
  int (*run)(const StoreCall&) = nullptr;
};

// store_add.cpp
int store_add(const StoreCall& call);
// store_answers.cpp
int store_list(const StoreCall& call);
int store_runs(const StoreCall& call);
int store_show(const StoreCall& call);
int store_export(const StoreCall& call);
// store_changes.cpp
int store_tag(const StoreCall& call);
int store_remove(const StoreCall& call);
int store_merge(const StoreCall& call);
int store_import(const StoreCall& call);
int store_check(const StoreCall& call);

/// Parses the flags of a query: --program, -m, -p, -s, --since, --until, --tag. Bounds are 4, 2..8, 2.. and
/// ..8; a date without time means its beginning after --since and its end after --until. `parameters`: the
/// flag of K=BOUNDS.
Result<store::Query> query_from(const Invocation& invocation, const std::string& parameters = "--set");
const std::vector<std::string_view>& query_flags();
/// Returns the same flags with their help.
const std::vector<Flag>& query_flag_list();

/// Returns the entries that identifiers name, each once.
Result<std::vector<store::Entry>> entries_named(const store::Store& store,
                                                const std::vector<std::string>& ids);

}  // namespace parcast::cli
