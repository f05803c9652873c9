// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine on one screen: what it is, its cores, memory and messages, six patterns of communication, and how
// much its measurements vary. The rest is named, with the command that prints it.
//
//   here  1 node of 2 cores, 25.3 GB each
//     Intel(R) Xeon(R) Processor, Open MPI v4.1.4
//     measured 2026-11-28T02:29:49Z with mpirun -n {p}
//
//                 one core             all cores, each
//     core speed  3.12 G operations/s  3.61 G operations/s
//     memory      9.20 GB/s ± 15%      6.10 GB/s ± 15%
//     last cache  L3, 315 MB
//
//     messages between   latency       bandwidth         eager up to
//     cores of a socket  230 ns ± 20%  6.85 GB/s ± 5.3%  4.04 kB
//
//     2 processes  broadcast  allreduce  barrier  alltoall  allgather  exchange
//     8 B             470 ns     824 ns   482 ns    723 ns     727 ns    729 ns
//     1 MB            141 us     299 us            ...
//
//     equal work varies by 17 % in time, the core speed by 18 % between launches
//     left out: operations, OpenMP, 28 patterns, sources: parcast machine show here --all

#include <string>
#include <vector>

#include "machine/machine.h"
#include "report/style.h"

namespace parcast::report {

/// `show`: the command that prints this machine, e.g. "parcast machine show here".
std::string machine_summary(const machine::Machine& machine, const std::string& show, const Style& style);

/// Returns the tables that most programs depend on, at most six, in the order in which they are printed.
std::vector<const machine::PatternCost*> usual_patterns(const machine::Machine& machine);

/// Returns the machine's notes as text. At most three are printed: the first ones that name a command or an
/// option, each another one. The others are counted, and printed with --notes.
std::string machine_notes(const machine::Machine& machine, const std::string& show, const Style& style);

}  // namespace parcast::report
