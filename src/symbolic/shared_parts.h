// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names the parts that occur several times in expressions, so that people can read these.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbolic/expression.h"

namespace parcast::symbolic {

struct NamedPart {
  Expression name;  // a symbol
  Expression value;
};

/// Replaces parts that occur at least twice in `values` together, and whose readable text has at least
/// `least_length` characters, by symbols of kind parameter. `name` returns the name of the part with that
/// number, from 0 on. Parts inside series stay. Returns the parts; a later one may refer to earlier ones.
std::vector<NamedPart> name_shared_parts(
    std::span<Expression> values, std::size_t least_length,
    const std::function<std::string(const Expression& part, std::size_t number)>& name);

}  // namespace parcast::symbolic
