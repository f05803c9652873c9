// SPDX-License-Identifier: Apache-2.0
#include "report/equation_text.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "predict/model_builder.h"
#include "symbolic/other_programs_for_tests.h"

namespace parcast::report {
namespace {

using namespace predict::by_hand;
using program::NodeId;
using symbolic::Language;
using testing::HasSubstr;

// steps x { rows of a block distribution by n, allreduce, halo }, after some computing.
explain::Explanation explained() {
  Builder b("shown");
  b.add_parameter("n", {100, 1000});
  b.add_parameter("my steps", {10});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n"), steps = parameter("my steps");
  const NodeId loop = b.loop(0, steps);
  const NodeId reduce = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                                     program::Synchronisation::global, steps, 8);
  const NodeId halo = b.message(loop, "MPI_Sendrecv", recording::CallClass::send_receive,
                                program::PeerRelation::offset_ring, {1}, steps, 8 * n);
  b.segment(loop, halo, reduce, steps, proportional(n * floor((n + p() - 1 - r()) / p()), 1e-8));
  const std::size_t s = b.segment(loop, reduce, halo, steps, proportional(n / p(), 1e-8));
  b.model.segments[s].cost.imbalance = 0.3;
  machine::Machine machine = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(machine, recording::Pattern::allreduce, "log2", 1e-4, 2e-4, 3e-10, 0);
  const auto found = explain::explain(b.model, machine, ask(16, {{"n", 701}, {"my steps", 37}}));
  EXPECT_TRUE(found.ok());
  return found.ok() ? *found : explain::Explanation{};
}

std::string call_in(const std::string& text) {
  const auto begin = text.rfind("total("), end = text.rfind(')');
  return text.substr(begin, end - begin + 1);
}

TEST(EquationText, OtherProgramsComputeTheSameTotal) {
  const explain::Explanation explanation = explained();
  for (const Language language : {Language::cpp, Language::javascript, Language::maple}) {
    const auto text = equation_in(explanation, language);
    ASSERT_TRUE(text);
    const std::vector<double> values = symbolic::values_by(language, *text, {call_in(*text)});
    ASSERT_EQ(values.size(), 1u) << *text;
    EXPECT_NEAR(values[0], explanation.prediction.seconds.value, 1e-12 * explanation.prediction.seconds.value)
        << *text;
  }
}

TEST(EquationText, OfARegion) {
  const explain::Explanation explanation = explained();
  const auto whole = equation_in(explanation, Language::javascript),
             part = equation_in(explanation, Language::javascript, "loop/MPI_Allreduce");
  ASSERT_TRUE(whole && part);
  EXPECT_THAT(*part, HasSubstr("seconds of loop/MPI_Allreduce;"));
  double expected = 0;
  for (const auto& contribution : explanation.contributions)
    if (contribution.path == "loop/MPI_Allreduce") expected += contribution.seconds.value;
  ASSERT_GT(expected, 0);
  const std::vector<double> values = symbolic::values_by(Language::javascript, *part, {call_in(*part)});
  ASSERT_EQ(values.size(), 1u);
  EXPECT_NEAR(values[0], expected, 1e-12 * expected);
  const auto nowhere = equation_in(explanation, Language::javascript, "lop");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what, "there is no region lop");
  EXPECT_THAT(nowhere.error().hint, HasSubstr("loop"));
}

TEST(EquationText, SaysWhatThePredictionWarnsOf) {
  explain::Explanation explanation = explained();
  explanation.prediction.warnings = {{"upper-bound", "it is an upper bound", "ask for fewer"}};
  const auto text = equation_in(explanation, Language::cpp);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("\n// ! it is an upper bound; ask for fewer\n"));
}

TEST(EquationText, SaysWhichNamesWereChangedAndTheValuesAsAsked) {
  const auto text = equation_in(explained(), Language::maple);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("# my_steps is my steps\n"));
  EXPECT_THAT(*text, HasSubstr("# loop/MPI_Allreduce"));
  EXPECT_THAT(*text, HasSubstr("\nterm_1 := ("));
  EXPECT_THAT(*text, HasSubstr("\n# as asked: total("));
}

/// Evaluates the definitions of the text one after the other.
double value_of(const std::string& text, symbolic::Binding at) {
  std::string definition;
  double value = 0;
  const auto finish = [&] {
    if (definition.empty()) return;
    const auto equals = definition.find(" = ");
    // a condition for the term to exist, which holds here
    if (const auto where = definition.find(" where "); where != definition.npos) definition.resize(where);
    std::map<std::string, symbolic::SymbolKind, std::less<>> kinds;
    for (const auto& [name, number] : at) kinds.emplace(name, symbolic::SymbolKind::parameter);
    const auto parsed = symbolic::parse(definition.substr(equals + 3), kinds);
    ASSERT_TRUE(parsed) << definition << ": " << parsed.error().what;
    value = at[definition.substr(0, equals)] = *symbolic::evaluate(*parsed, at);
    definition.clear();
  };
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("    ")) finish();
    if (!line.starts_with("#")) definition += line.starts_with("    ") ? line.substr(3) : line;
  }
  finish();
  return value;
}

TEST(EquationText, TextForPeopleNamesSharedPartsAndHasTheSameTotal) {
  const explain::Explanation explanation = explained();
  const auto text = equation_in(explanation, Language::text);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("\ntotal = term_1 + term_2 + "));
  for (const std::string& line : split(*text, '\n'))
    if (!line.starts_with("#")) EXPECT_LE(line.size(), 104u) << line;
  // its numbers have four digits
  EXPECT_NEAR(value_of(*text, explanation.values), explanation.prediction.seconds.value,
              2e-3 * explanation.prediction.seconds.value)
      << *text;
}

}  // namespace
}  // namespace parcast::report
