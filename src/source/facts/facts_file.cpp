// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/json_nesting.h"
#include "source/facts/facts.h"

namespace parcast::facts {
namespace {

using nlohmann::json;

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct OperationName {
  std::string_view name;
  Operation operation;
};
constexpr std::array kNames{
    OperationName{"int", Operation::integer},
    OperationName{"float", Operation::real},
    OperationName{"argument", Operation::argument},
    OperationName{"load", Operation::load},
    OperationName{"call", Operation::call},
    OperationName{"untold", Operation::unknown},
    OperationName{"recurrence", Operation::recurrence},
    OperationName{"add", Operation::add},
    OperationName{"sub", Operation::sub},
    OperationName{"mul", Operation::mul},
    OperationName{"udiv", Operation::udiv},
    OperationName{"sdiv", Operation::sdiv},
    OperationName{"urem", Operation::urem},
    OperationName{"srem", Operation::srem},
    OperationName{"shl", Operation::shl},
    OperationName{"lshr", Operation::lshr},
    OperationName{"ashr", Operation::ashr},
    OperationName{"and", Operation::bit_and},
    OperationName{"or", Operation::bit_or},
    OperationName{"xor", Operation::bit_xor},
    OperationName{"umax", Operation::umax},
    OperationName{"smax", Operation::smax},
    OperationName{"umin", Operation::umin},
    OperationName{"smin", Operation::smin},
    OperationName{"abs", Operation::abs},
    OperationName{"select", Operation::select},
    OperationName{"freeze", Operation::freeze},
    OperationName{"trunc", Operation::trunc},
    OperationName{"zext", Operation::zext},
    OperationName{"sext", Operation::sext},
    OperationName{"fptosi", Operation::fptosi},
    OperationName{"fptoui", Operation::fptoui},
    OperationName{"sitofp", Operation::sitofp},
    OperationName{"uitofp", Operation::uitofp},
    OperationName{"fpext", Operation::fpext},
    OperationName{"fptrunc", Operation::fptrunc},
    OperationName{"bitcast", Operation::bitcast},
    OperationName{"fadd", Operation::fadd},
    OperationName{"fsub", Operation::fsub},
    OperationName{"fmul", Operation::fmul},
    OperationName{"fdiv", Operation::fdiv},
    OperationName{"frem", Operation::frem},
    OperationName{"fneg", Operation::fneg},
    OperationName{"fmuladd", Operation::fmuladd},
    OperationName{"floor", Operation::floor},
    OperationName{"ceil", Operation::ceil},
    OperationName{"ftrunc", Operation::ftrunc},
    OperationName{"rint", Operation::rint},
    OperationName{"round", Operation::round},
    OperationName{"sqrt", Operation::sqrt},
    OperationName{"fabs", Operation::fabs},
    OperationName{"fmin", Operation::fmin},
    OperationName{"fmax", Operation::fmax},
    OperationName{"log", Operation::log},
    OperationName{"log2", Operation::log2},
    OperationName{"exp", Operation::exp},
    OperationName{"pow", Operation::pow},
    OperationName{"global", Operation::global},
    OperationName{"behind", Operation::behind},
    OperationName{"local", Operation::local},
    OperationName{"at", Operation::at},
    OperationName{"pointed", Operation::pointed},
    OperationName{"field", Operation::field},
    OperationName{"text", Operation::text},
    OperationName{"somewhere", Operation::somewhere},
};
constexpr std::string_view kComparison = "icmp ";

Operation operation_called(std::string_view name) {
  if (name.starts_with(kComparison)) return Operation::compare;
  for (const OperationName& known : kNames)
    if (known.name == name) return known.operation;
  throw Wrong(fmt::format("operation {} is not known", name));
}

double real_of(unsigned bits, const std::string& digits) {
  std::uint64_t pattern = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pattern, 16);
  if (error != std::errc{} || end != digits.data() + digits.size())
    throw Wrong("a constant is no number in hexadecimal digits");
  if (bits == 64) return std::bit_cast<double>(pattern);
  if (bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  throw Wrong(fmt::format("a floating-point constant of {} bits", bits));
}

class FunctionReader {
 public:
  FunctionReader(const json& source, std::uint64_t counters, std::uint64_t probes)
      : source_(source), counters_(counters), probes_(probes) {}

