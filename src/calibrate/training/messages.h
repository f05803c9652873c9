// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures messages between rank 0 and one partner: ping-pong, overheads by a late receive, the gap by a
// flood, and the largest message that is sent before its receive is posted.

#include <set>

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Returns the link between two places: core, socket, node or network; "core" also on a node with one socket.
std::string link_between(const calibrate::Place& a, const calibrate::Place& b, int sockets);

/// Collective. Measures, for `seconds` in total, each kind of link between rank 0 and another process, except
/// those in `known`.
///
/// Tables of a link: message-LINK (half a round trip), send-LINK and receive-LINK (time that an eager message
/// occupies each side), flood-LINK (time per message of a stream). The value eager_limit-LINK is in bytes.
/// eager_overlap-LINK and rendezvous_overlap-LINK are calibrate::overlap_of for a message each way with the
/// same time of computing.
///
/// If the processes have less than a core, core_share-LINK is their part of a core and share_period-LINK
/// (seconds) its period. The occupancy is then that of a process that computes all the time. work-LINK is the
/// occupancy of a send and of a receive that has to wait.
void measure_messages(Team& team, const std::set<std::string>& known, const Host& host, double seconds,
                      calibrate::Measurements& into);

}  // namespace parcast::training
