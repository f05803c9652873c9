// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/binding.h"
#include "model/testing/numbers.h"

namespace parcast::program {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

symbolic::Expression parsed(const char* text) {
  const std::vector<Parameter> parameters{{"n", {}}, {"grid size", {}}};
  return symbolic::parse(text, symbol_kinds(parameters)).value();
}

Count count_of(const char* text, Origin origin = Origin::exact) {
  Count count;
  count.expression = parsed(text);
  count.origin = origin;
  return count;
}

Cost small_cost() {
  Cost cost;
  cost.origin = Origin::fitted;
  cost.imbalance = 0.02;
  cost.iteration_noise = {0.05, 3e-3, 0.5, 0.07};
  cost.slow_phase_noise = 0.07;
  cost.first_excess = -0.001;
  cost.arguments = {parsed("n^2/p")};
  cost.streamed = parsed("8*n");
  cost.alternatives = {parsed("p/4"), parsed("2/p")};
  cost.advice = "a recording at p = 2, n = 8 would tell";
  statistics::GrowthModel growth;
  growth.arguments = {"n^2/p"};
  growth.ranges = {{256, 65536, 3}};
  growth.residual_relative_error = 0.01;
  growth.relative_error_per_doubling = 0.003;
  statistics::GrowthHypothesis h;
  h.weight = 1;
  h.validation_error = 0.02;
  h.relative_noise = 0.01;
  h.degrees_of_freedom = 4;
  h.terms = {{1e-6, {0}, {0}}, {2.5e-9, {1}, {0}}};
  h.factor = statistics::Matrix(2, 2);
  h.factor(0, 0) = 1.0 / 3;
  h.factor(1, 0) = -0.25;
  h.factor(1, 1) = 1e-300;
  growth.hypotheses = {h};
  cost.growth = growth;
  return cost;
}

// Returns a small model in which every field has a distinct value.
Model small_model() {
  Model model;
  model.program = "swe \"2\"";
  model.executable_digest = "0123abcd";
  model.recorded_on = "two cores";
  model.parameters = {{"n", {16, 64, 256}}, {"grid size", {0.1}}};
  model.processes = {1, 4};
  model.between_runs = {0.0625, 0.25, 0.125, 6};
  model.grids = {{2, false, {{4, {2, 2}}, {6, {2, 3}}}, {true, false}}};
  Node root;
  root.id = 0;
  root.label = model.program;
  root.executions = count_of("1");
  root.children = {1};
  Node loop;
  loop.id = 1;
  loop.parent = 0;
  loop.kind = NodeKind::loop;
  loop.label = "loop";
  loop.executions = count_of("n/2 + p", Origin::ambiguous);
  loop.executions.alternatives = {parsed("n*ceil(log2(p))"), parsed("'grid size'*n")};
  loop.executions.open = {"p"};
  loop.executions.advice = "a recording at p = 3 would decide between them";
  loop.children = {2, 3};
  Node send;
  send.id = 2;
  send.parent = 1;
  send.kind = NodeKind::call;
  send.label = "MPI_Sendrecv";
  send.where = "swe.c:120";
  send.executions = count_of("2*n");
  send.call_class = recording::CallClass::send_receive;
  send.synchronisation = Synchronisation::neighbour;
  send.relation = PeerRelation::grid_shift;
  send.amounts = {1, -1, 2, 1};
  send.messages = count_of("2*n");
  send.bytes = count_of("16*n*floor((n + g2_1 - 1 - c2_1)/g2_1)");
  send.received_bytes = count_of("12.5*n", Origin::fitted);
  send.received_bytes.relative_error = 0.125;
  send.collective_bytes = count_of("0");
  send.measured_seconds = 1.25e-6;
  Node reduce = send;
  reduce.id = 3;
  reduce.label = "MPI_Reduce";
  reduce.where = "";
  reduce.call_class = recording::CallClass::collective;
  reduce.pattern = recording::Pattern::reduce;
  reduce.synchronisation = Synchronisation::to_root;
  reduce.relation = PeerRelation::fixed;
  reduce.amounts = {0};
  reduce.messages = reduce.bytes = reduce.received_bytes = count_of("0");
  reduce.collective_bytes = count_of("8");
  reduce.members = count_of("p");
  model.nodes = {root, loop, send, reduce};
  Segment first{kNone, 2, 0, count_of("1"), small_cost(), 0.25};
  Segment between{2, 3, 1, count_of("n/2 + p", Origin::ambiguous), small_cost(), 0.75};
  model.segments = {first, between};
  model.footprint = parsed("24*n^2/p");
  model.blocks = {
      {"src/a.c", "inner", 3, "a.c:7", {{"double_add", 2}, {"loaded_bytes", 16}}, {{"double_add", {8, 2}}}},
      {"src/a.c", "outer", 0, "a.c:5", {}}};
  model.work = {{kNone, {{1, parsed("1"), CountTier::symbolic}}},
                {2, {{0, parsed("n^2/p"), CountTier::as_seen}, {1, parsed("n"), CountTier::measured}}}};
  model.work_by_tier = {{CountTier::symbolic, 0.25}, {CountTier::as_seen, 0.5}};
  model.quantities = {
      {"rows", floor(parameter_symbol(model.parameters[0].name) / processes_symbol()), 3, 0.75}};
  model.unfollowed["MPI_Put"] = count_of("3*p");
  model.share_by_origin = {{"exact", 0.5}, {"ambiguous", 0.5}};
  model.sources = {
      {"digest", {{"n", 16}, {"grid size", 0.1}}, 4, 1.5, true, false, false, "Open MPI v4.1.4", true}};
  RunCheck check;
  check.processes = 4;
  check.parameters = {{"n", 64}, {"grid size", 0.1}};
  check.computing = {12.5, 13};
  check.slowest = {3.25, 3.5};
  check.regions = {{0, {1, 2}}, {1, {11.5, 11}}};
  check.segment = ComparedPiece{0, {0.5, 0.25}};
  check.rank = ComparedPiece{3, {3, 4}};
  check.total = Compared{5, 6};
  model.checks = {{check}, {{"n", 256, 64, {check}}}, "here"};
  model.notices = {{"never-varied", "grid size is 0.1 in every recording", "record at another grid size"}};
  return model;
}

const std::string kWhere = "small.model.json";

std::string round_trip(const std::string& json) {
  const auto model = model_from_json(json, kWhere);
  EXPECT_TRUE(model) << to_string(model.error());
  return model ? to_json(*model) : "";
}

Error refusal(const std::string& json) {
  const auto model = model_from_json(json, kWhere);
  EXPECT_FALSE(model) << json.substr(0, 200);
  return model ? Error{} : model.error();
}

Error refused_after(const std::function<void(Json&)>& change) {
  Json json = Json::parse(to_json(small_model()));
  change(json);
  return refusal(json.dump());
}

// Returns whether the text is accepted. Any text gives either a model that is written as it was read, or an
// error with its place.
bool answers(const std::string& text) {
  const auto model = model_from_json(text, kWhere);
  if (!model) {
    EXPECT_TRUE(model.error().where.starts_with(kWhere)) << model.error().where;
    EXPECT_GT(model.error().what.size(), 10u);
    EXPECT_FALSE(model.error().hint.empty());
    return false;
  }
  const std::string once = to_json(*model);
  EXPECT_EQ(round_trip(once), once);
  return true;
}

TEST(ModelFile, WriteReadWriteIsAFixpoint) {
  const std::string json = to_json(small_model());
  EXPECT_EQ(round_trip(json), json);
}

TEST(ModelFile, EveryFieldComesBack) {
  const Model model = small_model();
  const auto read = model_from_json(to_json(model), kWhere);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->program, model.program);
  EXPECT_EQ(read->executable_digest, "0123abcd");
  EXPECT_EQ(read->recorded_on, "two cores");
  EXPECT_EQ(read->parameters[1].name, "grid size");
  EXPECT_EQ(read->parameters[0].values, (std::vector<double>{16, 64, 256}));
  EXPECT_EQ(read->processes, model.processes);
  ASSERT_EQ(read->checks.forward.size(), 1u);
  const RunCheck& check = read->checks.forward[0].runs.at(0);
  EXPECT_EQ(check.processes, 4);
  EXPECT_EQ(check.parameters.at("n"), 64);
  EXPECT_EQ(check.computing.given, 13);
  EXPECT_EQ(check.slowest.recorded, 3.25);
  EXPECT_EQ(check.regions.at(1).seconds.recorded, 11.5);
  EXPECT_EQ(check.segment->seconds.given, 0.25);
  EXPECT_EQ(check.rank->index, 3);
  EXPECT_EQ(check.total->given, 6);
  EXPECT_EQ(read->checks.machine, "here");
  EXPECT_EQ(read->between_runs.deviation, 0.0625);
  EXPECT_EQ(read->between_runs.related, 0.25);
  EXPECT_EQ(read->between_runs.unseen, 0.125);
  EXPECT_EQ(read->between_runs.degrees, 6);
  EXPECT_EQ(read->grids[0].recorded, model.grids[0].recorded);
  EXPECT_EQ(read->grids[0].periodic, model.grids[0].periodic);
  EXPECT_FALSE(read->grids[0].from_dims_create);
  const Count& trips = read->nodes[1].executions;
  EXPECT_EQ(trips.expression, model.nodes[1].executions.expression);
  EXPECT_EQ(trips.alternatives, model.nodes[1].executions.alternatives);
  EXPECT_EQ(trips.open, model.nodes[1].executions.open);
  EXPECT_EQ(trips.advice, model.nodes[1].executions.advice);
  EXPECT_EQ(trips.origin, Origin::ambiguous);
  const Node& send = read->nodes[2];
  EXPECT_EQ(send.relation, PeerRelation::grid_shift);
  EXPECT_EQ(send.amounts, (std::vector<std::int64_t>{1, -1, 2, 1}));
  EXPECT_EQ(send.where, "swe.c:120");
  EXPECT_EQ(send.received_bytes.relative_error, 0.125);
  EXPECT_EQ(send.collective_bytes.origin, Origin::exact);
  EXPECT_TRUE(send.collective_bytes.expression.is_zero());
  EXPECT_EQ(send.measured_seconds, 1.25e-6);
  EXPECT_EQ(read->nodes[3].pattern, recording::Pattern::reduce);
  EXPECT_EQ(read->nodes[3].members.expression, parsed("p"));
  const Segment& between = read->segments[1];
  EXPECT_EQ(between.from, 2);
  EXPECT_EQ(between.to, 3);
  EXPECT_EQ(between.owner, 1);
  EXPECT_EQ(between.share, 0.75);
  EXPECT_EQ(between.cost.first_excess, -0.001);
  EXPECT_EQ(between.cost.growth->hypotheses[0].factor(0, 0), 1.0 / 3);
  EXPECT_EQ(between.cost.growth->hypotheses[0].factor(1, 1), 1e-300);
  EXPECT_EQ(between.cost.growth->ranges[0].distinct, 3u);
  EXPECT_EQ(between.cost.streamed, parsed("8*n"));
  EXPECT_EQ(between.cost.alternatives, (std::vector<symbolic::Expression>{parsed("p/4"), parsed("2/p")}));
  EXPECT_EQ(between.cost.advice, "a recording at p = 2, n = 8 would tell");
  EXPECT_EQ(read->footprint, parsed("24*n^2/p"));
  EXPECT_EQ(read->work_by_tier, model.work_by_tier);
  ASSERT_EQ(read->quantities.size(), 1u);
  EXPECT_EQ(read->quantities[0].name, "rows");
  EXPECT_EQ(read->quantities[0].expression, model.quantities[0].expression);
  EXPECT_EQ(read->quantities[0].counts, 3);
  EXPECT_EQ(read->quantities[0].share, 0.75);
  ASSERT_EQ(read->blocks.size(), 2u);
  EXPECT_EQ(read->blocks[0].source, "src/a.c");
  EXPECT_EQ(read->blocks[0].function, "inner");
  EXPECT_EQ(read->blocks[0].number, 3);
  EXPECT_EQ(read->blocks[0].where, "a.c:7");
  EXPECT_EQ(read->blocks[0].operations, model.blocks[0].operations);
  EXPECT_EQ(read->blocks[0].packed, model.blocks[0].packed);
  EXPECT_TRUE(read->blocks[1].packed.empty());
  ASSERT_EQ(read->work.size(), 2u);
  EXPECT_EQ(read->work[0].from, kNone);
  ASSERT_EQ(read->work[1].blocks.size(), 2u);
  EXPECT_EQ(read->work[1].from, 2);
  EXPECT_EQ(read->work[1].blocks[0].block, 0);
  EXPECT_EQ(read->work[1].blocks[0].count, parsed("n^2/p"));
  EXPECT_EQ(read->work[1].blocks[0].tier, CountTier::as_seen);
  EXPECT_EQ(read->unfollowed.at("MPI_Put").expression, parsed("3*p"));
  EXPECT_EQ(read->share_by_origin, model.share_by_origin);
  EXPECT_EQ(read->sources[0].parameters, model.sources[0].parameters);
  EXPECT_TRUE(read->sources[0].slowed);
  EXPECT_TRUE(read->sources[0].oversubscribed);
  EXPECT_FALSE(read->sources[0].damaged);
  EXPECT_EQ(read->sources[0].mpi_library, "Open MPI v4.1.4");
  EXPECT_EQ(read->notices[0].hint, "record at another grid size");
}

