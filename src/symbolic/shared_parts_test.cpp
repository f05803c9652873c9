// SPDX-License-Identifier: Apache-2.0
#include "symbolic/shared_parts.h"

#include <gmock/gmock.h>

namespace parcast::symbolic {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Expression n = symbol("n", SymbolKind::parameter), p = symbol("p", SymbolKind::processes);

std::string numbered(const Expression&, std::size_t number) {
  return "part_" + std::to_string(number + 1);
}

std::vector<std::string> texts(const std::vector<NamedPart>& parts) {
  std::vector<std::string> out;
  for (const NamedPart& part : parts) out.push_back(to_text(part.name) + " = " + to_text(part.value));
  return out;
}

TEST(SharedParts, APartOfTwoExpressionsIsNamedOnce) {
  const Expression blocks = ceil(n / p);
  Expression values[] = {blocks * blocks, max(blocks, 3)};
  EXPECT_THAT(texts(name_shared_parts(values, 5, numbered)), ElementsAre("part_1 = ceil(n/p)"));
  EXPECT_EQ(to_text(values[0]), "part_1^2");
  EXPECT_EQ(to_text(values[1]), "max(3, part_1)");
}

TEST(SharedParts, ALaterPartRefersToAnEarlierOne) {
  const Expression inner = ceil(n / p), outer = floor(log2(inner) + n / 2);
  Expression values[] = {max(outer, 7), min(outer, inner)};
  EXPECT_THAT(texts(name_shared_parts(values, 5, numbered)),
              ElementsAre("part_1 = ceil(n/p)", "part_2 = floor(n/2 + log2(part_1))"));
}

TEST(SharedParts, ShortPartsAndPartsOfOnePlaceStay) {
  Expression values[] = {ceil(n / p) + n, n * floor(p / 2)};
  const std::string before = to_text(values[0]);
  EXPECT_THAT(name_shared_parts(values, 5, numbered), IsEmpty());
  EXPECT_EQ(to_text(values[0]), before);
  Expression short_ones[] = {ceil(n / p) * 2, max(ceil(n / p), 4)};
  EXPECT_THAT(name_shared_parts(short_ones, 40, numbered), IsEmpty());
}

TEST(SharedParts, ValuesStay) {
  const Expression chain = conditional(n - 100, n / 3, conditional(n - 10, p * n, log2(n + 1)));
  const Expression before[] = {chain * p + 1, chain / (p + 1), max(chain, p)};
  Expression values[] = {before[0], before[1], before[2]};
  const std::vector<NamedPart> parts = name_shared_parts(values, 5, numbered);
  ASSERT_FALSE(parts.empty());
  for (const double size : {3.0, 50.0, 700.0}) {
    Binding at{{"n", size}, {"p", 4}};
    for (const NamedPart& part : parts) at[part.name.name()] = *evaluate(part.value, at);
    for (int i = 0; i < 3; ++i)
      EXPECT_DOUBLE_EQ(*evaluate(values[i], at), *evaluate(before[i], {{"n", size}, {"p", 4}}));
  }
}

}  // namespace
}  // namespace parcast::symbolic
