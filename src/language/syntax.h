// SPDX-License-Identifier: Apache-2.0
#pragma once
// The syntax tree of a written program: its head, and a tree of statements. Expressions contain the model's
// symbols, the indices of the surrounding loops, and prices (model/prices.h). docs/formats/program.md.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "language/source.h"
#include "model/model.h"
#include "symbolic/expression.h"

namespace parcast::program::written {

using symbolic::Expression;

/// The values of an index: first, first + stride, ..., `count` integers.
struct Range {
  Expression index;  // a symbol of kind loop_index; zero: no index
  Expression first = 0, stride = 1, count = 0;
  Expression power;                        // the symbol for 2^index in sizes; zero: none
  std::optional<Expression> two_to_count;  // 2^count, if known without powers: rounds k = 0..log2(X)-1
};

/// The seconds of one `compute`.
struct Amount {
  Expression seconds = 0;
  double relative_error = 0;  // standard error as a fraction
  bool measured = false;
};

/// The condition under which the body of an `if` is executed.
struct Condition {
  std::optional<Guard> guard;         // if a guard can express it
  Expression indicator = 1;           // 1 where it holds, else 0
  std::optional<double> probability;  // then the indicator has this value
};

struct Statement {
  enum class Kind {
    compute,
    loop,       // repeat, for, parallel do, rounds
    condition,  // if, host, nodes; `otherwise` is the else
    region,
    call,       // of the definition `label`
    operation,  // one of the operations below
  };
  enum class Operation { send, receive, start_send, start_receive, wait, exchange, collective };
  Kind kind = Kind::compute;
  Position at;
  std::string word;   // the word at its beginning: "repeat", "parallel do"
  std::string label;  // the label in quotes; of a region or call, its name
  std::vector<Statement> body, otherwise;
  std::vector<Amount> amounts;  // compute
  Range range;                  // loop
  Condition condition;
  Operation operation = Operation::send;
  Partner partner, source;           // for an exchange that receives from another rank: source
  std::optional<Expression> places;  // for a partner that changes from round to round: messages in all rounds
  Tag tag;
  Expression bytes = 0;  // of the message; of a collective, as recording::collective_volume
  recording::Pattern pattern = recording::Pattern::none;
  Members members;
  Expression member_count = 1;
  Expression root = 0;
  std::optional<std::int32_t> fixed_root;  // world rank, if it is the same everywhere
};

struct Definition {
  Position at;
  std::vector<Statement> body;
};

struct Program {
  std::string name, measured_on;
  std::vector<Parameter> parameters;
  bool host = false;  // rank 0 is the host, the other ranks are the nodes
  int grid_dimensions = 0;
  std::uint8_t periodic = 0;            // bit k: dimension k is periodic
  std::optional<Expression> footprint;  // bytes of the declared data per process
  std::vector<Statement> body;
  std::map<std::string, Definition> definitions;
};

}  // namespace parcast::program::written
