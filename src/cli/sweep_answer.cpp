// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_answer.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "report/contour_svg.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

std::string file_content(const Invocation& invocation, const std::string& file,
                         const std::vector<predict::Prediction>& points,
                         const explain::Standings& standings) {
  if (file.ends_with(".svg")) return picture(invocation, points);
  if (file.ends_with(".csv")) return report::sweep_csv(points, standings);
  if (file.ends_with(".json")) return report::sweep_to_json(points, standings, invocation.has("--regions"));
  return report::sweep_text(points, {}, standings);
}

/// Reads a number with or without a unit; only the number of values matters here.
Result<double> any_number(const std::string& text) {
  PARCAST_ASSIGN(const Measure measure, parse_measure(text));
  return measure.value;
}

/// Contours need a grid. A list that cannot be read is reported elsewhere.
Result<void> check_contour(const Invocation& invocation) {
  if (!invocation.has("--contour")) return {};
  if (!invocation.value("--output").value_or("").ends_with(".svg"))
    return Error{"--contour draws a picture, and no file is named for one", "", "add -o FILE.svg"};
  const std::vector<std::string> varied = invocation.values("--vary");
  if (varied.size() != 2)
    return Error{"--contour draws over two parameters that vary, and there " +
                     std::string(varied.size() == 1 ? "is " : "are ") + std::to_string(varied.size()),
                 "", "give --vary twice, for example --vary p=1,2,4,8 --vary N=1000..8000*2"};
  for (const std::string& word : varied) {
    const auto variation = parse_variation(word, any_number);
    if (variation && std::set<double>(variation->values.begin(), variation->values.end()).size() < 2)
      return Error{"--contour draws between values, and " + varied_name(word) + " has one", "--vary",
                   "give it more, for example " + varied_name(word) + "=1,2,4,8, or leave out --contour"};
  }
  return {};
}

Result<void> check_picture(const Invocation& invocation) {
  const std::filesystem::path file = invocation.value("--output").value_or("");
  for (const char* other : {".png", ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".gif"})
    if (file.extension() == other)
      return Error{"pictures are written as SVG, and " + file.string() + " is named as another kind",
                   "--output",
                   "write -o " + std::filesystem::path(file).replace_extension(".svg").string() +
                       "; browsers show it, and rsvg-convert or Inkscape make other kinds of it"};
  return {};
}

Result<void> check_quantity(const Invocation& invocation) {
  const auto name = invocation.value("--quantity");
  if (!name) return {};
  const auto quantity = report::quantity_named(*name);
  if (!quantity)
    return Error{"--quantity " + *name + " is not known", "", "give time, speedup or efficiency"};
  if (!invocation.value("--output").value_or("").ends_with(".svg"))
    return Error{"--quantity is for a picture, and no file is named for one", "", "add -o FILE.svg"};
  if (invocation.has("--contour")) return Error{"--contour draws times only", "", "leave out --quantity"};
  const auto varies = [](const std::string& word) { return varied_name(word) == "p"; };
  if (*quantity != report::Quantity::time && std::ranges::none_of(invocation.values("--vary"), varies))
    return Error{"--quantity " + *name + " needs several numbers of processes", "", "add --vary p=1,2,4,8"};
  return {};
}

}  // namespace

const std::vector<Flag>& sweep_answer_flags() {
  static const std::vector<Flag> flags{
      {"--output", 'o', "FILE", "file to write: table.csv, plot.svg, points.json, or a text"},
      {"--csv", 0, "", "print CSV"},
      {"--quantity", 0, "NAME", "of plot.svg: time (default), speedup or efficiency over p"},
      {"--contour", 0, "",
       "draw plot.svg as lines of equal time over two parameters that vary, the first one across"}};
  return flags;
}

Result<void> check_sweep_answer(const Invocation& invocation) {
  if (invocation.json() && invocation.has("--csv"))
    return Error{"--json and --csv exclude each other", "",
                 "give one of them; -o FILE writes another format besides"};
  if (invocation.has("--regions") && !invocation.json() &&
      !invocation.value("--output").value_or("").ends_with(".json"))
    return Error{"--regions is for JSON, and none is asked for", "", "add --json or -o points.json"};
  PARCAST_TRY(check_picture(invocation));
  PARCAST_TRY(check_quantity(invocation));
  return check_contour(invocation);
}

std::string picture(const Invocation& invocation, const std::vector<predict::Prediction>& points) {
  if (!invocation.has("--contour"))
    return report::sweep_svg(points, report::quantity_named(invocation.value("--quantity").value_or("time"))
                                         .value_or(report::Quantity::time));
  const std::vector<std::string> varied = invocation.values("--vary");
  return report::contour_svg(points, varied_name(varied[0]), varied_name(varied[1]));
}

int deliver_sweep(const Invocation& invocation, const std::vector<predict::Prediction>& points,
                  const report::Style& style, const explain::Standings& standings) {
  const std::string file = invocation.value("--output").value_or("");
  if (!file.empty())
    if (const auto written = write_file(file, file_content(invocation, file, points, standings)); !written)
      return say_error(written.error()), kFailed;
  if (invocation.json()) {
    print_result(report::sweep_to_json(points, standings, invocation.has("--regions")));
  } else if (invocation.has("--csv")) {
    print_data(report::sweep_csv(points, standings));
  } else if (file.empty()) {
    print_result(report::sweep_text(points, style, standings));
  }
  report::Style plain = style;
  plain.color = false;  // messages show escape sequences as text
  if (!file.empty() && !invocation.quiet())
    print_message("parcast: " + report::counted(static_cast<std::int64_t>(points.size()), "point") + " in " +
                  file + "\n" + report::sweep_warnings(points, plain));
  int code = kAnswered;
  for (const predict::Prediction& point : points) code = std::max(code, exit_code_of(point.warnings));
  return code;
}

}  // namespace parcast::cli