  Function read() {
    function_.name = source_.at("name");
    function_.merged = source_.value("merged", false);
    function_.variadic = source_.value("variadic", false);
    if (source_.contains("at")) function_.at = {source_["at"].at(0), source_["at"].at(1)};
    function_.shape = source_.at("shape");
    for (const json& row : source_.value("nodes", json::array())) read_node(row);
    for (const json& row : source_.at("blocks")) read_block(row);
    if (function_.blocks.empty()) throw Wrong("a function without blocks");
    for (const json& row : source_.value("loops", json::array())) read_loop(row);
    for (const json& row : source_.at("arcs")) read_arc(row);
    for (const json& row : source_.value("invoked", json::array())) {
      const std::size_t arc = row.at(0);
      if (arc < function_.blocks.size() || arc >= function_.arcs.size())
        throw Wrong(fmt::format("arc {} is none between blocks", arc));
      function_.invoked[arc] = block(row.at(1));
    }
    check_references();
    for (const json& row : source_.value("branches", json::array()))
      function_.branches.push_back({block(row.at(0)), row.at(1), node(row.at(2)), node(row.at(3)),
                                    block(row.at(4)), block(row.at(5))});
    if (source_.contains("by_data"))
      for (const json& number : source_["by_data"]) function_.by_data.insert(block(number));
    else
      for (int number = 0; number < static_cast<int>(function_.blocks.size()); ++number)
        function_.by_data.insert(number);
    for (const json& row : source_.value("calls", json::array())) read_call(row);
    for (const json& row : source_.value("stores", json::array()))
      function_.stores.push_back({block(row.at(0)), node(row.at(1)), node(row.at(2))});
    for (const json& row : source_.value("overwrites", json::array()))
      function_.overwrites.push_back({block(row.at(0)), node(row.at(1))});
    for (const json& row : source_.value("references", json::array())) read_reference(row);
    for (const json& row : source_.value("returns", json::array())) function_.returns.push_back(node(row));
    for (const json& row : source_.value("probes", json::array())) {
      const std::uint64_t number = row.at(1);
      if (number >= probes_) throw Wrong(fmt::format("probe {} of {}", number, probes_));
      function_.probes.push_back({node(row.at(0)), number});
    }
    return std::move(function_);
  }

 private:
  NodeNumber node(const json& number) const {
    const NodeNumber value = number;
    if (value < 0 || static_cast<std::size_t>(value) >= function_.nodes.size())
      throw Wrong(fmt::format("node {} is not there", value));
    return value;
  }
  int block(const json& number) const {
    const int value = number;
    if (value < 0 || static_cast<std::size_t>(value) >= function_.blocks.size())
      throw Wrong(fmt::format("block {} is not there", value));
    return value;
  }
  static std::vector<SourceLine> lines(const json& rows) {
    std::vector<SourceLine> lines;
    for (const json& row : rows) lines.push_back({row.at(0), row.at(1)});
    return lines;
  }

  static Types types(const json& row) {
    if (!row.is_array()) throw Wrong("types of exceptions that are no list");
    Types read{{}, false};
    for (const json& name : row)
      if (name.is_null())
        read.others = true;
      else
        read.names.insert(name.get<std::string>());
    return read;
  }

