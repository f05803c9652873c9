// SPDX-License-Identifier: Apache-2.0
#pragma once
// Facts of a program, collected by the compiler pass and stored in the program's own files
// (docs/formats/facts.md). Each function has its control-flow graph with the counted arcs, the operations of
// its blocks, the iteration counts of its loops, and the arithmetic that these depend on.

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
  // constants, and values that come from elsewhere
  integer,
  real,
  argument,
  load,
  call,
  unknown,
  // on integers modulo 2^bits
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
  // on floating-point numbers
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
  Operation operation = Operation::unknown;
  unsigned bits = 0;
  std::vector<NodeNumber> operands;
  std::int64_t number =
      0;  // value of an integer, number of an argument, loop of a recurrence, offset of a place in bytes
  double value = 0;  // value of a real
  std::string name;  // of a call, a global or a type; the predicate of a comparison; a text
};

struct SourceLine {
  std::string file;
  int line = 0;
};

/// Exception types, identified by the names of their C++ type descriptors.
struct Types {
  std::set<std::string> names;
  bool others = true;  // thrown: unknown handlers may also take it; taken: every exception is taken
  friend auto operator<=>(const Types&, const Types&) = default;
};

struct Block {
  std::vector<SourceLine> at;                      // the innermost inlined place first
  std::optional<int> loop;                         // innermost
  std::map<std::string, std::int64_t> operations;  // class -> number per execution
  PackedOperations packed = {};                    // in the final code, where known
  std::optional<Types> takes = {};  // exceptions taken by the handlers at the beginning of the block
};

struct Loop {
  int head = 0;
  std::optional<int> in;  // the enclosing loop
  std::vector<SourceLine> at;
  std::optional<NodeNumber> rounds;  // times that the back edge is taken per entry
  std::vector<NodeNumber> perhaps;   // the same from a single exit comparison, where nothing is proved
  bool whole = false;                // left only at its exits
  std::optional<int> width;          // rounds done by one instruction of the final code; empty: unknown
  std::optional<int> interleave;     // such instructions of each kind in flight together
  // for OpenMP: the schedule that distributes the rounds to the threads of a team
  std::optional<std::string> shared;
  bool chunks = false;  // for a shared loop: its rounds are chunks of rounds of the loop inside it
};

struct Branch {
  int block = 0;
  std::string predicate;
  NodeNumber left = 0, right = 0;
  int so = 0, otherwise = 0;  // target blocks
};

struct Call {
  int block = 0;
  std::vector<SourceLine> at;
  std::optional<std::string> to;  // empty: indirect
  std::vector<std::optional<NodeNumber>> arguments;
  std::optional<NodeNumber> gives;
  // arguments that point at a computed distance into the object at a place
  std::vector<std::pair<std::size_t, NodeNumber>> within = {};
  std::optional<Types> throws = {};  // for a call that throws an object: its type and the base types
};

struct Store {
  int block = 0;
  NodeNumber place = 0, value = 0;
};

/// The block writes somewhere in the object at that place, other than by a known store: to an element, or to
/// a part of another size.
struct Overwrite {
  int block = 0;
  NodeNumber place = 0;
};

struct Probe {
  NodeNumber node = 0;
  std::uint64_t probe = 0;  // number of the probe in the module
};

/// What a block of a loop reads and writes of an array per execution: bytes from base + offset + low up to
/// high.
struct Reference {
  int block = 0;
  int base = 0;                     // references with equal numbers access one array in this function
  std::optional<NodeNumber> array;  // place of the array; empty if the base changes in the loops
  std::optional<int> changes;       // innermost loop in which the base changes
  // in the rounds of the enclosing loops; empty if it does not advance evenly
  std::optional<NodeNumber> offset;
  std::int64_t low = 0, high = 0;
  std::int64_t loaded = 0, stored = 0;
};

struct Function {
  std::string name;
  // several files have a function of that name; the linker takes any of them, or one that it must take
  bool merged = false;
  bool variadic = false;  // takes more arguments than it names
  SourceLine at;
  // identifies a block across builds, together with the function's name and the block's number
  std::string shape;
  std::vector<Arc> arcs;                               // costs are not set
  std::vector<std::optional<std::uint64_t>> counters;  // of the arcs
  // arcs that return from a call at the end of a block -> number of that block
  std::map<std::size_t, int> invoked;
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  std::vector<Branch> branches;
  std::set<int> by_data;  // blocks at which data decide the next block; all blocks if the facts have no list
  std::vector<Call> calls;
  std::vector<Store> stores;
  std::vector<Overwrite> overwrites;
  std::vector<Reference> references;
  std::vector<NodeNumber> returns;
  std::vector<Probe> probes;
  std::vector<Node> nodes;

  Point points() const { return 1 + 2 * static_cast<Point>(blocks.size()); }
};

/// Returns the number of arguments that a function uses: 1 + the highest argument number in its nodes.
std::size_t arguments_of(const Function& function);

/// A call that starts a team of OpenMP threads: the function that each thread calls, and the index of the
/// argument that this function receives as its third. Its first two arguments identify the thread.
struct Forked {
  std::string to;
  std::size_t third = 0;
};
std::optional<Forked> forked_by(const Function& function, const Call& call);

/// Returns a text like "swe.c:120": the innermost place in the object's own source file, or the innermost
/// place at all if there is none there. Without any place it returns the file's name.
std::string place_of(const std::vector<SourceLine>& at, const std::string& source);

struct Module {
  std::uint64_t id = 0;
  std::string source;
  std::uint64_t counters = 0, probes = 0;
  std::vector<Function> functions;
  std::map<std::string, std::string> aliases;  // other names of functions in the module
  // functions of this or another module that unknown code may call through their addresses
  std::vector<std::string> taken;
};

/// Reads the records of a section parcast_facts in order; records with equal ids are returned once. An error
/// names the record and what is wrong with it. Inconsistent numbers are errors too: a node that refers to a
/// later node, a counter beyond the module's counters.
Result<std::vector<Module>> read_facts(std::string_view section, const std::string& where);

/// Returns the executions of the function's blocks from the counters of its module, modulo 2^64.
std::vector<std::uint64_t> block_executions(const Function& function,
                                            const std::vector<std::uint64_t>& counters);
/// Returns the executions of the function's arcs; empty for arcs that are not countable.
std::vector<std::optional<std::uint64_t>> arc_executions(const Function& function,
                                                         const std::vector<std::uint64_t>& counters);

std::string_view name_of(Operation operation);
/// Returns the smallest number of operands of an operation that computes a value, or of a load.
std::size_t least_operands(Operation operation);

}  // namespace parcast::facts
