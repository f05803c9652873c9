// SPDX-License-Identifier: Apache-2.0
#pragma once
// A written program as it was read: its head, and a tree of statements whose expressions stand in the model's symbols, the
// indices of the loops around them, and prices (model/prices.h). docs/formats/program.md.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "language/source.h"
#include "model/model.h"
#include "symbolic/expression.h"

namespace parcast::program::written {

using symbolic::Expression;

/// How an index goes through whole numbers: first, first + stride, ..., `count` of them.
struct Range {
  Expression index;                       // a symbol of kind loop_index; zero: there is none
  Expression first = 0, stride = 1, count = 0;
  Expression power;                       // the symbol that stands for 2^index in sizes; zero: none
  std::optional<Expression> two_to_count; // 2^count, where it is known without powers: rounds k = 0..log2(X)-1
};

/// Seconds of one `compute`.
struct Amount {
  Expression seconds = 0;
  double relative_error = 0;              // standard error, as a fraction
  bool measured = false;
};

/// When the body of an `if` is executed.
struct Condition {
  std::optional<Guard> guard;             // where one says it
  Expression indicator = 1;               // 1 where it holds, else 0
  std::optional<double> probability;      // then the indicator is that
};

struct Statement {
  enum class Kind {
    compute,
    loop,       // repeat, for, parallel do, rounds
    condition,  // if, host, nodes; `otherwise` is the else
    region,
    call,       // of a definition, `label`
    operation,  // of operations below
  };
  enum class Operation { send, receive, start_send, start_receive, wait, exchange, collective };
  Kind kind = Kind::compute;
  Position at;
  std::string word;                       // it begins with: "repeat", "parallel do"
  std::string label;                      // what a person calls it; of a region and a call its name
  std::vector<Statement> body, otherwise;
  std::vector<Amount> amounts;            // compute
  Range range;                            // loop
  Condition condition;
  Operation operation = Operation::send;
  Partner partner, source;                // of an exchange that receives from another: source
  std::optional<Expression> places;       // a partner that changes from round to round: messages in all rounds
  Tag tag;
  Expression bytes = 0;                   // of the message; of a collective as recording::collective_volume
  recording::Pattern pattern = recording::Pattern::none;
  Members members;
  Expression member_count = 1;
  Expression root = 0;
  std::optional<std::int32_t> fixed_root; // world rank, where it is one and the same
};

struct Definition {
  Position at;
  std::vector<Statement> body;
};

struct Program {
  std::string name, measured_on;
  std::vector<Parameter> parameters;
  bool host = false;                      // rank 0 is the host, the others the nodes
  int grid_dimensions = 0;
  std::uint8_t periodic = 0;              // bit k: dimension k is
  std::optional<Expression> footprint;    // bytes of the declared data per process
  std::vector<Statement> body;
  std::map<std::string, Definition> definitions;
};

}  // namespace parcast::program::written
