// SPDX-License-Identifier: Apache-2.0
#include "model/row_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "recording/site_text.h"

namespace parcast::program {
namespace {

/// Loops and conditions of the program's structure have no names: they are no regions.
bool is_loop(std::string_view label) {
  return label == "loop" || label.starts_with("loop#") || label.starts_with("repeat ") ||
         label.starts_with("ranks with ") ||
         (label.starts_with("every ") && label.find(" iteration") != std::string_view::npos);
}

/// Returns ", in a loop" or ", in loop 2" for the innermost loop.
std::string loop_text(const std::vector<std::string>& path) {
  if (path.empty() || !is_loop(path.back())) return "";
  const std::size_t number = path.back().rfind('#');
  return number == std::string::npos ? ", in a loop" : ", in loop " + path.back().substr(number + 1);
}

bool is_computing(std::string_view label) {
  return label == "computing" || label == "compute" || label.starts_with("compute ");
}

/// Removes the number among siblings with one label: "MPI_Isend#2".
std::string without_number(const std::string& label) {
  const std::size_t at = label.rfind('#');
  return at != std::string::npos && parse_integer(label.substr(at + 1)) ? label.substr(0, at) : label;
}

/// Returns what the computing lasts until: "before MPI_Bcast", "before the next region".
std::string end_of(const std::string& label) {
  if (label == "compute before parcast_region_begin") return "before the next region";
  if (label == "compute before parcast_region_end") return "before the region's end";
  return label.starts_with("compute ") ? label.substr(8) : "";
}

struct Lines {
  std::string file, numbers;  // "swe.c", "143-150"; without a file if there are two
};

Lines lines_of(const std::string& where) {
  const std::size_t colon = where.rfind(':');
  const bool has_lines = colon != std::string::npos && colon + 1 < where.size() &&
                         where.find_first_not_of("0123456789-", colon + 1) == std::string::npos;
  if (!has_lines || where.find(" - ") != std::string::npos) return {"", where};
  return {where.substr(0, colon), where.substr(colon + 1)};
}

/// A row's name in parts, from which names with more and more detail are made.
struct Parts {
  std::vector<std::string> path;  // of the regions and loops around it
  std::string what;               // "computing", "MPI_Send"
  std::string end;                // of computing: "before MPI_Send"
  std::string lines;              // ", lines 143-150"; empty if unknown
};

std::string lines_text(const RowPlace& row, const std::string& file) {
  const Lines lines = lines_of(row.where);
  if (lines.numbers.empty()) return "";
  if (lines.file.empty()) return ", " + short_place(row.where);
  if (lines.file != file) return ", " + row.where;
  const std::size_t dash = lines.numbers.find('-');
  if (dash == std::string::npos) return ", line " + lines.numbers;
  const auto first = parse_integer(lines.numbers.substr(0, dash)),
             last = parse_integer(lines.numbers.substr(dash + 1));
  // From the end of a loop to its start.
  if (first && last && *first > *last)
    return ", line " + std::to_string(*first) + " to line " + std::to_string(*last);
  return ", lines " + lines.numbers;
}

Parts parts_of(const RowPlace& row, const std::string& file) {
  Parts out;
  out.path = split(row.path, '/');
  const std::string last = out.path.back();
  out.path.pop_back();
  const std::string plain = without_number(last);
  out.what = is_computing(plain) ? "computing" : plain;
  if (is_computing(plain)) out.end = end_of(plain);
  out.lines = lines_text(row, file);
  return out;
}

std::string innermost_region(const Parts& parts, const std::string& program) {
  const auto at = std::find_if(parts.path.rbegin(), parts.path.rend(),
                               [](const std::string& label) { return !is_loop(label); });
  return at == parts.path.rend() ? program : without_number(*at);
}

/// Returns the name at a level of detail from 0 to 3.
std::string name_at(const Parts& parts, const std::string& program, int detail) {
  if (parts.path.empty() && parts.what.find(": ") != std::string::npos) return parts.what;  // a complete name
  const std::string region = detail < 3 || std::ranges::all_of(parts.path, is_loop)
                                 ? innermost_region(parts, program)
                                 : join(parts.path, "/");
  const bool with_end = !parts.end.empty() && (parts.lines.empty() || detail > 0);
  return region + ": " + parts.what + (with_end ? " " + parts.end : "") +
         (detail > 1 ? loop_text(parts.path) : "") + parts.lines;
}

constexpr int kMostDetail = 3;

/// Gives rows with equal names more detail, and in the end a number.
void make_distinct(const std::vector<Parts>& parts, const std::string& program,
                   std::vector<std::string>& names) {
  for (int detail = 1; detail <= kMostDetail; ++detail) {
    std::map<std::string, int> times;
    for (const std::string& name : names) ++times[name];
    for (std::size_t i = 0; i < names.size(); ++i)
      if (times[names[i]] > 1) names[i] = name_at(parts[i], program, detail);
  }
  std::map<std::string, int> number;
  for (std::string& name : names)
    if (const int n = ++number[name]; n > 1) name += " #" + std::to_string(n);
}

/// Returns nothing for a place in parcast.h, whose lines are no user's, and the function alone where no line
/// is known: the calls around computing describe it better than their addresses.
std::string in_program(const std::string& where) {
  return lines_of(where).file == "parcast.h" ? "" : recording::without_address(where);
}

const Node* node_at(const Model& model, NodeId id) {
  return id >= 0 && static_cast<std::size_t>(id) < model.nodes.size()
             ? &model.nodes[static_cast<std::size_t>(id)]
             : nullptr;
}

std::string name_among_siblings(const Model& model, const Node& node) {
  const std::string label = node.label.empty() && node.kind == NodeKind::loop ? "loop" : node.label;
  int number = 0;
  if (const Node* parent = node_at(model, node.parent))
    for (const NodeId sibling : parent->children) {
      const Node* other = node_at(model, sibling);
      number += other && other->label == node.label ? 1 : 0;
      if (sibling == node.id) break;
    }
  return label + (number > 1 ? "#" + std::to_string(number) : "");
}

}  // namespace

std::string path_of(const Model& model, NodeId id) {
  std::string path;
  while (id > 0) {
    const Node* node = node_at(model, id);
    if (!node) break;
    const std::string name = name_among_siblings(model, *node);
    path = path.empty() ? name : name + "/" + path;
    id = node->parent;
  }
  return path;
}

RowPlace place_of(const Model& model, const Segment& segment) {
  const Node *from = node_at(model, segment.from), *to = node_at(model, segment.to);
  const std::string owner = path_of(model, segment.owner);
  const std::string label = !to     ? "compute to the end"
                            : !from ? "compute from the start"
                                    : "compute before " + to->label;
  return {owner.empty() ? label : owner + "/" + label,
          lines_between(from ? from->where : "", to ? to->where : "")};
}

std::string row_name(const Model& model, const Segment& segment) {
  const RowPlace place = place_of(model, segment);
  return row_names(std::span(&place, 1), model.program).front();
}

std::string name_in_region(const RowPlace& row, const std::string& file) {
  const Parts parts = parts_of(row, file);
  return parts.what + (parts.lines.empty() && !parts.end.empty() ? " " + parts.end : "") + parts.lines;
}

std::string short_place(const std::string& where) {
  const std::size_t dash = where.find(" - ");
  if (dash != std::string::npos) {
    const std::string from = short_place(where.substr(0, dash)), to = short_place(where.substr(dash + 3));
    return from == to ? from : from + " - " + to;
  }
  return recording::without_parameters(where);
}

std::string lines_between(const std::string& begin, const std::string& end) {
  const std::string from = in_program(begin), to = in_program(end);
  if (from.empty() || to.empty() || from == to) return from.empty() ? to : from;
  const Lines first = lines_of(from), last = lines_of(to);
  return !first.file.empty() && first.file == last.file ? from + "-" + last.numbers : from + " - " + to;
}

std::string common_file(std::span<const RowPlace> rows) {
  std::set<std::string> files;
  for (const RowPlace& row : rows)
    if (!row.where.empty()) files.insert(lines_of(row.where).file);
  return files.size() == 1 ? *files.begin() : "";
}

std::vector<std::string> row_names(std::span<const RowPlace> rows, const std::string& program) {
  const std::string file = common_file(rows);
  std::vector<Parts> parts;
  std::vector<std::string> names;
  for (const RowPlace& row : rows) {
    parts.push_back(parts_of(row, file));
    names.push_back(name_at(parts.back(), program, 0));
  }
  make_distinct(parts, program, names);
  return names;
}

}  // namespace parcast::program
