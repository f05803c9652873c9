# SPDX-License-Identifier: Apache-2.0
"""Process grids as the installed MPI library balances them, under the names of Parcast's expressions: extents
gD_K and coordinates cD_K along axis K of a grid with D dimensions, ranks in row-major order."""
import functools
import subprocess

PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int c, char** v) { int d[3] = {0}, n = atoi(v[2]); (void)c;
  MPI_Init(0, 0); MPI_Dims_create(atoi(v[1]), n, d);
  for (int i = 0; i < n; ++i) printf("%d ", d[i]); MPI_Finalize(); }
"""


class Grids:
    def __init__(self, work, launch, environment):
        """The program is compiled below `work`; `launch`: words before -n."""
        (work / "dims.c").write_text(PROGRAM)
        subprocess.run(["mpicc", work / "dims.c", "-o", work / "dims"], check=True, env=environment)
        self.command, self.environment = [*launch, "-n", "1", work / "dims"], environment

    @functools.cache
    def extents(self, p, dimensions):
        done = subprocess.run(
            [*self.command, str(p), str(dimensions)], capture_output=True, text=True, check=True,
            env=self.environment,
        )
        return [int(word) for word in done.stdout.split()]

    def values(self, p, rank):
        """Returns the values of a process: p, r, and extents and coordinates of the grids with 1 to 3
        dimensions."""
        values = {"p": p, "r": rank}
        for d in (1, 2, 3):
            grid, rest = self.extents(p, d), rank
            for k in reversed(range(d)):
                values[f"g{d}_{k}"], values[f"c{d}_{k}"] = grid[k], rest % grid[k]
                rest //= grid[k]
        return values
