// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "schemas/schemas.h"

namespace parcast::cli {
namespace {

std::string flag_words(const Verb& verb) {
  std::string words = "--help";
  for (const Flag& flag : flags_of(verb)) words += " " + flag.name;
  return words;
}

/// Returns the words that a verb takes as its input, where they are known; else files are completed.
std::string input_words(const Verb& verb) {
  std::vector<std::string> words;
  if (verb.name == "schema")
    for (const schemas::Document& each : schemas::documents()) words.push_back(each.name);
  return join(words, " ");
}

std::string bash_script() {
  std::string names, cases;
  for (const Verb& verb : verbs()) {
    names += (names.empty() ? "" : " ") + verb.name;
    const std::string words = input_words(verb);
    cases += "    " + verb.name + ") flags='" + flag_words(verb) + "'" +
             (words.empty() ? "" : " words='" + words + "'") + " ;;\n";
  }
  return "_parcast() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} flags= words=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$word\")); return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
         "    *) if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"));\n"
         "       else COMPREPLY=($(compgen -f -- \"$word\")); fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _parcast parcast\n";
}

int run_completion(const Invocation& invocation) {
  if (invocation.inputs[0] != "bash")
    return say_error({"completion for " + invocation.inputs[0] + " is not known", "", "known: bash"}), kUsage;
  return print_result(bash_script()), kAnswered;
}

}  // namespace

const Verb& completion_verb() {
  static const Verb verb{
      .name = "completion",
      .summary = "print the completion script of a shell",
      .inputs = "bash",
      .fewest_inputs = 1,
      .most_inputs = 1,
      .examples = {"parcast completion bash > ~/.local/share/bash-completion/completions/parcast"},
      .run = run_completion};
  return verb;
}

}  // namespace parcast::cli
