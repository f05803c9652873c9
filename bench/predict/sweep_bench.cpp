// SPDX-License-Identifier: Apache-2.0
// Measures how many points per second a sweep evaluates on one core, how many complete answers (intervals,
// parts, warnings) all cores give, and the time of one prediction alone. The model is a time step with
// `segments` segments of computing, halo exchanges on a 2-D grid and reductions. Prints one line per result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "predict/each_point.h"
#include "predict/equation/equation.h"
#include "predict/model_builder.h"

using namespace parcast;
using namespace parcast::predict;
using namespace parcast::predict::by_hand;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

program::Model time_stepper(int segments, bool by_rank) {
  Builder b("stepper");
  b.add_parameter("n", {64, 128, 256});
  b.add_parameter("steps", {10, 100});
  b.model.processes = {1, 2, 4, 8};
  const Expression n = parameter("n");
  const Expression steps = parameter("steps");
  const Expression rows = by_rank
                              ? ceil((n - program::coordinate_symbol(2, 0)) / program::extent_symbol(2, 0))
                              : ceil(n / program::extent_symbol(2, 0));
  const Expression columns = ceil(n / program::extent_symbol(2, 1));
  const program::NodeId loop = b.loop(0, steps);
  program::NodeId last = program::kNone;
  for (int i = 0; i < segments; ++i) {
    program::NodeId call = program::kNone;
    if (i % 5 == 4)
      call = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                          program::Synchronisation::global, steps, 8);
    else
      call = b.message(loop, "MPI_Sendrecv", recording::CallClass::send_receive,
                       program::PeerRelation::grid_shift, {i % 2, i % 4 < 2 ? 1 : -1, 2, 1}, steps,
                       8 * (i % 2 == 0 ? columns : rows));
    program::Cost cost = proportional(rows * columns, 1e-9 * (1 + i));
    statistics::GrowthModel growth = cost.growth;
    growth.hypotheses[0].terms.push_back({1e-6, {0.5}, {1}});
    cost.growth = growth;
    cost.imbalance = 0.05;
    cost.iteration_noise.noise = 0.02;
    b.segment(loop, last, call, steps, cost);
    last = call;
  }
  return b.model;
}

machine::Machine cluster() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  m.cores_per_node = 32;
  m.links["core"] = m.links["network"];
  m.links["network"].eager_limit = measured(65536, 1);
  m.links["network"].rendezvous_latency = measured(5e-6, 1e-6);
  m.links["network"].rendezvous_gap_per_byte = measured(2e-10, 1e-11);
  m.links["network"].latency.standard_error = 1e-7;
  add_table(m, recording::Pattern::allreduce, "log2", 4e-6, 1e-6, 3e-10, 1e-10);
  return m;
}

bool measure(const char* name, const program::Model& model) {
  const machine::Machine m = cluster();
  std::vector<Question> questions;
  for (int i = 0; i < 100'000; ++i)
    questions.push_back(ask(1 << (i % 14), {{"n", 64.0 + i % 1000}, {"steps", 10.0 + i % 7}}));
  double begin = now();
  const auto swept = sweep(model, m, questions);
  const double per_second = static_cast<double>(questions.size()) / (now() - begin);
  const auto some = std::span(questions).first(20'000);
  begin = now();
  const auto answers = predict_each(equation_engine(), model, m, some);
  const double answers_per_second = static_cast<double>(some.size()) / (now() - begin);
  begin = now();
  int predictions = 0;
  while (now() - begin < 1) {
    if (!equation_engine().predict(model, m, questions[static_cast<std::size_t>(37 * ++predictions)]))
      return false;
  }
  std::printf("%-34s %3zu segments  sweep %10.0f points/s  answers %8.0f points/s  predict %8.3f ms\n", name,
              model.segments.size(), per_second, answers_per_second, 1e3 * (now() - begin) / predictions);
  return swept.ok() && std::ranges::all_of(answers, [](const auto& each) { return each.ok(); });
}

}  // namespace

int main() {
  bool ok = true;
  for (const int segments : {5, 20, 40}) {
    ok = measure("equal ranks", time_stepper(segments, false)) && ok;
    ok = measure("ranks that differ by coordinate", time_stepper(segments, true)) && ok;
  }
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
