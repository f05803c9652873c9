// SPDX-License-Identifier: Apache-2.0
#include "language/written.h"

#include <limits>

#include "base/files.h"
#include "language/nodes.h"
#include "language/parser.h"
#include "language/resolve.h"
#include "language/steps.h"

namespace parcast::program::written {
namespace {

void add_head(const Program& program, const std::string& name, Model& model) {
  model.program = program.name;
  model.recorded_on = program.measured_on;
  model.written_in = std::filesystem::path(name).filename().string();
  model.parameters = program.parameters;
  model.processes = {1, std::numeric_limits<std::int32_t>::max()};  // any number
  model.footprint = program.footprint;
  if (program.grid_dimensions == 0) return;
  ProcessGrid grid;
  grid.dimensions = program.grid_dimensions;
  for (int k = 0; k < grid.dimensions; ++k) grid.periodic.push_back((program.periodic >> k & 1) != 0);
  model.grids.push_back(std::move(grid));
}

/// Returns whether the block has partners r xor 2^k, which are counted in every round.
bool pairs_by_powers(const std::vector<Statement>& block) {
  for (const Statement& each : block)
    if ((each.kind == Statement::Kind::operation && each.partner.kind == Partner::Kind::exclusive_or &&
         each.partner.change != Change::none) ||
        pairs_by_powers(each.body) || pairs_by_powers(each.otherwise))
      return true;
  return false;
}

}  // namespace

Result<Model> model_of_text(std::string_view text, const std::string& name) {
  const Source source(text, name);
  PARCAST_ASSIGN(const Program program, parse(source));
  std::vector<std::string> assumptions;
  PARCAST_ASSIGN(const std::vector<Statement> statements, resolve(program, source, assumptions));
  Model model;
  add_head(program, name, model);
  PARCAST_TRY(add_nodes(statements, source, model));
  PARCAST_ASSIGN(model.structure, structure_of(statements, source, assumptions));
  for (const std::string& sentence : model.structure->assumptions)
    model.notices.push_back({"written", sentence, ""});
  if (pairs_by_powers(statements))
    model.notices.push_back({"power-of-two",
                             "the equation counts an exchange of every rank in every round of r xor k, which "
                             "it is where p is a power of two",
                             "--engine simulate leaves out those without a partner"});
  return model;
}

Result<Model> read_program(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return model_of_text(text, path.string());
}

}  // namespace parcast::program::written
