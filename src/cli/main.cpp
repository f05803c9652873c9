// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/text.h"
#include "cli/launch_line.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/verb.h"

namespace parcast::cli {
namespace {

int unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  const std::string near = did_you_mean(word, names);
  say_error(Error{"parcast has no verb " + word, "", near.empty() ? "see parcast -h" : near});
  return kUsage;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns the words up to "--", without those of a launch line.
std::vector<std::string> own_words(const Verb& verb, const std::vector<std::string>& words) {
  std::vector<std::string> own = divided(verb, words).own;
  own.erase(std::ranges::find(own, "--"), own.end());
  return own;
}

void print_help(const std::string& text) {
  const auto columns = columns_for_text(STDOUT_FILENO);
  print_result(columns ? folded_help(text, static_cast<std::size_t>(*columns)) : text);
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) return print_message(help()), kUsage;
  if (words[0] == "-h" || words[0] == "--help" || words[0] == "help") {
    const Verb* about = words.size() > 1 ? find_verb(words[1]) : nullptr;
    return print_help(about ? help(*about) : help()), kAnswered;
  }
  if (words[0] == "--version") return print_result("parcast " PARCAST_VERSION "\n"), kAnswered;
  const Verb* verb = find_verb(words[0]);
  if (!verb && has_word(words, "--json")) keep_errors();
  if (!verb) return unknown_verb(words[0]);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (verb->takes_any_words && !(rest.size() == 1 && (rest[0] == "-h" || rest[0] == "--help")))
    return verb->run(Invocation({}, {}, rest));
  const std::vector<std::string> own = own_words(*verb, rest);
  if (has_word(own, "-h") || has_word(own, "--help")) return print_help(help(*verb)), kAnswered;
  if (has_word(own, "--json")) keep_errors();
  auto invocation = parse_words(*verb, rest);
  if (!invocation) return say_error(invocation.error()), kUsage;
  if (const auto applied = apply_settings(*verb, *invocation); !applied)
    return say_error(applied.error()), kUsage;
  return verb->run(*invocation);
}

}  // namespace
}  // namespace parcast::cli

int main(int argc, char** argv) {
  try {
    return parcast::cli::end_errors(
        parcast::cli::run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
  } catch (const std::bad_alloc&) {
    parcast::cli::say_error({"memory is exhausted", "", "try a smaller input or another machine"});
  } catch (const std::exception& bug) {
    parcast::cli::say_error(
        {std::string("internal error: ") + bug.what(), "", "please report it with the command line"});
  }
  return parcast::cli::end_errors(parcast::cli::kFailed);
}
