// SPDX-License-Identifier: Apache-2.0
#include "trace/left_out.h"

#include "base/text.h"

namespace parcast::trace {

std::vector<std::string> warnings(const LeftOut& what, bool counted) {
  std::vector<std::string> sentences;
  for (const Tally* each : {&what.unfinished, &what.dropped, &what.unfollowed, &what.outside,
                            &what.unknown_communicators, &what.incomplete_neighbourhoods, &what.unmatched,
                            &what.forgotten, &what.probes, &what.epochs, &what.files})
    each->say(sentences, counted);
  return sentences;
}

std::vector<std::string> assumptions(const LeftOut& what, bool counted) {
  std::vector<std::string> sentences;
  for (const Tally* each :
       {&what.shares, &what.other_threads, &what.in_lanes, &what.cancelled, &what.by_arrival,
        &what.any_source, &what.any_tag, &what.blocking_receives, &what.matched_probes, &what.persistent,
        &what.started_collectives, &what.created, &what.accesses, &what.exchanges, &what.flushes,
        &what.starts, &what.locks, &what.unchecked, &what.inter_collectives})
    each->say(sentences, counted);
  const auto seconds = [&](double number) {
    return counted ? " (" + format_seconds(number) + ", all ranks together)" : std::string();
  };
  if (what.interrupted > 0)
    sentences.push_back("time in which other work had the processor" + seconds(what.interrupted) +
                        " counts as computing: there was a core for each process");
  if (what.polled > 0)
    sentences.push_back("polls that found nothing, after which the program went on with something else" +
                        seconds(what.polled) +
                        ", count as computing; polls until something is found are waiting");
  return sentences;
}

}  // namespace parcast::trace