TEST(ModelFile, AFileIsReadAsItWasWritten) {
  char folder[] = "/tmp/parcast-model-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const auto path = std::filesystem::path(folder) / "swe.model.json";
  ASSERT_TRUE(write_model(path, small_model()));
  const auto read = read_model(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(small_model()));
  std::filesystem::remove_all(folder);
  const auto gone = read_model(path);
  ASSERT_FALSE(gone);
  EXPECT_THAT(to_string(gone.error()), HasSubstr("swe.model.json"));
}

TEST(ModelFile, AnotherSchemaIsRefusedByName) {
  const Error newer = refused_after([](Json& json) { json["schema"] = "parcast.model/2"; });
  EXPECT_THAT(newer.what, AllOf(HasSubstr("parcast.model/2"), HasSubstr("parcast.model/1")));
  EXPECT_THAT(newer.hint, HasSubstr("newer"));
  EXPECT_THAT(refusal("{}").what, HasSubstr("schema"));
  EXPECT_THAT(refusal("[1, 2]").what, HasSubstr("not an object"));
  EXPECT_THAT(refusal("").what, HasSubstr("not JSON"));
}

TEST(ModelFile, AnErrorLeadsToTheValueThatIsWrong) {
  const std::pair<std::function<void(Json&)>, const char*> cases[]{
      {[](Json& j) { j["nodes"][2]["bytes"]["expression"] = 3; }, "nodes[2].bytes.expression is not a text"},
      {[](Json& j) { j["nodes"][2]["bytes"]["expression"] = "3*m"; },
       "nodes[2].bytes.expression is not an expression"},
      {[](Json& j) { j["nodes"][2]["bytes"]["origin"] = "surely"; },
       "nodes[2].bytes.origin \"surely\" is not known"},
      {[](Json& j) { j["nodes"][2]["relation"] = "friend"; }, "nodes[2].relation \"friend\" is not known"},
      {[](Json& j) {
         j["nodes"][2]["amounts"] = {1, -1, 4, 1};
       },
       "nodes[2] has amounts that do not fit its relation"},
      {[](Json& j) {
         j["nodes"][2]["amounts"] = {2, -1, 2, 1};
       },
       "nodes[2] has amounts that do not fit its relation"},
      {[](Json& j) { j["nodes"][2]["amounts"][1] = std::numeric_limits<std::int64_t>::min(); },
       "nodes[2] has amounts that do not fit its relation"},
      {[](Json& j) { j["nodes"][3]["amounts"][0] = std::int64_t{1} << 40; },
       "nodes[3] has amounts that do not fit"},
      {[](Json& j) { j["nodes"][2]["measured_seconds"] = -1e-9; }, "nodes[2].measured_seconds is negative"},
      {[](Json& j) { j["checks"]["given_back"][0]["rank"]["rank"] = 4; },
       "checks.given_back[0].rank.rank is out of range"},
      {[](Json& j) { j["checks"]["given_back"][0]["computing"]["given"] = -1; },
       "checks.given_back[0].computing.given is negative"},
      {[](Json& j) { j["between_runs"]["related"] = 1.5; },
       "between_runs.related is not a number from 0 to 1"},
      {[](Json& j) { j["between_runs"]["deviation"] = -1; }, "between_runs.deviation is negative"},
      {[](Json& j) { j["between_runs"]["unseen"] = -1; }, "between_runs.unseen is negative"},
      {[](Json& j) { j["between_runs"]["degrees"] = -1; }, "between_runs.degrees is negative"},
      {[](Json& j) { j["segments"][0]["cost"]["noise_falls"]["power"] = 0.3; },
       "noise_falls has a power that is no multiple of 1/4"},
      {[](Json& j) { j["segments"][0]["cost"]["noise_falls"]["seconds"] = 0; },
       "noise_falls has no duration"},
      {[](Json& j) { j["nodes"][1]["id"] = 7; }, "nodes has node 1 at the wrong place"},
      {[](Json& j) { j["nodes"][1]["parent"] = 2; }, "nodes has a child of node 0 that"},
      {[](Json& j) {
         j["nodes"][2]["parent"] = 3;
         j["nodes"][1]["children"] = {3};
       },
       "nodes has no valid parent for node 2"},
      {[](Json& j) {
         j["nodes"][1]["children"] = {2, 2, 3};
       },
       "nodes has a child of node 1"},
      {[](Json& j) {
         j["nodes"][1]["children"] = {2, 3, 4};
       },
       "nodes has a child of node 1"},
      {[](Json& j) { j["nodes"][1]["children"] = {2}; }, "node 3, which is no one's child"},
      {[](Json& j) { j["nodes"][0]["kind"] = "loop"; }, "nodes does not begin with the program"},
      {[](Json& j) { j["nodes"] = Json::array(); }, "nodes does not begin with the program"},
      {[](Json& j) { j["segments"][1]["to"] = 4; }, "segments[1] does not lie between two calls"},
      {[](Json& j) { j["segments"][1]["from"] = 1; }, "segments[1] does not lie between two calls"},
      {[](Json& j) { j["segments"][1]["owner"] = 2; }, "segments[1] has no owner"},
      {[](Json& j) { j["segments"][1]["owner"] = -1; }, "segments[1] has no owner"},
      {[](Json& j) { j["segments"][1]["to"] = 4294967299; }, "segments[1].to is out of range"},
      {[](Json& j) { j["segments"][0]["cost"]["growth"]["hypotheses"] = Json::array(); },
       "segments[0].cost.growth.hypotheses is empty"},
      {[](Json& j) { j["segments"][0]["cost"]["growth"]["hypotheses"][0]["factor"].erase(1); },
       "one row per parameter"},
      {[](Json& j) { j["segments"][0]["cost"]["growth"]["hypotheses"][0]["factor"][0].erase(1); },
       "different lengths"},
      {[](Json& j) {
         j["segments"][0]["cost"]["growth"]["hypotheses"][0]["terms"][1]["exponents"] = {1, 2};
       },
       "terms[1] does not have one exponent per argument"},
      {[](Json& j) { j["segments"][0]["cost"]["arguments"] = Json::array(); },
       "has other arguments than its cost"},
      {[](Json& j) { j["parameters"][0]["name"] = "p"; }, "\"p\", which is reserved"},
      {[](Json& j) { j["parameters"][1]["name"] = "n"; }, "named twice"},
      {[](Json& j) { j["parameters"][0]["values"] = Json::array(); }, "parameters[0].values"},
      {[](Json& j) {
         j["parameters"][0]["values"] = {64, 16};
       },
       "parameters[0].values"},
      {[](Json& j) { j["processes"] = {0}; }, "processes[0] is out of range"},
      {[](Json& j) {
         j["processes"] = {4, 1};
       },
       "processes is empty or does not ascend"},
      {[](Json& j) { j["processes"] = Json::array(); }, "processes is empty or does not ascend"},
      {[](Json& j) {
         j["grids"][0]["recorded"][0]["extents"] = {2, 3};
       },
       "extents do not multiply to p"},
      {[](Json& j) { j["grids"][0]["recorded"][0]["extents"] = {4}; }, "extents do not multiply to p"},
      {[](Json& j) { j["grids"][0]["dimensions"] = 4; }, "grids[0].dimensions is out of range"},
      {[](Json& j) { j["grids"][0]["periodic"] = {true}; }, "grids[0].periodic"},
      {[](Json& j) { j["share_by_origin"]["perhaps"] = 0.1; }, "share_by_origin.perhaps"},
      {[](Json& j) { j["work"][1]["from"] = 1; }, "work[1] does not follow a call"},
      {[](Json& j) { j["work"][1]["blocks"][0]["block"] = 2; }, "work[1].blocks[0].block is out of range"},
      {[](Json& j) { j["work"][1]["blocks"][0]["tier"] = "sure"; }, "work[1].blocks[0] has a tier"},
      {[](Json& j) { j["blocks"][0]["operations"]["load"] = -1; },
       "blocks[0].operations.load is out of range"},
      {[](Json& j) {
         j["blocks"][0]["packed"]["double_add"] = {0, 1};
       },
       "blocks[0].packed.double_add[0] is out of range"},
      {[](Json& j) {
         j["blocks"][0]["packed"]["double_add"] = {8, -1};
       },
       "blocks[0].packed.double_add[1] is out of range"},
      {[](Json& j) { j["blocks"][0]["packed"]["double_add"] = {8}; },
       "blocks[0].packed.double_add is not a pair"},
      {[](Json& j) { j["quantities"][0]["counts"] = -1; }, "quantities[0].counts"},
      {[](Json& j) { j["quantities"][0]["expression"] = "floor("; }, "quantities[0].expression"},
      {[](Json& j) { j["work_by_tier"]["perhaps"] = 0.1; }, "work_by_tier.perhaps"},
      {[](Json& j) { j["sources"][0]["p"] = 2.5; }, "sources[0].p is not a whole number"},
      {[](Json& j) { j["sources"][0]["mpi_library"] = 4; }, "sources[0].mpi_library is not a text"},
      {[](Json& j) { j["unfollowed"]["MPI_Put"]["expression"] = "1/0 +"; }, "unfollowed.MPI_Put.expression"},
  };
  for (const auto& [change, sentence] : cases) {
    const Error error = refused_after(change);
    EXPECT_THAT(error.what, HasSubstr(sentence));
    EXPECT_EQ(error.where, kWhere);
  }
}

