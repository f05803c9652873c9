// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/settings.h"
#include "machine/toml_text.h"
#include "report/table.h"

namespace parcast::cli {
namespace {

constexpr int kIndent = 9;  // columns, after the longest name

std::string place_text(const config::Value& value) {
  switch (value.level) {
    case config::Level::environment:
      return "environment: " + value.where;
    case config::Level::project_file:
    case config::Level::user_file:
      return value.where;
    case config::Level::built_in:
      return "built in";
  }
  return "";
}

std::string file_text(const config::File& file) {
  const std::string path = file.path.string();
  return file.is_there                               ? path
         : file.level == config::Level::project_file ? "no " + path + " here or in a parent folder"
         : path.empty()                              ? "no HOME, so no file of the user"
                                                     : "no " + path;
}

/// Returns "all verbs", where only a few that have no flags of their own are missing.
std::string verbs_text(const ExplainedSetting& each) {
  const bool is_common = each.setting->name == "color";
  return is_common && each.verbs.size() + 1 >= settings_of_verbs().size() ? "all verbs"
                                                                          : join(each.verbs, ", ");
}

}  // namespace

std::string settings_toml(const ExplainedSettings& all) {
  std::string out;
  std::map<std::string, std::string> of_verbs;
  const config::Setting* last = nullptr;
  for (const ExplainedSetting& each : all.settings) {
    const bool is_first = each.setting != last;
    last = each.setting;
    if (each.values.empty()) continue;
    const std::string line =
        std::string(each.setting->name) + " = " + machine::in_quotes(each.values.front().text) + "\n";
    if (is_first)
      out += line;
    else
      for (const std::string& verb : each.verbs) of_verbs[verb] += line;
  }
  for (const auto& [verb, lines] : of_verbs) out += "\n[" + verb + "]\n" + lines;
  return out;
}

std::string settings_text(const ExplainedSettings& all, const report::Style& style) {
  report::Style narrow = style;
  narrow.width = std::min(style.width, 100);
  std::string out;
  const auto paragraph = [&](const std::string& text) {
    const std::string blanks(kIndent, ' ');
    out += report::wrapped(narrow, blanks + text, kIndent) + "\n";
  };
  for (const ExplainedSetting& each : all.settings) {
    const std::string value = each.values.empty() ? "(none)" : each.values.front().text;
    const std::string place = each.values.empty() ? "" : place_text(each.values.front());
    out += report::padded(std::string(each.setting->name), kIndent) +
           report::padded(visible(value, 200), 24) + "  " + visible(place, 200);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    paragraph(std::string(each.setting->meaning) + ": " + std::string(each.setting->flag) + " of " +
              verbs_text(each));
    for (std::size_t i = 1; i < each.values.size(); ++i)
      paragraph("in place of " + each.values[i].text + " (" + place_text(each.values[i]) + ")");
  }
  out += "\nread: ";
  std::vector<std::string> files;
  for (const config::File& file : all.files) files.push_back(visible(file_text(file), 400));
  return out + join(files, "; ") + "\n";
}

}  // namespace parcast::cli
