#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nanoseconds that the recorder adds to a call, at the quartiles over 2,001 batches of 500 calls:
#   event_cost.sh LIBPARCAST-RECORD.SO [FOLDER FOR THE RECORDING]
set -eu
recorder=$1
work=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/event-cost.XXXXXX")
trap 'rm -rf "$work"' EXIT
mpicc -O2 -o "$work/event_cost" "$(dirname "$0")/event_cost.c"
"$work/event_cost" >"$work/plain"
LD_PRELOAD=$recorder PARCAST_OUT=$work/out PARCAST_LIMIT=4G "$work/event_cost" >"$work/recorded"
printf '%-20s %10s %10s %10s   added, ns per call\n' call q1 median q3
paste "$work/plain" "$work/recorded" |
  awk '{ printf "%-20s %10.1f %10.1f %10.1f   (%.1f without, %.1f with)\n", $1, $6 - $2, $7 - $3, $8 - $4, $3, $7 }'
