// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_parts.h"

#include <algorithm>
#include <map>

#include "base/csv.h"
#include "base/text.h"
#include "machine/machine.h"
#include "report/simulated_numbers.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using simulate::CriticalPath;
using simulate::PairRun;
using simulate::PathKind;
using simulate::Site;
using simulate::SiteSums;
using simulate::Spent;

constexpr std::size_t kMostRows = 12;
constexpr auto kToRight = Column::Align::right, kLeft = Column::Align::left;

std::string kind_text(trace::Kind kind) {
  switch (kind) {
    case trace::Kind::send:
      return "send";
    case trace::Kind::receive:
      return "receive";
    case trace::Kind::start_send:
      return "start of a send";
    case trace::Kind::start_receive:
      return "start of a receive";
    case trace::Kind::wait:
      return "wait";
    case trace::Kind::read:
      return "read";
    case trace::Kind::write:
      return "write";
    case trace::Kind::start_read:
      return "start of a read";
    case trace::Kind::start_write:
      return "start of a write";
    case trace::Kind::probe:
      return "probe";
    case trace::Kind::lock_shared:
      return "shared lock";
    case trace::Kind::lock_exclusive:
      return "exclusive lock";
    case trace::Kind::unlock:
      return "unlock";
    case trace::Kind::collective:
      break;
  }
  return "collective";
}

std::string more(const Style& style, std::size_t rows, bool all) {
  return all || rows <= kMostRows ? "" : dim(style, "  ... " + number(rows - kMostRows) + " more, --all\n");
}

/// Times are means over ranks, so that readers can compare them with the run's time.
class SpentRows {
 public:
  SpentRows(const Simulated& simulated, std::vector<Column> names)
      : ranks_(static_cast<double>(simulated.outcome.ranks.size())),
        makespan_(seconds(simulated.outcome.makespan)),
        scale_(makespan_),
        has_accesses_(simulated.outcome.accesses > 0),
        table_(columns(std::move(names))) {}
  void add(std::vector<std::string> names, const Spent& spent, std::vector<std::string> after) {
    const auto mean = [&](trace::Time time) { return scale_.text(seconds(time) / ranks_); };
    std::vector<std::string> cells = std::move(names);
    const double share = makespan_ > 0 ? seconds(spent.time()) / ranks_ / makespan_ : 0;
    for (std::string& cell : std::vector<std::string>{
             mean(spent.time()), percent(share), mean(spent.compute), mean(spent.communication),
             mean(spent.waiting), number(spent.calls), number(spent.messages + spent.collective_messages),
             format_bytes(static_cast<double>(spent.bytes + spent.collective_bytes))})
      cells.push_back(std::move(cell));
    if (has_accesses_) {
      cells.push_back(number(spent.accesses));
      cells.push_back(format_bytes(static_cast<double>(spent.access_bytes)));
    }
    for (std::string& cell : after) cells.push_back(std::move(cell));
    table_.add(std::move(cells));
  }
  std::string text(const Style& style) const { return table_.text(style); }

 private:
  std::vector<Column> columns(std::vector<Column> names) const {
    const bool calls = names.size() > 1;
    for (const std::string& title :
         {scale_.unit(), std::string("share"), std::string("compute"), std::string("messages"),
          std::string("idle"), std::string("calls"), std::string("sent"), std::string("bytes")})
      names.push_back({title, kToRight});
    if (has_accesses_)
      for (const char* title : {"accesses", "accessed"}) names.push_back({title, kToRight});
    if (calls) names.push_back({"where", kLeft, Column::Shrink::cut_front});
    return names;
  }
  double ranks_, makespan_;
  TimeScale scale_;
  bool has_accesses_;
  Table table_;
};

struct Region {
  std::string path;
  Spent spent;
};

std::vector<Region> by_region(const trace::Trace& trace, const std::vector<SiteSums>& sites) {
  std::map<std::string, Spent> sums;
  for (const SiteSums& site : sites) sums[region_at(trace, site.site)] += site.sum;
  std::vector<Region> regions;
  for (const auto& [path, spent] : sums) regions.push_back({path, spent});
  std::stable_sort(regions.begin(), regions.end(),
                   [](const Region& a, const Region& b) { return a.spent.time() > b.spent.time(); });
  return regions;
}

std::string senders_text(const PairRun& run) {
  std::string text = std::to_string(run.first);
  if (run.length > 1) text += "-" + std::to_string(run.first + run.length - 1);
  if (run.blocks > 1)
    text += ", every " + std::to_string(run.every) + " (x " + std::to_string(run.blocks) + ")";
  return text;
}

std::string signed_number(std::int32_t value) {
  return (value > 0 ? "+" : "") + std::to_string(value);
}

}  // namespace