  // The operation determines which entries of a row are numbers of nodes.
  void read_node(const json& row) {
    Node read;
    const std::string name = row.at(0);
    read.operation = operation_called(name);
    const auto operands_from = [&](std::size_t first) {
      for (std::size_t i = first; i < row.size(); ++i) read.operands.push_back(node(row[i]));
    };
    switch (read.operation) {
      case Operation::integer:
        read.bits = row.at(1);
        if (!row.at(2).is_number_integer())
          read.operation = Operation::unknown;  // more than 64 bits
        else
          read.number = row[2];
        break;
      case Operation::real:
        read.bits = row.at(1);
        read.value = read.bits == 64 || read.bits == 32 ? real_of(read.bits, row.at(2)) : 0;
        if (read.bits != 64 && read.bits != 32) read.operation = Operation::unknown;
        break;
      case Operation::argument:
        read.bits = row.at(1);
        read.number = row.at(2);
        break;
      case Operation::call:
      case Operation::recurrence:
        read.bits = row.at(1);
        if (read.operation == Operation::call)
          read.name = row.at(2);
        else
          read.number = row.at(2);
        operands_from(3);
        break;
      case Operation::global:
      case Operation::field:
        read.name = row.at(1);
        read.number = row.at(2);
        break;
      case Operation::behind:
        read.operands.clear();
        read.bits = row.at(1);  // number of the argument
        read.number = row.at(2);
        break;
      case Operation::local:
        read.number = row.at(1);
        break;
      case Operation::at:
      case Operation::pointed:
        read.operands.push_back(node(row.at(1)));
        read.number = row.at(2);
        break;
      case Operation::text:
        read.name = row.at(1);
        break;
      case Operation::somewhere:
        break;
      case Operation::unknown:
        read.bits = row.at(1);
        read.name = row.at(2);
        break;
      case Operation::compare:
        read.name = name.substr(kComparison.size());
        [[fallthrough]];
      default:
        read.bits = row.at(1);
        operands_from(2);
        if (read.operands.size() < least_operands(read.operation))
          throw Wrong(fmt::format("{} of {} values", name, read.operands.size()));
    }
    function_.nodes.push_back(std::move(read));
  }

  void read_block(const json& row) {
    Block read{lines(row.at("at")),
               std::nullopt,
               row.at("operations").get<std::map<std::string, std::int64_t>>(),
               {}};
    if (row.contains("loop")) read.loop = row["loop"].get<int>();
    if (row.contains("takes")) read.takes = types(row["takes"]);
    function_.blocks.push_back(std::move(read));
  }

  void read_loop(const json& row) {
    Loop read;
    read.head = block(row.at("head"));
    read.at = lines(row.at("at"));
    read.whole = row.value("whole", false);
    if (row.contains("in")) read.in = row["in"].get<int>();
    if (read.in && (*read.in < 0 || static_cast<std::size_t>(*read.in) >= function_.loops.size()))
      throw Wrong("a loop precedes the one around it");
    if (row.contains("rounds")) read.rounds = node(row["rounds"]);
    for (const json& each : row.value("perhaps", json::array())) read.perhaps.push_back(node(each));
    if (row.contains("shared")) read.shared = row["shared"].get<std::string>();
    read.chunks = row.value("chunks", false);
    function_.loops.push_back(std::move(read));
  }

  // Checks references to items that are read later.
  void check_references() const {
    if (function_.arcs.size() < function_.blocks.size()) throw Wrong("fewer arcs than blocks");
    for (const Block& block : function_.blocks)
      if (block.loop && (*block.loop < 0 || static_cast<std::size_t>(*block.loop) >= function_.loops.size()))
        throw Wrong(fmt::format("loop {} is not there", *block.loop));
  }

  void read_arc(const json& row) {
    Arc arc{row.at(0), row.at(1), 0, !(row.size() > 2 && row[2].is_null())};
    if (arc.from < 0 || arc.to < 0) throw Wrong("an arc leads to a point below 0");
    if (std::max(arc.from, arc.to) >= function_.points())
      throw Wrong("an arc leads to a point that is not there");
    std::optional<std::uint64_t> counter;
    if (row.size() > 2 && arc.countable) counter = row[2].get<std::uint64_t>();
    if (counter && *counter >= counters_) throw Wrong(fmt::format("counter {} of {}", *counter, counters_));
    function_.arcs.push_back(arc);
    function_.counters.push_back(counter);
  }

  void read_reference(const json& row) {
    Reference read{block(row.at(0)), row.at(1), std::nullopt, std::nullopt, std::nullopt,
                   row.at(4),        row.at(5), row.at(6),    row.at(7)};
    if (row.size() > 8) read.changes = row[8].get<int>();
    if (read.changes &&
        (*read.changes < 0 || static_cast<std::size_t>(*read.changes) >= function_.loops.size()))
      throw Wrong(fmt::format("loop {} is not there", *read.changes));
    if (!row.at(2).is_null()) read.array = node(row[2]);
    if (!row.at(3).is_null()) read.offset = node(row[3]);
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (read.low > 0 || read.high < 0 || read.low < -kMost || read.high > kMost || read.loaded < 0 ||
        read.loaded > kMost || read.stored < 0 || read.stored > kMost)
      throw Wrong("bytes of a reference that cannot be");
    function_.references.push_back(read);
  }

