// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace parcast::cli {
namespace {

std::string flag_words(const Verb& verb) {
  std::string words = "--help";
  for (const Flag& flag : flags_of(verb)) words += " " + flag.name;
  return words;
}

std::string bash_script() {
  std::string names, cases;
  for (const Verb& verb : verbs()) {
    names += (names.empty() ? "" : " ") + verb.name;
    cases += "    " + verb.name + ") flags='" + flag_words(verb) + "' ;;\n";
  }
  return "_parcast() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         "' -- \"$word\")); return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;; *) COMPREPLY=($(compgen "
         "-f -- \"$word\")) ;; esac\n"
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
