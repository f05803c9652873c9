// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/verbs.h"

namespace parcast::cli {
namespace {

int run_config(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto all = explained_settings(surroundings());
  if (!all) return say_error(all.error()), kUsage;
  print_result(invocation.json()             ? settings_to_json(*all)
               : invocation.has("--explain") ? settings_text(*all, *look)
                                             : settings_toml(*all));
  return kAnswered;
}

}  // namespace

const Verb& config_verb() {
  static const Verb verb{
      .name = "config",
      .summary = "print the settings: values of flags that are always the same",
      .flags = {{"--explain", 0, "", "print where each value comes from, and what it affects"}},
      .examples = {"parcast config --explain", "parcast config > parcast.toml"},
      .notes = {"The first that has a value counts: the flag, its variable (PARCAST_STORE, PARCAST_MACHINE,",
                "PARCAST_BUDGET, PARCAST_COLOR, PARCAST_RUNNER), parcast.toml here or in the nearest parent",
                "folder, the user's own parcast/parcast.toml in $XDG_CONFIG_HOME (~/.config), built in.",
                "A table with a verb's name, such as [calibrate], is of that verb alone.",
                "docs/formats/settings.md."},
      .run = run_config};
  return verb;
}

}  // namespace parcast::cli
