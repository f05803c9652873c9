// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "cli/launch_line.h"
#include "cli/verb.h"

namespace parcast::cli {
namespace {

/// Returns an error for the word that CLI11 did not expect; it suggests the nearest flag.
Error unexpected_flag(const Verb& verb, const std::string& word) {
  std::vector<std::string> names{"--help"};
  for (const Flag& flag : flags_of(verb)) names.push_back(flag.name);
  const std::string near = did_you_mean(word.substr(0, word.find('=')), names);
  const std::string dashes = verb.launch_after_dashes ? "-- goes before the launch line; else " : "";
  return Error{"parcast " + verb.name + " has no flag " + word, "",
               near.empty() ? dashes + "see parcast " + verb.name + " -h" : near};
}

}  // namespace

bool Invocation::has(std::string_view flag) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.flag == flag; });
}

std::optional<std::string> Invocation::value(std::string_view flag) const {
  const auto all = values(flag);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

std::vector<std::string> Invocation::values(std::string_view flag) const {
  std::vector<std::string> out;
  for (const Given& g : has(flag) ? given_ : defaults_)
    if (g.flag == flag) out.push_back(g.value);
  return out;
}

void Invocation::replace(const std::string& flag, const std::vector<std::string>& values) {
  std::erase_if(given_, [&](const Given& each) { return each.flag == flag; });
  for (const std::string& value : values) given_.push_back({flag, value});
}

Result<Invocation> parse_words(const Verb& verb, const std::vector<std::string>& words) {
  auto [own, launch] = divided(verb, words);

  CLI::App app;
  app.set_help_flag();
  std::vector<std::string> inputs;
  app.add_option("inputs", inputs);
  const std::vector<Flag> flags = flags_of(verb);
  // A callback instead of a vector: a vector would take every word up to the next flag.
  const CLI::callback_t keep = [](const CLI::results_t&) { return true; };
  std::vector<CLI::Option*> options(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string names =
        (flags[i].letter ? std::string("-") + flags[i].letter + "," : "") + flags[i].name;
    options[i] = flags[i].value.empty() ? app.add_flag(names) : app.add_option(names, keep);
    if (!flags[i].value.empty())
      options[i]->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  std::reverse(own.begin(), own.end());  // CLI11 expects the words in reverse order
  try {
    app.parse(std::move(own));
  } catch (const CLI::ExtrasError& extra) {
    const std::string text = extra.what();
    return unexpected_flag(verb, text.substr(text.rfind(' ') + 1));
  } catch (const CLI::ParseError& problem) {
    return Error{problem.what(), "", "see parcast " + verb.name + " -h"};
  }
  std::vector<Invocation::Given> given;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i].value.empty()) {
      if (options[i]->count() > 0) given.push_back({flags[i].name, ""});
      continue;
    }
    const std::vector<std::string> values =
        options[i]->count() > 0 ? options[i]->results() : std::vector<std::string>{};
    if (values.size() > 1 && !flags[i].repeatable)
      return Error{flags[i].name + " was given " + std::to_string(values.size()) + " times", "",
                   "give it once"};
    for (const std::string& value : values) given.push_back({flags[i].name, value});
  }
  if (inputs.size() < verb.fewest_inputs)
    return Error{"parcast " + verb.name + " needs " + verb.inputs, "", "see parcast " + verb.name + " -h"};
  if (inputs.size() > verb.most_inputs)
    return Error{
        "parcast " + verb.name + " does not know what to do with \"" + inputs[verb.most_inputs] + "\"", "",
        "see parcast " + verb.name + " -h"};
  const bool needs_none = std::any_of(given.begin(), given.end(),
                                      [&](const auto& g) { return g.flag == verb.without_launch_line; });
  if (verb.takes_launch_line && launch.empty() && !needs_none &&
      !(verb.launch_after_dashes && !inputs.empty()))
    return Error{"parcast " + verb.name + " needs a launch line", "",
                 "for example: " + verb.examples.front()};
  return Invocation(std::move(given), std::move(inputs), std::move(launch));
}

}  // namespace parcast::cli
