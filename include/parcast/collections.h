/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Data-parallel collections: the elements of an array are distributed over virtual processors, and each
 * processor computes those that it owns, as in pC++ (Mohr, Shanmugam, Malony: Speedy, 1995, section 2). Link
 * with -lparcast-collections (CMake: parcast::collections). docs/manual/collections.md is the tutorial.
 *
 *     using namespace parcast;
 *     int main(int argc, char** argv) {
 *       return collections::run(argc, argv, [&](collections::Team& team) {
 *         DistributedMatrix<double> a(team, {n, n}, {Block, Whole}), b(team, {n, n}, {Block, Block});
 *         a.for_each([](Index2 at, double& x) { x = value(at); });
 *         double far = b.get({i, j});
 *         double total = a.reduce(std::plus<>());
 *       });
 *     } */

#include "parcast/collections/array.h"
#include "parcast/collections/grid.h"

namespace parcast {
using collections::Block;
using collections::BlockCyclic;
using collections::Cyclic;
using collections::DistributedArray;
using collections::DistributedGrid;
using collections::DistributedMatrix;
using collections::DistributedVector;
using collections::Index1;
using collections::Index2;
using collections::Index3;
using collections::Whole;
} /* namespace parcast */
