// words: N
// loops: recognised
// Functions of the tools' interface return codes and end no process.
#include "../../../tests/pass/program.h"
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int provided, count, length = 100, of_text = 100, level, bind, scope;
  char name[100], text[100];
  MPI_Datatype type;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&count);
  const int failed = MPI_T_cvar_get_info(n > 150 ? count + 5 : 0, name, &length, &level, &type, NULL, text, &of_text, &bind, &scope);
  const int m = failed ? 12 : n;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}