// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/store_actions.h"
#include "cli/verbs.h"

namespace parcast::cli {
namespace {

constexpr std::size_t kMany = 1'000'000;

std::vector<std::string_view> query_and(std::vector<std::string_view> more) {
  std::vector<std::string_view> out = query_flags();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

const std::vector<StoreAction>& actions() {
  static const std::vector<StoreAction> all{
      {"add",
       "R.recording... | FOLDER...",
       "keep recordings that were made elsewhere or earlier",
       1,
       kMany,
       {},
       true,
       store_add},
      {"list", "[KIND]",
       "entries, oldest first: recordings, models, machines, predictions, measurements, calibrations", 0, 1,
       query_flags(), false, store_list},
      {"runs", "", "recordings and measurements, a column per parameter", 0, 0, query_and({"--csv"}), false,
       store_runs},
      {"show", "ID", "all that is known of one entry", 1, 1, {"--csv"}, false, store_show},
      {"tag",
       "add|remove ID TAG... | list [ID]",
       "words on entries, to find them by",
       1,
       kMany,
       {},
       false,
       store_tag},
      {"rm", "ID...", "remove entries; files stay", 1, kMany, {"--yes", "--force"}, false, store_remove},
      {"merge", "URL", "take in all that another store keeps", 1, 1, {}, true, store_merge},
      {"export", "[KIND]", "write entries as JSON, or runs as CSV", 0, 1, query_and({"--csv", "--output"}),
       false, store_export},
      {"import", "FILE", "take in what export wrote", 1, 1, {"--csv"}, true, store_import},
      {"check", "", "whether the store is intact", 0, 0, {}, false, store_check},
  };
  return all;
}

const StoreAction* find_action(const std::string& name) {
  const auto at = std::find_if(actions().begin(), actions().end(),
                               [&](const StoreAction& each) { return each.name == name; });
  return at == actions().end() ? nullptr : &*at;
}

Error unknown_action(const std::string& name) {
  std::vector<std::string> names;
  for (const StoreAction& each : actions()) names.emplace_back(each.name);
  const std::string near = did_you_mean(name, names);
  return {"parcast store has no action " + name, "", near.empty() ? "known are " + join(names, ", ") : near};
}

/// Fails on flags that belong to other actions, rather than ignoring them.
Result<void> check_flags(const StoreAction& action, const Invocation& invocation) {
  for (const Flag& flag : store_verb().flags) {
    if (flag.name == "--store" || !invocation.has(flag.name)) continue;
    if (std::find(action.flags.begin(), action.flags.end(), flag.name) == action.flags.end())
      return Error{"store " + std::string(action.name) + " has no flag " + flag.name, "",
                   "see parcast store -h"};
  }
  return {};
}

int run_store(const Invocation& invocation) {
  auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (piped()) look->width = std::numeric_limits<int>::max();  // other programs need complete names
  const StoreAction* action = find_action(invocation.inputs[0]);
  if (!action) return say_error(unknown_action(invocation.inputs[0])), kUsage;
  if (const auto fits = check_flags(*action, invocation); !fits) return say_error(fits.error()), kUsage;
  const std::vector<std::string> words(invocation.inputs.begin() + 1, invocation.inputs.end());
  if (words.size() < action->fewest || words.size() > action->most)
    return say_error({"store " + join(invocation.inputs, " ") + " is not understood", "",
                      "write parcast store " + std::string(action->name) + " " + std::string(action->usage)}),
           kUsage;
  if (const auto asked = query_from(invocation); !asked) return say_error(asked.error()), kUsage;
  auto store = action->makes ? store::Store::open(store_url(invocation))
                             : store::Store::open_existing(store_url(invocation));
  if (!store) return say_error(store.error()), kFailed;
  return action->run({invocation, *look, words, *store});
}

std::vector<std::string> action_lines() {
  std::vector<std::string> lines;
  for (const StoreAction& each : actions()) {
    std::string usage = std::string(each.name) + " " + std::string(each.usage);
    usage.resize(std::max<std::size_t>(usage.size(), 38), ' ');
    lines.push_back("  " + usage + " " + std::string(each.summary));
  }
  lines.push_back(
      "\nBOUNDS is a number or a range: 64, 16..256, 16.. or ..256. A store is a file, or a database of "
      "PostgreSQL:\n"
      "--store postgresql://USER@HOST/DATABASE, or --store 'host=/run/postgresql dbname=DATABASE'.");
  return lines;
}

}  // namespace

const Verb& store_verb() {
  static const Verb verb = [] {
    Verb v{.name = "store",
           .summary =
               "what the store keeps: recordings, models, machines, predictions, measurements, calibrations",
           .inputs = "ACTION ...",
           .fewest_inputs = 1,
           .most_inputs = kMany,
           .flags = {store_flag()},
           .examples = {"parcast store add results/", "parcast store list predictions --json",
                        "parcast store runs --program lmp -p 2..8 -s n=64..256 --since 2026-11-01",
                        "parcast store tag add 3fa9c1 baseline",
                        "parcast store runs --tag baseline --csv > runs.csv",
                        "parcast store merge parcast.db --store postgresql://me@db/experiments"},
           .notes = action_lines(),
           .run = run_store};
    v.flags.insert(v.flags.end(), query_flag_list().begin(), query_flag_list().end());
    v.flags.insert(
        v.flags.end(),
        {{"--csv", 0, "",
          "runs, export and import: CSV of runs (export and import also by a name that ends in .csv); show: "
          "every point that a machine was measured at, every repeat of a calibration"},
         {"--output", 'o', "FILE", "export: where to write (default: print)"},
         {"--yes", 'y', "", "rm: do not ask"},
         {"--force", 0, "", "rm: also what predictions rest on, with these predictions"}});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