std::string call_at(const trace::Trace& trace, const Site& site) {
  if (site.none) return "no call";
  if (site.place != trace::kNowhere && !trace.places[site.place].call.empty())
    return trace.places[site.place].call;
  if (site.place != trace::kNowhere) return "call";
  return site.kind == trace::Kind::collective ? std::string(machine::pattern_name(site.pattern))
                                              : kind_text(site.kind);
}

std::string region_at(const trace::Trace& trace, const Site& site) {
  return site.place == trace::kNowhere ? "" : trace.places[site.place].region;
}

std::string where_at(const trace::Trace& trace, const Site& site) {
  if (site.place == trace::kNowhere) return "";
  const trace::Place& place = trace.places[site.place];
  return place.file.empty() ? place.function : place.file + ":" + std::to_string(place.line);
}

std::string_view path_kind_name(PathKind kind) {
  switch (kind) {
    case PathKind::compute:
      return "compute";
    case PathKind::overhead:
      return "overhead";
    case PathKind::transfer:
      return "transfer";
    case PathKind::queue:
      return "queue";
    case PathKind::handshake:
      return "handshake";
    case PathKind::collective:
      break;
  }
  return "collective";
}

std::string regions_text(const Simulated& simulated, const simulate::Profile& profile, const Style& style,
                         bool all) {
  const std::vector<SiteSums> sites = simulate::sums_by_site(profile, simulated.trace.ranks);
  const std::vector<Region> regions = by_region(simulated.trace, sites);
  std::string text;
  if (regions.size() > 1) {
    SpentRows rows(simulated, {{"region", kLeft, Column::Shrink::cut_front}});
    for (std::size_t i = 0; i < regions.size() && (all || i < kMostRows); ++i)
      rows.add({regions[i].path.empty() ? "-" : regions[i].path}, regions[i].spent, {});
    text += rows.text(style) + more(style, regions.size(), all) + "\n";
  }
  SpentRows rows(simulated, {{"call", kLeft}, {"in", kLeft, Column::Shrink::cut_front}});
  for (std::size_t i = 0; i < sites.size() && (all || i < kMostRows); ++i) {
    const Site& site = sites[i].site;
    const std::string region = region_at(simulated.trace, site);
    rows.add({call_at(simulated.trace, site), region.empty() ? "-" : region}, sites[i].sum,
             {where_at(simulated.trace, site)});
  }
  Spent ended;
  for (const simulate::RankOutcome& rank : simulated.outcome.ranks)
    ended.waiting += simulated.outcome.makespan - rank.end;
  if (ended.waiting > 0) rows.add({"(after a rank's end)", "-"}, ended, {""});
  text += rows.text(style) + more(style, sites.size(), all);
  return text + dim(style,
                    "  mean over ranks; compute is what precedes the call, idle the waiting in it; sent and "
                    "bytes are of all ranks, those of collectives' messages with them\n");
}

std::string longest_region_text(const Simulated& simulated, const simulate::Profile& profile) {
  if (simulated.outcome.accesses == 0 || !simulated.outcome.waiting.empty()) return "";
  const auto ranks = static_cast<double>(simulated.outcome.ranks.size());
  const double whole = seconds(simulated.outcome.makespan) * ranks;
  const std::vector<Region> regions =
      by_region(simulated.trace, simulate::sums_by_site(profile, simulated.trace.ranks));
  if (regions.empty() || whole <= 0) return "";
  const Spent& spent = regions.front().spent;
  const double all = std::max(seconds(spent.time()), 1e-12);
  return "  longest: " + (regions.front().path.empty() ? "outside of regions" : regions.front().path) + ", " +
         in_percent(seconds(spent.time()) / whole) + " of the time (computing " +
         in_percent(seconds(spent.compute) / all) + ", messages " +
         in_percent(seconds(spent.communication) / all) + ", idle " +
         in_percent(seconds(spent.waiting) / all) + ")" +
         (spent.accesses == 0
              ? ", without remote accesses\n"
              : ", with " + number(spent.accesses) + " remote accesses of " +
                    format_bytes(static_cast<double>(spent.access_bytes)) + ", " +
                    format_significant(static_cast<double>(spent.accesses) / ranks, 3) + " a rank\n");
}

std::string pairs_text(const simulate::Pairs& pairs, const Style& style, bool all) {
  const std::vector<PairRun> runs = pairs.runs();
  if (runs.empty()) return "  no messages\n";
  std::vector<PairRun> sorted = runs;
  std::stable_sort(sorted.begin(), sorted.end(), [](const PairRun& a, const PairRun& b) {
    return static_cast<double>(a.each.bytes) * static_cast<double>(a.senders()) >
           static_cast<double>(b.each.bytes) * static_cast<double>(b.senders());
  });
  Table table({{"senders", kLeft},
               {"to", kToRight},
               {"messages each", kToRight},
               {"bytes each", kToRight},
               {"of", kLeft}});
  for (std::size_t i = 0; i < sorted.size() && (all || i < kMostRows); ++i) {
    const PairRun& run = sorted[i];
    table.add({senders_text(run), signed_number(run.offset), number(run.each.messages),
               number(run.each.bytes), run.of_collectives ? "collectives" : "messages"});
  }
  return table.text(style) + more(style, sorted.size(), all) +
         dim(style, "  `to`: the receiver's rank less the sender's\n");
}