TEST(ModelFile, NumbersThatAreNoneOrTooLargeAreRefused) {
  const std::string json = to_json(small_model());
  const auto replaced = [&](const std::string& by) {
    std::string text = json;
    const std::string key = "\"measured_seconds\": 1.25e-06";
    const auto at = text.find(key);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, key.size(), "\"measured_seconds\": " + by);
  };
  for (const char* by : {"NaN", "nan", "Infinity", "-Infinity", "1e", "0x10", "1e999", "-1e999"})
    EXPECT_EQ(refusal(replaced(by)).where, kWhere) << by;
  EXPECT_TRUE(model_from_json(replaced("2e-6"), kWhere));
}

// Collects every value of the document by its pointer.
void pointers(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
  out.push_back(at);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) pointers(value, at / key, out);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) pointers(json[i], at / i, out);
}

TEST(ModelFile, AnyValueOfAnotherTypeIsAnswered) {
  const Json json = Json::parse(to_json(small_model()));
  std::vector<Json::json_pointer> all;
  pointers(json, Json::json_pointer(), all);
  const Json others[]{nullptr,       true,          -1, 1e300, std::numeric_limits<std::uint64_t>::max(), "x",
                      Json::array(), Json::object()};
  std::size_t refused = 0, tried = 0;
  for (const auto& at : all)
    for (const Json& other : others) {
      Json changed = json;
      if (changed[at].type() == other.type()) continue;
      changed[at] = other;
      refused += !answers(changed.dump());
      ++tried;
      ASSERT_FALSE(HasFailure()) << at.to_string() << " = " << other;
    }
  EXPECT_GT(tried, 1500u);
  EXPECT_GT(static_cast<double>(refused), 0.9 * static_cast<double>(tried));  // doubles accept any number
}

