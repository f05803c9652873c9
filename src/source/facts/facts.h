// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the compiler pass knows of a program, as it stands in the program's own files (docs/formats/facts.md):
// per function its control-flow graph with the arcs that are counted, what its blocks do, how often its loops
// go round, and the arithmetic behind that.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "source/facts/counting_plan.h"
#include "source/facts/packed.h"

namespace parcast::facts {

enum class Operation {
  // constants, and what comes from elsewhere
  integer,
  real,
  argument,
  load,
  call,
  untold,
  // of whole numbers modulo 2^bits
  recurrence,
  add,
  sub,
  mul,
  udiv,
  sdiv,
  urem,
  srem,
  shl,
  lshr,
  ashr,
  bit_and,
  bit_or,
  bit_xor,
  umax,
  smax,
  umin,
  smin,
  abs,
  select,
  compare,
  freeze,
  // conversions to `bits`
  trunc,
  zext,
  sext,
  fptosi,
  fptoui,
  sitofp,
  uitofp,
  fpext,
  fptrunc,
  bitcast,
  // of floating-point numbers
  fadd,
  fsub,
  fmul,
  fdiv,
  frem,
  fneg,
  fmuladd,
  floor,
  ceil,
  ftrunc,
  rint,
  round,
  sqrt,
  fabs,
  fmin,
  fmax,
  log,
  log2,
  exp,
  pow,
  // places in memory
  global,
  behind,
  local,
  at,
  pointed,
  field,
  text,
  somewhere,
};

using NodeNumber = std::int32_t;

struct Node {
  Operation operation = Operation::untold;
  unsigned bits = 0;
  std::vector<NodeNumber> operands;
  std::int64_t number =
      0;  // an integer's value, an argument's number, a recurrence's loop, a place's offset in bytes
  double value = 0;  // of a real
  std::string name;  // of a call, a global, a type; a comparison's predicate; a text
};

struct SourceLine {
  std::string file;
  int line = 0;
};

/// Of exceptions, by the names of their descriptors in C++.
struct Types {
  std::set<std::string> names;
  bool others = true;  // thrown: some that are not told may take it, too; taken: whatever is thrown is taken
  friend auto operator<=>(const Types&, const Types&) = default;
};

struct Block {
  std::vector<SourceLine> at;                      // the innermost inlined place first
  std::optional<int> loop;                         // innermost
  std::map<std::string, std::int64_t> operations;  // class -> per execution
  PackedOperations packed = {};                    // in the final code, as far as it is told
  std::optional<Types> takes = {};                 // what handlers take that it begins with
};

struct Loop {
  int head = 0;
  std::optional<int> in;  // the loop around it
  std::vector<SourceLine> at;
  std::optional<NodeNumber> rounds;  // of the way back to the head, at each entry
  std::vector<NodeNumber> perhaps;   // the same by one comparison that ends it, where nothing is proved
  bool whole = false;                // left at its exits alone
  std::optional<int> width;          // rounds that one instruction of the final code does; none: untold
  std::optional<int> interleave;     // such instructions of each kind that are under way together
  std::optional<std::string> shared; // of OpenMP: the schedule by which a team's threads share out the rounds
  bool chunks = false;               // of a shared one: its rounds are chunks of those of the loop in it
};

struct Branch {
  int block = 0;
  std::string predicate;
  NodeNumber left = 0, right = 0;
  int so = 0, otherwise = 0;  // blocks
};

struct Call {
  int block = 0;
  std::vector<SourceLine> at;
  std::optional<std::string> to;  // none: indirect
  std::vector<std::optional<NodeNumber>> arguments;
  std::optional<NodeNumber> gives;
  std::vector<std::pair<std::size_t, NodeNumber>> within = {};  // arguments that lead somewhere into the object at a place
  std::optional<Types> throws = {};  // of one that throws an object: its type and those that it is derived from
};

struct Store {
  int block = 0;
  NodeNumber place = 0, value = 0;
};

/// Somewhere in the object at that place something is written that no store tells: an element, a part of another size.
struct Overwrite {
  int block = 0;
  NodeNumber place = 0;
};

struct Probe {
  NodeNumber node = 0;
  std::uint64_t probe = 0;  // its number in the module
};

/// What a block of a loop reads and writes of an array, per execution: bytes from base + offset + low up to high.
struct Reference {
  int block = 0;
  int base = 0;                      // equal numbers: one array, in this function
  std::optional<NodeNumber> array;   // the place that it is; none where the base changes in the loops
  std::optional<int> changes;        // the innermost loop in which it does
  std::optional<NodeNumber> offset;  // in the rounds of the loops around; none where it does not advance evenly
  std::int64_t low = 0, high = 0;
  std::int64_t loaded = 0, stored = 0;
};

struct Function {
  std::string name;
  bool merged = false;    // of several files that have one of that name the linker takes any, or one that must be taken
  bool variadic = false;  // it takes more arguments than it names
  SourceLine at;
  std::string shape;      // with name and number it identifies a block across builds
  std::vector<Arc> arcs;  // costs are not told
  std::vector<std::optional<std::uint64_t>> counters;  // of the arcs
  std::map<std::size_t, int> invoked;  // arcs that come back from a call at the end of a block: its number
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<Branch> branches;
  std::set<int> by_data;  // blocks from which data decide the way on; all of them where the facts do not say
  std::vector<Call> calls;
  std::vector<Store> stores;
  std::vector<Overwrite> overwrites;
  std::vector<Reference> references;
  std::vector<NodeNumber> returns;
  std::vector<Probe> probes;
  std::vector<Node> nodes;

  Point points() const { return 1 + 2 * static_cast<Point>(blocks.size()); }
};

/// How many arguments a function has, as far as it uses them.
std::size_t arguments_of(const Function& function);

/// Of a call that starts a team of OpenMP's threads: the function that each of these calls, and which of the call's arguments is its
/// third; the first two tell the thread.
struct Forked {
  std::string to;
  std::size_t third = 0;
};
std::optional<Forked> forked_by(const Function& function, const Call& call);

/// "swe.c:120": the innermost place in the object's own source file, else the innermost of all; the file's name where
/// there is none.
std::string place_of(const std::vector<SourceLine>& at, const std::string& source);

struct Module {
  std::uint64_t id = 0;
  std::string source;
  std::uint64_t counters = 0, probes = 0;
  std::vector<Function> functions;
  std::map<std::string, std::string> aliases;  // other names of functions of it
  std::vector<std::string> taken;              // functions, its own and others, by whose addresses something else may call them
};

/// The records of a section parcast_facts, in its order; records of one id once. An error says which record
/// and what is wrong with it; numbers that do not fit together (a node that refers to a later one, a counter
/// beyond the module's) are errors too.
Result<std::vector<Module>> read_facts(std::string_view section, const std::string& where);

/// Executions of the function's blocks from the counters of its module, modulo 2^64.
std::vector<std::uint64_t> block_executions(const Function& function,
                                            const std::vector<std::uint64_t>& counters);
/// Of its arcs; nothing for those that are not countable.
std::vector<std::optional<std::uint64_t>> arc_executions(const Function& function,
                                                         const std::vector<std::uint64_t>& counters);

std::string_view name_of(Operation operation);
/// Of what computes a value from others, and of a load.
std::size_t least_operands(Operation operation);

}  // namespace parcast::facts
