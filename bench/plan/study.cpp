// SPDX-License-Identifier: Apache-2.0
// Measures the value of advice: parcast_plan_study [truths [noise]]
//
// Generated programs of known growth are measured at a few small points, and then further runs are made for
// the same core seconds (a share of what the run to predict would cost): as `parcast plan --next` advises, at
// random, by doubling the largest run, and by repeating what was measured. Printed are, per way, the error at
// the point to predict (median, 90 % quantile), how often the 90 % interval held, its width (median of ln
// high / low), how many runs were made, and the share of the budget that they took.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "plan/fitted.h"
#include "plan/next_run.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;

struct Truth {
  std::vector<std::string> parameters;  // p first
  std::function<double(const plan::Point&)> seconds;
  std::vector<plan::Point> known;  // initial measurements
  std::vector<plan::Allowed> allowed;
  plan::Point asked;
  double share = 0;  // budget, as a share of the requested run's cost
};

double pick(statistics::Random& random, const std::vector<double>& from) {
  return from[random.below(from.size())];
}

// One to three terms of work divided by p, of communication that grows with p, and a serial term. A third of
// the truths has an exponent that is in no list.
Truth made(std::uint64_t seed, bool two) {
  statistics::Random random(seed);
  const double odd = random.below(3) == 0 ? 0.2 * (random.uniform() - 0.5) : 0;
  const double work = std::exp(2 * random.normal() + 3),
               serial = work * std::pow(10, -1 - 2 * random.uniform()),
               chatter = work * std::pow(10, -2 - 2 * random.uniform());
  const double degree = pick(random, {1, 1.5, 2, 3}) + odd, divided = pick(random, {1, 1, 1, 2.0 / 3}),
               grows = pick(random, {0.5, 1, 1}) + odd;
  const bool logarithm = random.below(2) == 0;
  Truth out;
  out.parameters = two ? std::vector<std::string>{"p", "n"} : std::vector<std::string>{"p"};
  out.seconds = [=](const plan::Point& x) {
    const double p = x[0], n = x.size() > 1 ? x[1] / 256 : 1;
    return work * std::pow(n, degree) * std::pow(p, -divided) +
           serial * std::pow(n, degree - 1 > 0 ? degree - 1 : 0) +
           chatter * (logarithm ? std::log2(p) + 0.1 : std::pow(p, grows));
  };
  const std::vector<double> sizes = two ? std::vector<double>{128, 256, 512} : std::vector<double>{0};
  for (const double p : {2.0, 4.0, 8.0})
    for (const double n : sizes) out.known.push_back(two ? plan::Point{p, n} : plan::Point{p});
  out.allowed = {{{1, 2, 4, 8, 16, 32, 64, 128}, false}};
  if (two) out.allowed.push_back({{128, 192, 256, 384, 512, 768, 1024}, false});
  out.asked = two ? plan::Point{256, 2048} : plan::Point{512};
  out.share = pick(random, {0.1, 0.3, 1});
  return out;
}

// The measurements so far, and the remaining budget.
class Campaign {
 public:
  Campaign(const Truth& truth, double noise, std::uint64_t seed)
      : truth_(truth), noise_(noise), random_(seed) {
    data_.parameters = truth.parameters;
    data_.kernels.push_back({"", "time", "s", {}, {}});
    for (const auto& point : truth.known) measure(point);
    whole_ = left_ = truth.share * cost(truth.asked);
    runs_ = 0;
  }
  double cost(const plan::Point& point) const { return truth_.seconds(point) * point[0]; }
  bool affordable(const plan::Point& point) const { return cost(point) <= left_; }
  void run(const plan::Point& point) {
    left_ -= cost(point);
    measure(point);
  }
  plan::Fitted fitted() const { return *plan::Fitted::of(data_, 0, fit::Statistic::mean, 1); }
  const fit::Kernel& kernel() const { return data_.kernels[0]; }
  const Truth& truth() const { return truth_; }
  statistics::Random& random() { return random_; }
  double left() const { return left_; }
  double spent() const { return 1 - left_ / whole_; }
  int runs() const { return runs_; }

 private:
  void measure(const plan::Point& point) {
    auto& kernel = data_.kernels[0];
    auto at = std::ranges::find(kernel.points, point);
    const auto row = at - kernel.points.begin();
    if (at == kernel.points.end()) kernel.points.push_back(point), kernel.values.emplace_back();
    kernel.values[static_cast<std::size_t>(row)].push_back(truth_.seconds(point) *
                                                           std::exp(noise_ * random_.normal()));
    ++runs_;
  }
  const Truth& truth_;
  double noise_;
  statistics::Random random_;
  fit::Measurements data_;
  double whole_ = 0, left_ = 0;
  int runs_ = 0;
};

constexpr int kMostRuns = 12;

using Way = std::function<std::optional<plan::Point>(Campaign&)>;

