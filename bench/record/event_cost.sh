#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the nanoseconds that the recorder adds to a call, at the quartiles over 10,001 batches of 100 calls,
# and in the mean. Once in 1,170 events the recorder prepares a new block of the file, which the mean includes
# and the median does not:
#   [MPICC=mpicc.mpich] [PARCAST_STACK=on] event_cost.sh LIBPARCAST-RECORD.SO [FOLDER FOR THE RECORDING]
set -eu
recorder=$1
work=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/event-cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
"${MPICC:-mpicc}" -O2 -o "$work/event_cost" "$(dirname "$0")/event_cost.c"
"$work/event_cost" >"$work/plain"
LD_PRELOAD=$recorder PARCAST_OUT=$work/out PARCAST_LIMIT=4G "$work/event_cost" >"$work/recorded"
printf '%-20s %8s %8s %8s %8s   added, ns per call\n' call q1 median q3 mean
paste "$work/plain" "$work/recorded" |
  awk '{ printf "%-20s %8.1f %8.1f %8.1f %8.1f   (median %.1f without, %.1f with)\n", $1, $7 - $2, $8 - $3, $9 - $4, $10 - $5, $3, $8 }'
