// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text.h"
#include "interchange/goal_files.h"

namespace parcast::interchange {

Result<void> GoalRanks::check_all_there(const std::string& where) const {
  for (std::uint32_t rank = 0; rank < ranks(); ++rank)
    if (!has(rank))
      return Error{"rank " + std::to_string(rank) + " of " + std::to_string(ranks()) + " is missing", where,
                   "is the file whole?"};
  return {};
}

Result<void> GoalGraphImport::take(std::uint32_t rank, const GoalGraph& graph,
                                   const std::function<std::string(std::uint32_t)>&) {
  graph_.ranks[rank] = to_rank_graph(graph);
  return {};
}

Result<void> GoalImport::take(std::uint32_t rank, const GoalGraph& graph,
                              const std::function<std::string(std::uint32_t)>& where) {
  trace::RankBuilder words(*builder_, static_cast<std::int32_t>(rank));
  const GoalOrder order = put_in_order(graph, static_cast<std::int32_t>(rank), words);
  if (order.circular)
    return Error{"an operation of rank " + std::to_string(rank) +
                     " depends on itself, by way of those that it requires",
                 where(*order.circular), "dependencies must not go round in a circle"};
  if (const auto done = words.finish(); !done) return Error{done.error().what, where(0), done.error().hint};
  goal_.operations += graph.operations.size();
  goal_.dependencies += graph.dependencies.size();
  goal_.delayed += order.delayed;
  if (order.delayed > 0) ++delaying_ranks_;
  goal_.is_graph = goal_.is_graph || !order.only;
  if (order.delayed > most_delayed_) most_delayed_ = order.delayed, most_delaying_ = rank;
  note_processors(graph);
  return {};
}

void GoalImport::note_processors(const GoalGraph& graph) {
  if (graph.operations.empty()) return;
  const GoalOperation& first = graph.operations.front();
  const GoalOperation* message = nullptr;
  for (const GoalOperation& each : graph.operations) {
    if (each.cpu != first.cpu) several_processors_ = true;
    if (each.kind == GoalOperation::Kind::calculate) continue;
    if (!message) message = &each;
    if (each.nic != message->nic) several_interfaces_ = true;
  }
}

void GoalImport::note_assumptions() {
  auto& out = goal_.warnings;
  if (goal_.delayed > 0) {
    std::string text = "in GOAL " + format_integer(static_cast<long long>(goal_.delayed)) +
                       " operations could run earlier: they do not depend on all that is waited for before "
                       "them, but a rank of a trace "
                       "does one thing after the other";
    text += " (" + (delaying_ranks_ == 1
                        ? "all of them"
                        : format_integer(static_cast<long long>(delaying_ranks_)) + " ranks have such; " +
                              format_integer(static_cast<long long>(most_delayed_)) + " are");
    out.push_back(text + " of rank " + std::to_string(most_delaying_) + ")");
  }
  if (several_processors_)
    out.push_back("operations of a rank on several processors (cpu) are done one after the other, by one");
  if (several_interfaces_) out.push_back("the network interfaces (nic) of a rank are taken to be one");
  for (const std::string& each : out) builder_->assume(each);
}

ImportedGoal GoalImport::finish() {
  note_assumptions();
  goal_.is_graph = goal_.is_graph || several_processors_ || several_interfaces_;
  goal_.trace = builder_->finish();
  return std::move(goal_);
}

bool is_goal(std::string_view first) {
  std::uint64_t magic = 0;
  for (std::size_t i = std::min<std::size_t>(first.size(), 8); i-- > 0;)
    magic = magic << 8 | static_cast<unsigned char>(first[i]);
  if (first.size() >= 8 && (magic == kGoalMagic || magic == kGoalUsedUp)) return true;
  while (!first.empty()) {
    const std::size_t blank = first.find_first_not_of(" \t\r\n");
    first.remove_prefix(std::min(blank, first.size()));
    const std::string_view end = first.starts_with("//") ? "\n" : first.starts_with("/*") ? "*/" : "";
    if (end.empty()) return first.starts_with("num_ranks");
    const std::size_t at = first.find(end);
    first.remove_prefix(at == std::string_view::npos ? first.size() : at + end.size());
  }
  return false;
}

namespace {

/// Reads all ranks into `into`. Returns whether the file is binary.
Result<bool> read_ranks(const std::filesystem::path& path, GoalRanks& into, const Progress& progress) {
  std::array<char, 8> bytes{};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  if (file.gcount() == 0 && !file.eof())
    return Error{std::string("cannot be read: ") + (errno != 0 ? std::strerror(errno) : "no such file"),
                 path.string(), "check the path"};
  std::uint64_t first = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) first = first << 8 | static_cast<unsigned char>(bytes[i]);
  const auto got = static_cast<std::size_t>(file.gcount());
  if (got == bytes.size() && first == kGoalUsedUp)
    return Error{"this schedule was used up by a simulation", path.string(),
                 "make it anew with txt2bin; LogGOPSim without --save-mem leaves it whole"};
  // no text file begins with this byte
  const bool binary = got > 0 && bytes[0] == static_cast<char>(kGoalMagic & 0xff);
  PARCAST_TRY(binary ? read_goal_binary(path, into, progress) : read_goal_text(path, into, progress));
  PARCAST_TRY(into.check_all_there(path.string()));
  return binary;
}

}  // namespace

Result<ImportedGoal> read_goal(const std::filesystem::path& path, const Progress& progress) {
  GoalImport import(path.stem().string());
  PARCAST_ASSIGN(const bool binary, read_ranks(path, import, progress));
  ImportedGoal out = import.finish();
  out.binary = binary;
  if (const auto good = trace::check(out.trace); !good)
    return Error{good.error().what, path.string(), good.error().hint};
  return out;
}

Result<trace::OperationGraph> read_goal_graph(const std::filesystem::path& path, const Progress& progress) {
  GoalGraphImport import;
  PARCAST_TRY(read_ranks(path, import, progress));
  return import.finish();
}

}  // namespace parcast::interchange
