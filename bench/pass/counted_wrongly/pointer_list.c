// words: N
// loops: symbolic
// A list's last node points to the size.
#include "../../../tests/pass/program.h"
struct Node { struct Node* next; int* at; };
static struct Node* first;
NOINLINE static void add(struct Node* node, int* at) { node->at = at; node->next = first; first = node; }
NOINLINE static void put(int most) { for (struct Node* x = first; x && most-- > 0; x = x->next) *x->at = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 3;
  struct Node a, b;
  add(&a, &n);
  add(&b, &m);
  put(n > 150 ? 2 : 1);
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  first = NULL;
  MPI_Finalize();
  return 0;
}