  void read_call(const json& row) {
    Call read{block(row.at("block")), lines(row.at("at")), std::nullopt, {}, std::nullopt, {}};
    if (row.contains("to")) read.to = row["to"].get<std::string>();
    for (const json& argument : row.at("arguments"))
      read.arguments.push_back(argument.is_null() ? std::nullopt : std::optional(node(argument)));
    if (row.contains("gives")) read.gives = node(row["gives"]);
    for (const json& each : row.value("within", json::array()))
      read.within.emplace_back(each.at(0).get<std::size_t>(), node(each.at(1)));
    if (row.contains("throws")) read.throws = types(row["throws"]);
    function_.calls.push_back(std::move(read));
  }

  const json& source_;
  const std::uint64_t counters_, probes_;
  Function function_;
};

std::int64_t between(const json& number, std::int64_t least, std::int64_t most, std::string_view what) {
  if (!number.is_number_integer() || number.get<std::int64_t>() < least || number.get<std::int64_t>() > most)
    throw Wrong(fmt::format("{} that cannot be: {}", what, number.dump()));
  return number;
}

template <class Item>
Item& numbered(std::vector<Item>& items, const json& number, std::string_view what) {
  return items[static_cast<std::size_t>(
      between(number, 0, static_cast<std::int64_t>(items.size()) - 1, what))];
}

// Reads how loops and blocks appear in the final code.
void read_final(Module& module, const json& source) {
  for (const json& row : source.value("loops", json::array())) {
    Loop& loop = numbered(numbered(module.functions, row.at(0), "a function").loops, row.at(1), "a loop");
    loop.width = static_cast<int>(between(row.at(2), 1, kWidest, "a width"));
    if (!row.at(3).is_null())
      loop.interleave = static_cast<int>(between(row[3], 1, kWidest, "an interleaving"));
  }
  for (const json& row : source.value("blocks", json::array())) {
    Block& block = numbered(numbered(module.functions, row.at(0), "a function").blocks, row.at(1), "a block");
    if (!row.at(2).is_object()) throw Wrong("what a block does together is no list by class");
    for (const auto& [name, pair] : row.at(2).items())
      block.packed[name] = {between(pair.at(0), 1, kMostPacked, "operations"),
                            between(pair.at(1), 0, kMostPacked, "instructions")};
  }
}

Module read_module(std::uint64_t id, const json& source) {
  Module module{id, source.at("source"), source.at("counters"), source.at("probes"), {}, {}, {}};
  for (const json& function : source.at("functions")) {
    try {
      module.functions.push_back(FunctionReader(function, module.counters, module.probes).read());
    } catch (const Wrong& wrong) {
      throw Wrong(
          fmt::format("{} in {}: {}", function.value("name", "a function"), module.source, wrong.what()));
    }
  }
  for (const json& row : source.value("aliases", json::array())) module.aliases[row.at(0)] = row.at(1);
  module.taken = source.value("taken", std::vector<std::string>());
  if (source.contains("final")) read_final(module, source["final"]);
  return module;
}

constexpr std::string_view kWord = "parcast-facts";

}  // namespace

std::string_view name_of(Operation operation) {
  for (const OperationName& known : kNames)
    if (known.operation == operation) return known.name;
  return operation == Operation::compare ? "icmp" : "?";
}

std::size_t least_operands(Operation operation) {
  switch (operation) {
    case Operation::select:
    case Operation::fmuladd:
      return 3;
    case Operation::sub:
    case Operation::udiv:
    case Operation::sdiv:
    case Operation::urem:
    case Operation::srem:
    case Operation::shl:
    case Operation::lshr:
    case Operation::ashr:
    case Operation::compare:
    case Operation::fadd:
    case Operation::fsub:
    case Operation::fmul:
    case Operation::fdiv:
    case Operation::frem:
    case Operation::fmin:
    case Operation::fmax:
    case Operation::pow:
      return 2;
    default:
      return 1;
  }
}

std::size_t arguments_of(const Function& function) {
  std::size_t arguments = 0;
  for (const Node& node : function.nodes)
    if (node.operation == Operation::argument)
      arguments = std::max(arguments, static_cast<std::size_t>(node.number) + 1);
  return arguments;
}

std::optional<Forked> forked_by(const Function& function, const Call& call) {
  const std::size_t third = call.to == "__kmpc_fork_call" ? 3 : call.to == "__kmpc_fork_call_if" ? 4 : 0;
  constexpr std::size_t kOutlined = 2;
  if (third == 0 || call.arguments.size() <= kOutlined || !call.arguments[kOutlined]) return std::nullopt;
  const Node& outlined = function.nodes[static_cast<std::size_t>(*call.arguments[kOutlined])];
  if (outlined.operation != Operation::global || outlined.number != 0) return std::nullopt;
  return Forked{outlined.name, third};
}

std::string place_of(const std::vector<SourceLine>& at, const std::string& source) {
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const auto own = std::ranges::find(at, source, &SourceLine::file);
  if (at.empty()) return name_of(source);
  const SourceLine& line = own == at.end() ? at.front() : *own;
  return name_of(line.file) + ":" + std::to_string(line.line);
}

Result<std::vector<Module>> read_facts(std::string_view section, const std::string& where) {
  std::vector<Module> modules;
  std::set<std::uint64_t> known;
  int record = 0;
  while (!section.empty()) {
    if (section.front() == '\0') {
      section.remove_prefix(1);
      continue;
    }
    ++record;
    const auto fail = [&](const std::string& what) {
      return Error{fmt::format("record {} of the compiler's facts: {}", record, what), where,
                   "compile and link the program again with parcast cc"};
    };
    const std::size_t line = std::min(section.find('\n'), section.size());
    std::uint64_t version = 0, id = 0, length = 0;
    std::string_view head = section.substr(0, line);
    const auto number = [&](std::uint64_t& value, int base) {
      if (head.empty() || head.front() != ' ') return false;
      const auto [end, error] = std::from_chars(head.data() + 1, head.data() + head.size(), value, base);
      head.remove_prefix(error == std::errc{} ? static_cast<std::size_t>(end - head.data()) : 0);
      return error == std::errc{};
    };
    if (!head.starts_with(kWord)) return fail("it does not begin with the word parcast-facts");
    head.remove_prefix(kWord.size());
    if (!number(version, 10)) return fail("its version is missing");
    if (version != 1) return fail(fmt::format("version {} was written by a newer Parcast", version));
    if (!number(id, 16) || !number(length, 10) || !head.empty()) return fail("its first line is damaged");
    if (section.size() - line < 2 || length > section.size() - line - 2) return fail("it is cut");
    const std::string_view body = section.substr(line + 1, length);
    section.remove_prefix(line + 2 + length);
    if (!known.insert(id).second) continue;
    if (const auto flat = check_json_nesting(body, where); !flat) return fail(flat.error().what);
    try {
      modules.push_back(
          read_module(id, json::parse(body, [](int, json::parse_event_t event, const json& value) {
                        if (event == json::parse_event_t::value && value.is_number_float())
                          throw Wrong("a number that is not whole");
                        return true;
                      })));
    } catch (const json::exception& wrong) {
      return fail(wrong.what());
    } catch (const Wrong& wrong) {
      return fail(wrong.what());
    }
  }
  return modules;
}

std::vector<std::optional<std::uint64_t>> arc_executions(const Function& function,
                                                         const std::vector<std::uint64_t>& counters) {
  std::vector<std::optional<std::uint64_t>> counted(function.arcs.size());
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (function.counters[i]) counted[i] = counters.at(*function.counters[i]);
  return all_flows(function.points(), function.arcs, counted);
}

std::vector<std::uint64_t> block_executions(const Function& function,
                                            const std::vector<std::uint64_t>& counters) {
  const std::vector<std::optional<std::uint64_t>> flows = arc_executions(function, counters);
  std::vector<std::uint64_t> executions;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) executions.push_back(flows[i].value_or(0));
  return executions;
}

}  // namespace parcast::facts