TEST(ModelFile, AnyMissingKeyIsNamedUnlessItMayBeAbsent) {
  const std::set<std::string> may_be_absent{
      "where",          "children",         "alternatives", "open",       "relative_error", "advice",
      "pattern",        "synchronisation",  "relation",     "amounts",    "messages",       "bytes",
      "received_bytes", "collective_bytes", "members",      "streamed",   "footprint",      "work_by_tier",
      "quantities",     "packed",           "between_runs", "unseen",     "unsure",         "rivals",
      "mpi_library",    "slowed",           "checks",       "regions",    "segment",        "rank",
      "total",          "machine",          "degrees",      "noise_falls"};
  const Json json = Json::parse(to_json(small_model()));
  std::vector<Json::json_pointer> all;
  pointers(json, Json::json_pointer(), all);
  for (const auto& at : all) {
    if (at.empty() || !json[at.parent_pointer()].is_object()) continue;
    const std::string parent = at.parent_pointer().to_string();
    if (parent == "/share_by_origin" || parent == "/work_by_tier" || parent == "/unfollowed" ||
        parent.ends_with("/parameters") || parent == "/blocks/0/operations" || parent == "/blocks/0/packed")
      continue;
    // of compiled programs only
    if (parent.empty() && (at.back() == "blocks" || at.back() == "work")) continue;
    Json changed = json;
    changed[at.parent_pointer()].erase(at.back());
    const auto model = model_from_json(changed.dump(), kWhere);
    if (may_be_absent.contains(at.back())) continue;
    ASSERT_FALSE(model) << at.to_string();
    EXPECT_THAT(model.error().what, HasSubstr("has no \"" + at.back() + "\""));
  }
}

