// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/store_text.h"
#include "store/store.h"

namespace parcast::cli {
namespace {

int run_store(const Invocation& invocation) {
  auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (piped()) look->width = std::numeric_limits<int>::max();  // other programs want whole names
  const std::string& action = invocation.inputs[0];
  const std::string about = invocation.inputs.size() > 1 ? invocation.inputs[1] : "";
  if (action != "list" && (action != "show" || about.empty()))
    return say_error({"store " + join(invocation.inputs, " ") + " is not understood", "", "see parcast store -h"}), kUsage;
  auto store = store::Store::open_existing(store_url(invocation));
  if (!store) return say_error(store.error()), kFailed;
  if (action == "show") {
    const auto entry = store->show(about);
    if (!entry) return say_error(entry.error()), kFailed;
    return print_result(invocation.json() ? report::store_entry_to_json(*entry) : report::store_entry_text(*entry, *look)), kAnswered;
  }
  const auto entries = store->list(about);
  if (!entries) return say_error(entries.error()), kFailed;
  return print_result(invocation.json() ? report::store_list_to_json(*entries) : report::store_list_text(*entries, *look)), kAnswered;
}

}  // namespace

const Verb& store_verb() {
  static const Verb verb{.name = "store",
                         .summary = "what the store keeps: recordings, models, machines, predictions, measurements",
                         .inputs = "list [KIND] | show ID",
                         .fewest_inputs = 1,
                         .most_inputs = 2,
                         .flags = {store_flag()},
                         .examples = {"parcast store list", "parcast store list predictions --json", "parcast store show 3fa9c1"},
                         .run = run_store};
  return verb;
}

}  // namespace parcast::cli
