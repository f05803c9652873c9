/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_ENTRY_H
#define PARCAST_RECORD_ENTRY_H
/* The functions by which programs call MPI: MPI_Send, PMPI_Send, and the names that a Fortran compiler
 * makes of MPI_SEND.
 *
 * The recorder defines all of them, before the library in lookup order. Each is one jump through a table
 * and passes on all arguments unchanged, whatever their number and kind: no argument is read before the
 * MPI family is known. At first an entry leads to the library's own function (or another tool's). So a
 * process that is not recorded, or whose MPI is not supported, runs as without the recorder. When MPI_Init
 * has returned, the C entries lead to the wrappers of the library's family.
 *
 * A Fortran entry never changes. It stores the caller's address for the wrapper that the library's binding
 * of MPI_SEND calls in turn: MPI_Send or PMPI_Send, depending on library and binding. PMPI_Send is
 * recorded only when a binding calls it: messages that other tools send by the profiling names are not the
 * program's. */

#include <stdbool.h>
#include <stdint.h>

#define PARCAST_EXPORT __attribute__((visibility("default")))
#define PARCAST_HIDDEN __attribute__((visibility("hidden")))

typedef void (*parcast_function)(void);

/* Indexed by number: first the C calls (calls.h), then the same by their profiling names, then all Fortran
 * names. */
extern parcast_function parcast_entries[] PARCAST_HIDDEN;
extern const char* const parcast_entry_names[] PARCAST_HIDDEN;
/* Initial target of each entry: finds the library's function, stores it in the table and jumps there. */
extern void parcast_entry_unresolved(void) PARCAST_HIDDEN;
parcast_function parcast_entry_resolve(uint32_t number) __attribute__((visibility("hidden"), used));
/* Makes the C entries lead to these functions; null leaves an entry unchanged. */
void parcast_entries_turn(const parcast_function* entries, const parcast_function* profiling_entries);

/* The place in the program that called a Fortran binding, which then called here; null when no Fortran entry
 * was passed. */
extern __thread const void* parcast_fortran_site
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Returns whether an address is in a library of Fortran bindings. */
bool parcast_is_binding(const void* address);
void parcast_bindings_changed(void);
const void* parcast_fortran_caller(const void* return_address);

static inline const void* parcast_take_fortran_site(void) {
  const void* site = parcast_fortran_site;
  parcast_fortran_site = 0;
  return site;
}

/* Returns the place of a call that returns to `return_address`. */
static inline __attribute__((always_inline)) const void* parcast_caller(const void* return_address) {
  return __builtin_expect(!parcast_fortran_site, 1) ? return_address : parcast_fortran_caller(return_address);
}

#if !defined(__x86_64__)
#error "The entries of the recorder are written for x86-64"
#endif
#define PARCAST_ENTRIES_BEGIN ".text\n"
#define PARCAST_ENTRY_HEAD(name) \
  ".balign 16\n.globl " name "\n.type " name ",@function\n" name ":\n.cfi_startproc\nendbr64\n"
#define PARCAST_ENTRY_TAIL(name, number)                                                                    \
  "movl $" number ", %r11d\njmp *parcast_entries+8*" number "(%rip)\n.cfi_endproc\n.size " name ", .-" name \
  "\n"
#define PARCAST_ENTRY(name, number) PARCAST_ENTRY_HEAD(name) PARCAST_ENTRY_TAIL(name, number)
#define PARCAST_FORTRAN_ENTRY(name, number)                                        \
  PARCAST_ENTRY_HEAD(name)                                                         \
  "movq (%rsp), %r10\nmovq parcast_fortran_site@gottpoff(%rip), %r11\nmovq %r10, " \
  "%fs:(%r11)\n" PARCAST_ENTRY_TAIL(name, number)
/* Saves every register that may hold an argument; 200 bytes below the return address keep the stack
 * aligned to 16. */
#define PARCAST_ENTRIES_END                                                                              \
  ".balign 16\n.globl parcast_entry_unresolved\n.hidden parcast_entry_unresolved\n"                      \
  ".type parcast_entry_unresolved,@function\nparcast_entry_unresolved:\n.cfi_startproc\nendbr64\n"       \
  "subq $200, %rsp\n.cfi_adjust_cfa_offset 200\n"                                                        \
  "movq %rdi, 0(%rsp)\nmovq %rsi, 8(%rsp)\nmovq %rdx, 16(%rsp)\nmovq %rcx, 24(%rsp)\n"                   \
  "movq %r8, 32(%rsp)\nmovq %r9, 40(%rsp)\nmovq %rax, 48(%rsp)\n"                                        \
  "movups %xmm0, 64(%rsp)\nmovups %xmm1, 80(%rsp)\nmovups %xmm2, 96(%rsp)\nmovups %xmm3, 112(%rsp)\n"    \
  "movups %xmm4, 128(%rsp)\nmovups %xmm5, 144(%rsp)\nmovups %xmm6, 160(%rsp)\nmovups %xmm7, 176(%rsp)\n" \
  "movl %r11d, %edi\ncall parcast_entry_resolve\nmovq %rax, %r11\n"                                      \
  "movups 64(%rsp), %xmm0\nmovups 80(%rsp), %xmm1\nmovups 96(%rsp), %xmm2\nmovups 112(%rsp), %xmm3\n"    \
  "movups 128(%rsp), %xmm4\nmovups 144(%rsp), %xmm5\nmovups 160(%rsp), %xmm6\nmovups 176(%rsp), %xmm7\n" \
  "movq 0(%rsp), %rdi\nmovq 8(%rsp), %rsi\nmovq 16(%rsp), %rdx\nmovq 24(%rsp), %rcx\n"                   \
  "movq 32(%rsp), %r8\nmovq 40(%rsp), %r9\nmovq 48(%rsp), %rax\n"                                        \
  "addq $200, %rsp\n.cfi_adjust_cfa_offset -200\njmp *%r11\n.cfi_endproc\n"                              \
  ".size parcast_entry_unresolved, .-parcast_entry_unresolved\n"

#endif