TEST(ModelFile, ATextCutAtAnyByteIsRefused) {
  const std::string json = to_json(small_model());
  const std::size_t end = json.find_last_of('}');
  for (std::size_t length = 0; length <= end; ++length) {
    const Error error = refusal(json.substr(0, length));
    ASSERT_THAT(error.what, HasSubstr("not JSON at byte"));
    ASSERT_EQ(error.where, kWhere);
  }
}

TEST(ModelFile, RandomlyChangedBytesAreAnsweredWithoutACrash) {
  const std::string json = to_json(small_model());
  testing::Numbers numbers(8);
  std::size_t refused = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::string text = json;
    const int changes = 1 + static_cast<int>(numbers.uniform() * 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = static_cast<std::size_t>(numbers.uniform() * static_cast<double>(text.size()));
      const double kind = numbers.uniform();
      constexpr std::string_view kTelling = "0123456789-+.eE\"{}[],:^*/()pnr_ \\";
      if (kind < 0.5)
        text[at] = kTelling[numbers.next() % kTelling.size()];
      else if (kind < 0.7)
        text[at] = static_cast<char>(numbers.next());
      else if (kind < 0.85)
        text.erase(at, 1 + numbers.next() % 8);
      else
        text.insert(
            at,
            text.substr(static_cast<std::size_t>(numbers.uniform() * static_cast<double>(text.size())), 12));
    }
    refused += !answers(text);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(refused, kRounds / 2u);
}

