// SPDX-License-Identifier: Apache-2.0
#pragma once
// Point to point between rank 0 and one partner: ping-pong, overheads by a receive that comes late, the gap
// by a flood, and the largest message that is sent before its receive is posted.

#include <set>

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// The link between two places: core, socket, node or network; "core" too where a node has one socket.
std::string link_between(const calibrate::Place& a, const calibrate::Place& b, int sockets);

/// Collective. Measures each kind of link that rank 0 has to some other process and that is not among
/// `known`, `seconds` in all. Tables of a link: message-LINK (half a round trip), send-LINK and receive-LINK
/// (occupancy of the two sides by an eager message), flood-LINK (time per message of a stream). The value
/// eager_limit-LINK is in bytes; eager_overlap-LINK and rendezvous_overlap-LINK are calibrate::overlap_of of a message either way with as much
/// computing as it takes; core_share-LINK and share_period-LINK (seconds), where the processes have less than a core, what part of one, and of which stretch of time: occupancy
/// is then what a process pays that computes all the time, and work-LINK that of a send and a receive that has to wait.
void measure_messages(Team& team, const std::set<std::string>& known, const Host& host, double seconds,
                      calibrate::Measurements& into);

}  // namespace parcast::training