std::string path_text(const Simulated& simulated, const CriticalPath& path, const Style& style, bool all) {
  const double whole = std::max(seconds(path.time), 1e-12);
  std::string text =
      "  the critical path ends on rank " + number(static_cast<std::uint64_t>(path.rank)) + ": ";
  std::map<PathKind, trace::Time> kinds;
  for (const simulate::PathPart& part : path.parts) kinds[part.kind] += part.time;
  for (const auto& [kind, time] : kinds)
    text += std::string(kind == kinds.begin()->first ? "" : ", ") + std::string(path_kind_name(kind)) + " " +
            in_percent(seconds(time) / whole);
  text += "\n\n";
  const TimeScale scale(whole);
  Table table({{"on the path", kLeft},
               {scale.unit(), kToRight},
               {"share", kToRight},
               {"stretches", kToRight},
               {"call", kLeft},
               {"in", kLeft, Column::Shrink::cut_front},
               {"where", kLeft, Column::Shrink::cut_front}});
  for (std::size_t i = 0; i < path.parts.size() && (all || i < kMostRows); ++i) {
    const simulate::PathPart& part = path.parts[i];
    const std::string region = region_at(simulated.trace, part.site);
    table.add({std::string(path_kind_name(part.kind)), scale.text(seconds(part.time)),
               percent(seconds(part.time) / whole), number(part.stretches),
               call_at(simulated.trace, part.site), region.empty() ? "-" : region,
               where_at(simulated.trace, part.site)});
  }
  text += table.text(style) + more(style, path.parts.size(), all);
  if (path.hand_overs.empty()) return text + "  it stays on that rank\n";
  Table hand_overs({{"from rank", kToRight},
                    {"to", kToRight},
                    {"times", kToRight},
                    {scale.unit() + " under way", kToRight}});
  for (std::size_t i = 0; i < path.hand_overs.size() && (all || i < kMostRows); ++i) {
    const simulate::HandOver& each = path.hand_overs[i];
    hand_overs.add({number(static_cast<std::uint64_t>(each.from)),
                    number(static_cast<std::uint64_t>(each.to)), number(each.times),
                    scale.text(seconds(each.under_way))});
  }
  text += "\n" + hand_overs.text(style) + more(style, path.hand_overs.size(), all);
  Table ranks({{"rank", kToRight}, {scale.unit() + " on the path", kToRight}, {"share", kToRight}});
  for (std::size_t i = 0; i < path.ranks.size() && (all || i < kMostRows); ++i)
    ranks.add({number(static_cast<std::uint64_t>(path.ranks[i].rank)),
               scale.text(seconds(path.ranks[i].time)), percent(seconds(path.ranks[i].time) / whole)});
  return text + "\n" + ranks.text(style) + more(style, path.ranks.size(), all);
}

std::string regions_csv(const trace::Trace& trace, const simulate::Profile& profile) {
  std::string text =
      "region,call,where,ranks,calls,compute,communication,idle,messages,bytes,collective_messages,"
      "collective_bytes,longest_rank,longest,accesses,access_bytes\n";
  for (const SiteSums& site : simulate::sums_by_site(profile, trace.ranks)) {
    text += csv_field(region_at(trace, site.site)) + "," + csv_field(call_at(trace, site.site)) + "," +
            csv_field(where_at(trace, site.site));
    for (const std::string& field :
         {std::to_string(site.ranks), std::to_string(site.sum.calls), format_exact(seconds(site.sum.compute)),
          format_exact(seconds(site.sum.communication)), format_exact(seconds(site.sum.waiting)),
          std::to_string(site.sum.messages), std::to_string(site.sum.bytes),
          std::to_string(site.sum.collective_messages), std::to_string(site.sum.collective_bytes),
          std::to_string(site.most_at), format_exact(seconds(site.most)), std::to_string(site.sum.accesses),
          std::to_string(site.sum.access_bytes)})
      text += "," + field;
    text += "\n";
  }
  return text;
}

std::string pairs_csv(const simulate::Pairs& pairs) {
  std::string text = "first,length,every,blocks,offset,collectives,messages,bytes\n";
  for (const PairRun& run : pairs.runs()) {
    for (const std::int32_t field : {run.first, run.length, run.every, run.blocks, run.offset})
      text += std::to_string(field) + ",";
    text += std::string(run.of_collectives ? "1" : "0") + "," + std::to_string(run.each.messages) + "," +
            std::to_string(run.each.bytes) + "\n";
  }
  return text;
}

}  // namespace parcast::report
