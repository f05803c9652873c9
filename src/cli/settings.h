// SPDX-License-Identifier: Apache-2.0
#pragma once
// Settings (config/settings.h) for the flags of verbs.

#include <string>
#include <vector>

#include "cli/verb.h"
#include "config/settings.h"
#include "report/style.h"

namespace parcast::cli {

/// Returns the working folder and the variables of this process.
config::Surroundings surroundings();
/// Returns which settings the flags of each verb have.
config::VerbSettings settings_of_verbs();

/// Gives each flag that has a setting, and no value from the user, the setting's value.
Result<void> apply_settings(const Verb& verb, Invocation& invocation);

/// A setting as some verbs have it: a table of a verb in a file makes them differ.
struct ExplainedSetting {
  const config::Setting* setting = nullptr;
  std::vector<config::Value> values;  // the one that counts first; empty: none
  std::vector<std::string> verbs;
};
struct ExplainedSettings {
  std::vector<config::File> files;
  std::vector<ExplainedSetting> settings;
};
Result<ExplainedSettings> explained_settings(const config::Surroundings& around);

/// Returns the values as a parcast.toml.
std::string settings_toml(const ExplainedSettings& all);
/// Returns each setting with its value, its place, and what it affects.
std::string settings_text(const ExplainedSettings& all, const report::Style& style);
/// Returns the same as parcast.config/1.
std::string settings_to_json(const ExplainedSettings& all);

}  // namespace parcast::cli
