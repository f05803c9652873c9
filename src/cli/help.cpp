// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "cli/verb.h"

namespace parcast::cli {
namespace {

constexpr std::size_t kNames = 28;                   // columns of a flag's names
constexpr std::size_t kHelpOfFlag = 2 + kNames + 1;  // where its help begins

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string flag_line(const Flag& flag) {
  std::string names = flag.letter ? std::string("-") + flag.letter + ", " : "    ";
  names += flag.name + (flag.value.empty() ? "" : " " + flag.value);
  return "  " + padded(names, kNames) + " " + flag.help + (flag.repeatable ? " (may be repeated)" : "") +
         "\n";
}

/// Returns the column in which the rest of a long line begins.
std::size_t margin_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first > 0 && line[first] == '-') return kHelpOfFlag;
  const std::size_t gap = line.find("  ", first);
  const std::size_t text = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  return text == std::string::npos ? first + 2 : text;
}

std::string folded_line(const std::string& line, std::size_t columns) {
  const std::size_t margin = std::min(margin_of(line), 2 * columns / 3);
  std::string out, rest = line;
  while (rest.size() > columns) {
    std::size_t end = rest.rfind(' ', columns);
    if (end == std::string::npos || end <= margin) end = rest.find(' ', columns);
    if (end == std::string::npos) break;
    out += rest.substr(0, end) + "\n";
    rest = std::string(margin, ' ') + rest.substr(end + 1);
  }
  return out + rest;
}

}  // namespace

std::string folded_help(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines)
    if (line.size() > columns && !line.starts_with("  parcast ")) line = folded_line(line, columns);
  return join(lines, "\n");
}

std::vector<Flag> flags_of(const Verb& verb) {
  static const std::vector<Flag> common{
      {"--json", 0, "", "print JSON (docs/formats)"},
      {"--quiet", 'q', "", "print results and errors only"},
      {"--verbose", 'v', "", "print more"},
      {"--color", 0, "WHEN", "auto (default), always or never", false, "color"},
  };
  std::vector<Flag> flags = verb.flags;
  if (!verb.takes_any_words) flags.insert(flags.end(), common.begin(), common.end());
  return flags;
}

std::string help(const Verb& verb) {
  std::string text = "parcast " + verb.name + ": " + verb.summary + "\n\nusage: parcast " + verb.name;
  if (!verb.takes_any_words) text += " [flags]";
  if (!verb.inputs.empty() && !verb.launch_after_dashes) text += " " + verb.inputs;
  if (verb.takes_launch_line) text += " -- LAUNCH LINE";
  if (verb.launch_after_dashes) text += "\n       parcast " + verb.name + " [flags] " + verb.inputs;
  for (const Flag& flag : verb.flags)
    if (flag.name == verb.without_launch_line)
      text += "\n       parcast " + verb.name + " " + flag.name + " " + flag.value + " [flags]";
  text += "\n\n";
  for (const Flag& flag : flags_of(verb)) text += flag_line(flag);
  if (!verb.notes.empty()) text += "\n";
  for (const std::string& note : verb.notes) text += note + "\n";
  text += "\nexamples:\n";
  for (const std::string& example : verb.examples) text += "  " + example + "\n";
  return text;
}

std::string help() {
  std::string text =
      "parcast: how long will a parallel program run with a larger problem, more processes or on another "
      "machine,\n"
      "how sure is that, and why\n\nusage: parcast VERB ...\n\n";
  for (const Verb& verb : verbs()) text += "  " + padded(verb.name, 12) + verb.summary + "\n";
  text +=
      "\nthe way through:\n"
      "  parcast record --param N=256 -- mpirun -n 2 ./app 256      for a few small sizes and process "
      "counts\n"
      "  parcast model app-*.recording && parcast calibrate -o here.machine.toml\n"
      "  parcast predict app.model.json -m here -p 16 -s N=4096\n"
      "\nvalues of flags that are always the same: parcast.toml, shown by parcast config --explain\n"
      "parcast VERB -h lists the flags; exit codes: 0 answered, 1 failed, 2 usage, 3 answered from damaged "
      "or partial\n"
      "input, 4 the program would hang\n";
  return text;
}

}  // namespace parcast::cli