TEST(ModelFile, DeepNestingIsAnswered) {
  answers(std::string(200'000, '['));
  answers(std::string(200'000, '[') + std::string(200'000, ']'));
  const Error error = refused_after([](Json& json) {
    json["nodes"][2]["bytes"]["expression"] = std::string(100'000, '(') + "n" + std::string(100'000, ')');
  });
  EXPECT_THAT(error.what, HasSubstr("nodes[2].bytes.expression"));
}

TEST(ModelFile, NodesNestedBeyondAnyProgramAreRefused) {
  const Error error = refused_after([](Json& json) {
    const Json loop = json["nodes"][1];
    const Json call = json["nodes"][2];
    Json nodes = Json::array({json["nodes"][0]});
    constexpr int kDepth = 20'000;
    for (int id = 1; id <= kDepth; ++id) {
      nodes.push_back(loop);
      nodes.back()["id"] = id;
      nodes.back()["parent"] = id - 1;
      nodes.back()["children"] = {id + 1};
    }
    nodes.back()["children"] = {kDepth + 1};
    nodes.push_back(call);
    nodes.back()["id"] = kDepth + 1;
    nodes.back()["parent"] = kDepth;
    json["nodes"] = std::move(nodes);
    json["segments"] = Json::array();
  });
  EXPECT_THAT(error.what, HasSubstr("deep"));
}

}  // namespace
}  // namespace parcast::program
