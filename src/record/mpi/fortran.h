/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FORTRAN_H
#define PARCAST_RECORD_FORTRAN_H
/* Fortran programs. A library's binding of MPI_SEND is a procedure mpi_send_ (or another name by the compiler's
 * convention, and mpi_send_f08_) that translates its arguments and calls C: in Open MPI PMPI_Send, in MPICH MPI_Send. So
 * the recorder stands in front of both, and takes part in the first only where a binding is the caller: what other tools
 * send by the profiling names is not the program's.
 *
 * The return address there is the binding's. The program's own is left by an entry of the recorder of the binding's name,
 * which hands all arguments on as they came, in whatever number and kind: no argument of Fortran is ever looked at. */

#include <stdbool.h>
#include <stdint.h>

/* Whether an address lies in a library of Fortran bindings. */
bool parcast_is_binding(const void* address);
/* Where the program called, once; null where no entry of ours was passed. */
const void* parcast_take_fortran_site(void);

extern __thread const void* parcast_fortran_site __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern const char* const parcast_fortran_names[] __attribute__((visibility("hidden")));
extern void* parcast_fortran_next[] __attribute__((visibility("hidden"))); /* the procedures, found at their first call */
/* Called by the entries, from assembly. */
void* parcast_fortran_resolve(uint32_t name) __attribute__((visibility("hidden"), used));

/* On other processors calls from Fortran are recorded without a place. */
#if defined(__x86_64__)
#define PARCAST_FORTRAN_ENTRIES
#define PARCAST_FORTRAN_BEGIN ".text\n"
#define PARCAST_FORTRAN_ENTRY(name, number)                                                          \
  ".balign 16\n.globl " name "\n.type " name ",@function\n" name ":\n.cfi_startproc\nendbr64\n"       \
  "movl $" number ", %eax\njmp parcast_fortran_go\n.cfi_endproc\n.size " name ", .-" name "\n"
/* Keeps every register that may hold an argument; 200 bytes below the return address keep the stack aligned at 16. */
#define PARCAST_FORTRAN_END                                                                          \
  ".balign 16\n.type parcast_fortran_go,@function\nparcast_fortran_go:\n.cfi_startproc\n"            \
  "movq (%rsp), %r10\nmovq parcast_fortran_site@gottpoff(%rip), %r11\nmovq %r10, %fs:(%r11)\n"      \
  "leaq parcast_fortran_next(%rip), %r11\nmovq (%r11,%rax,8), %r11\ntestq %r11, %r11\nje 1f\n"      \
  "jmp *%r11\n"                                                                                      \
  "1: subq $200, %rsp\n.cfi_adjust_cfa_offset 200\n"                                                 \
  "movq %rdi, 0(%rsp)\nmovq %rsi, 8(%rsp)\nmovq %rdx, 16(%rsp)\nmovq %rcx, 24(%rsp)\n"              \
  "movq %r8, 32(%rsp)\nmovq %r9, 40(%rsp)\n"                                                         \
  "movups %xmm0, 64(%rsp)\nmovups %xmm1, 80(%rsp)\nmovups %xmm2, 96(%rsp)\nmovups %xmm3, 112(%rsp)\n" \
  "movups %xmm4, 128(%rsp)\nmovups %xmm5, 144(%rsp)\nmovups %xmm6, 160(%rsp)\nmovups %xmm7, 176(%rsp)\n" \
  "movl %eax, %edi\ncall parcast_fortran_resolve\nmovq %rax, %r11\n"                                 \
  "movups 64(%rsp), %xmm0\nmovups 80(%rsp), %xmm1\nmovups 96(%rsp), %xmm2\nmovups 112(%rsp), %xmm3\n" \
  "movups 128(%rsp), %xmm4\nmovups 144(%rsp), %xmm5\nmovups 160(%rsp), %xmm6\nmovups 176(%rsp), %xmm7\n" \
  "movq 0(%rsp), %rdi\nmovq 8(%rsp), %rsi\nmovq 16(%rsp), %rdx\nmovq 24(%rsp), %rcx\n"              \
  "movq 32(%rsp), %r8\nmovq 40(%rsp), %r9\n"                                                         \
  "addq $200, %rsp\n.cfi_adjust_cfa_offset -200\njmp *%r11\n.cfi_endproc\n"                          \
  ".size parcast_fortran_go, .-parcast_fortran_go\n"
#endif

#endif