// Returns the advised run for the remaining budget. Whether a run exceeds the budget is only known after it
// was made, as in practice.
std::optional<plan::Point> advised(Campaign& campaign) {
  const plan::Fitted fitted = campaign.fitted();
  plan::Question question{.asked = campaign.truth().asked,
                          .allowed = campaign.truth().allowed,
                          .budget = campaign.left(),
                          .least = 0,
                          .threads = 1};
  const auto plan = plan::next_run(fitted, {&fitted, 1, 0, 1}, question);
  if (!plan) return std::nullopt;
  for (const auto& run : plan->runs)
    if (campaign.affordable(run.point)) return run.point;
  return std::nullopt;
}

std::optional<plan::Point> one_of(Campaign& campaign, std::vector<plan::Point> points) {
  std::erase_if(points, [&](const plan::Point& point) { return !campaign.affordable(point); });
  if (points.empty()) return std::nullopt;
  return points[campaign.random().below(points.size())];
}

std::optional<plan::Point> at_random(Campaign& campaign) {
  return one_of(campaign, plan::crossed(campaign.truth().allowed));
}
std::optional<plan::Point> repeated(Campaign& campaign) {
  return one_of(campaign, campaign.kernel().points);
}

// Returns twice the processes of the largest run and twice the problem, alternately. If that is too
// expensive, returns the largest affordable run again.
std::optional<plan::Point> doubled(Campaign& campaign) {
  plan::Point largest(campaign.truth().asked.size(), 0);
  for (const auto& point : campaign.kernel().points)
    for (std::size_t j = 0; j < largest.size(); ++j) largest[j] = std::max(largest[j], point[j]);
  const std::size_t turn = largest.size() > 1 ? static_cast<std::size_t>(campaign.runs()) % 2 : 0;
  for (std::size_t k = 0; k < largest.size(); ++k) {
    plan::Point next = largest;
    const std::size_t j = (turn + k) % largest.size();
    next[j] *= 2;
    if (next[j] <= campaign.truth().allowed[j].values.back() && campaign.affordable(next)) return next;
  }
  std::vector<plan::Point> points = campaign.kernel().points;
  std::ranges::sort(points,
                    [&](const auto& a, const auto& b) { return campaign.cost(a) > campaign.cost(b); });
  for (const auto& point : points)
    if (campaign.affordable(point)) return point;
  return std::nullopt;
}

struct Score {
  std::vector<double> errors, widths, spent;
  double held = 0, runs = 0;
};

void add(const Campaign& campaign, Score& score) {
  const auto answer = campaign.fitted().predict(campaign.truth().asked, 0.9);
  const double truth = campaign.truth().seconds(campaign.truth().asked);
  score.errors.push_back(std::fabs(answer.value / truth - 1));
  score.widths.push_back(std::log(answer.high / answer.low));
  score.spent.push_back(campaign.spent());
  score.held += answer.low <= truth && truth <= answer.high;
  score.runs += campaign.runs();
}

void study(std::size_t truths, double noise, bool two) {
  const std::vector<std::pair<const char*, Way>> ways{
      {"nothing more", [](Campaign&) { return std::nullopt; }},
      {"advice", advised},
      {"random", at_random},
      {"doubling", doubled},
      {"repeating", repeated}};
  std::vector<std::vector<Score>> each(truths, std::vector<Score>(ways.size()));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < truths; i = next++) {
      const Truth truth = made(i, two);
      for (std::size_t w = 0; w < ways.size(); ++w) {
        Campaign campaign(truth, noise, 1000 + i);
        while (campaign.runs() < kMostRuns) {
          const auto point = ways[w].second(campaign);
          if (!point) break;
          campaign.run(*point);
        }
        add(campaign, each[i][w]);
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < std::thread::hardware_concurrency(); ++t) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  std::printf("%zu truths, %s, noise %.0f %%\n%-14s %8s %8s %8s %8s %6s %6s\n", truths,
              two ? "p and n" : "p alone", 100 * noise, "", "median", "90 %", "held", "width", "runs",
              "spent");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    Score all;
    for (const auto& scores : each) {
      all.errors.push_back(scores[w].errors[0]), all.widths.push_back(scores[w].widths[0]),
          all.spent.push_back(scores[w].spent[0]);
      all.held += scores[w].held, all.runs += scores[w].runs;
    }
    const auto n = static_cast<double>(truths);
    std::printf("%-14s %7.1f%% %7.1f%% %7.1f%% %8.2f %6.1f %5.0f%%\n", ways[w].first,
                100 * statistics::median(all.errors), 100 * statistics::quantile(all.errors, 0.9),
                100 * all.held / n, statistics::median(all.widths), all.runs / n,
                100 * statistics::median(all.spent));
  }
}

}  // namespace

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t truths = count > 1 ? std::strtoull(words[1], nullptr, 10) : 300;
  const double noise = count > 2 ? std::strtod(words[2], nullptr) : 0.03;
  if (truths < 1 || !(noise > 0))
    return std::fprintf(stderr, "usage: parcast_plan_study [TRUTHS [NOISE]]\n"), 2;
  study(truths, noise, false);
  study(truths, noise, true);
  return 0;
}
