/* SPDX-License-Identifier: Apache-2.0 */
#include "record/mpi/unwind.h"

#include <stddef.h>
#include <string.h>

/* Numbers defined by the ABI. */
enum { kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16 };
enum { kTableOffsets = 0x3b, kCount32 = 0x03, kRelative32 = 0x1b, kSized = 'z' };

/* Bytes read in sequence. After the end, or after invalid bytes, `bad` is set. */
struct bytes {
  const unsigned char *at, *end;
  bool bad;
};

static uint64_t take(struct bytes* from, unsigned count) {
  uint64_t value = 0;
  if ((size_t)(from->end - from->at) < count) {
    from->bad = true;
    from->at = from->end;
    return 0;
  }
  memcpy(&value, from->at, count);
  from->at += count;
  return value;
}

static int64_t take_signed(struct bytes* from) {
  uint64_t value = 0, byte = 0x80;
  unsigned shift = 0;
  for (; byte & 0x80 && !from->bad; shift += 7) {
    byte = take(from, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  if (shift < 64 && byte & 0x40) value |= ~0ull << shift;
  return (int64_t)value;
}

static uint64_t take_unsigned(struct bytes* from) {
  uint64_t value = 0, byte = 0x80;
  for (unsigned shift = 0; byte & 0x80 && !from->bad; shift += 7) {
    byte = take(from, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  return value;
}

/* Returns the next `count` bytes as a separate sequence. */
static struct bytes part_of(struct bytes* from, uint64_t count) {
  struct bytes part = {from->at, from->at, false};
  if ((uint64_t)(from->end - from->at) < count) {
    from->bad = part.bad = true;
    return part;
  }
  part.end = from->at += count;
  return part;
}

static unsigned pointer_bytes(unsigned encoding) {
  static const unsigned char sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
  return sizes[encoding & 15];
}

/* The storage place of a register of the caller. */
enum where { SAME, AT_CFA, AT_FRAME, UNDEFINED, ELSEWHERE };
struct saved {
  enum where where;
  int64_t offset;
};
struct row {
  /* kKept: the word at frame pointer + cfa_offset */
  uint64_t cfa_register;
  int64_t cfa_offset;
  struct saved frame, back; /* frame pointer and return address */
};
enum { kKept = 1 << 10, kNoRegister = kKept + 1, kMostRemembered = 8 };

/* The common part of the entries of several functions (CIE). */
struct common {
  uint64_t code_step;
  int64_t data_step;
  unsigned encoding; /* encoding of addresses in a function's entry */
  bool sized;        /* entries contain the length of their optional part */
  bool signal;       /* the function was not called but interrupted the program */
  struct bytes code;
};

static struct saved* of_register(struct row* row, uint64_t number) {
  return number == kFramePointer ? &row->frame : number == kReturnAddress ? &row->back : NULL;
}

static void save(struct row* row, uint64_t number, enum where where, int64_t offset) {
  struct saved* saved = of_register(row, number);
  if (saved) *saved = (struct saved){where, offset};
}

static void restore(struct row* row, const struct row* initial, uint64_t number) {
  struct row copy = *initial;
  const struct saved *from = of_register(&copy, number), before = from ? *from : (struct saved){SAME, 0};
  save(row, number, before.where, before.offset);
}

enum { kByRegister = 0x70, kByFrame = kByRegister + kFramePointer, kFetch = 0x06 };

/* Returns whether the expression is "frame pointer + offset", or the word there: compilers use no other
 * for frames that can be followed. */
static bool is_by_frame(struct bytes expression, bool fetched, int64_t* offset) {
  if (take(&expression, 1) != kByFrame) return false;
  *offset = take_signed(&expression);
  if (fetched && take(&expression, 1) != kFetch) return false;
  return !expression.bad && expression.at == expression.end;
}

static void define_by_expression(struct row* row, struct bytes expression) {
  row->cfa_register = is_by_frame(expression, true, &row->cfa_offset) ? kKept : kNoRegister;
}

static void save_by_expression(struct row* row, uint64_t number, struct bytes expression) {
  int64_t offset = 0;
  const bool known = is_by_frame(expression, false, &offset);
  save(row, number, known ? AT_FRAME : ELSEWHERE, offset);
}

struct machine {
  const struct common* common;
  struct row row, initial, remembered[kMostRemembered];
  unsigned depth;
  uint64_t place; /* bytes from the function's begin */
};

static void remember(struct machine* machine, struct bytes* code) {
  if (machine->depth < kMostRemembered)
    machine->remembered[machine->depth++] = machine->row;
  else
    code->bad = true;
}

static void recall(struct machine* machine, struct bytes* code) {
  if (machine->depth > 0)
    machine->row = machine->remembered[--machine->depth];
  else
    code->bad = true;
}

/* Executes one instruction whose two upper bits are 0: the table of DWARF 5, 7.24, and two of GNU's. */
static void extended(struct machine* machine, struct bytes* code, unsigned instruction) {
  struct row* row = &machine->row;
  const int64_t step = machine->common->data_step;
  uint64_t number = 0;
  switch (instruction) {
    case 0x00:
      break;
    case 0x02:
      machine->place += take(code, 1) * machine->common->code_step;
      break;
    case 0x03:
      machine->place += take(code, 2) * machine->common->code_step;
      break;
    case 0x04:
      machine->place += take(code, 4) * machine->common->code_step;
      break;
    case 0x05:
      number = take_unsigned(code), save(row, number, AT_CFA, (int64_t)take_unsigned(code) * step);
      break;
    case 0x06:
      restore(row, &machine->initial, take_unsigned(code));
      break;
    case 0x07:
      save(row, take_unsigned(code), UNDEFINED, 0);
      break;
    case 0x08:
      save(row, take_unsigned(code), SAME, 0);
      break;
    case 0x09:
      number = take_unsigned(code), take_unsigned(code), save(row, number, ELSEWHERE, 0);
      break;
    case 0x0a:
      remember(machine, code);
      break;
    case 0x0b:
      recall(machine, code);
      break;
    case 0x0c:
      row->cfa_register = take_unsigned(code), row->cfa_offset = (int64_t)take_unsigned(code);
      break;
    case 0x0d:
      row->cfa_register = take_unsigned(code);
      break;
    case 0x0e:
      row->cfa_offset = (int64_t)take_unsigned(code);
      break;
    case 0x0f:
      define_by_expression(row, part_of(code, take_unsigned(code)));
      break;
    case 0x10:
      number = take_unsigned(code), save_by_expression(row, number, part_of(code, take_unsigned(code)));
      break;
    case 0x11:
      number = take_unsigned(code), save(row, number, AT_CFA, take_signed(code) * step);
      break;
    case 0x12:
      row->cfa_register = take_unsigned(code), row->cfa_offset = take_signed(code) * step;
      break;
    case 0x13:
      row->cfa_offset = take_signed(code) * step;
      break;
    case 0x14:
      number = take_unsigned(code), take_unsigned(code), save(row, number, ELSEWHERE, 0);
      break;
    case 0x15:
      number = take_unsigned(code), take_signed(code), save(row, number, ELSEWHERE, 0);
      break;
    case 0x16:
      number = take_unsigned(code), part_of(code, take_unsigned(code)), save(row, number, ELSEWHERE, 0);
      break;
    case 0x2e:
      take_unsigned(code);
      break;
    case 0x2f:
      number = take_unsigned(code), save(row, number, AT_CFA, -(int64_t)take_unsigned(code) * step);
      break;
    default:
      code->bad = true;
  }
}

/* Executes the instructions up to `place`; returns false when one is not supported. */
static bool run(struct machine* machine, struct bytes code, uint64_t place) {
  while (code.at < code.end && !code.bad) {
    const unsigned byte = (unsigned)take(&code, 1), low = byte & 63;
    switch (byte >> 6) {
      case 0:
        extended(machine, &code, low);
        break;
      case 1:
        machine->place += low * machine->common->code_step;
        break;
      case 2:
        save(&machine->row, low, AT_CFA, (int64_t)take_unsigned(&code) * machine->common->data_step);
        break;
      default:
        restore(&machine->row, &machine->initial, low);
    }
    if (machine->place > place) return true;
  }
  return !code.bad;
}

/* Returns an entry of .eh_frame; its length precedes it. */
static struct bytes entry_at(const struct parcast_unwind_table* table, const unsigned char* at) {
  struct bytes all = {at, table->high, at < table->low || at >= table->high};
  if (all.bad) return (struct bytes){at, at, true};
  const uint64_t length = take(&all, 4);
  if (all.bad || length == 0 || length == 0xffffffffu) return (struct bytes){at, at, true};
  return part_of(&all, length);
}

/* Reads what the letters of the augmentation announce. */
static void read_augmentation(struct common* common, const char* letters, struct bytes told) {
  for (const char* c = letters + 1; *c && !told.bad; ++c) {
    if (*c == 'R')
      common->encoding = (unsigned)take(&told, 1);
    else if (*c == 'L')
      take(&told, 1);
    else if (*c == 'P')
      take(&told, pointer_bytes((unsigned)take(&told, 1)));
    else if (*c == 'S')
      common->signal = true;
    else
      return;
  }
}

static bool read_common(const struct parcast_unwind_table* table, const unsigned char* at,
                        struct common* common) {
  struct bytes entry = entry_at(table, at);
  if (take(&entry, 4) != 0) return false;
  const uint64_t version = take(&entry, 1);
  const char* letters = (const char*)entry.at;
  while (take(&entry, 1) != 0 && !entry.bad) {
  }
  *common = (struct common){.encoding = 0};
  common->code_step = take_unsigned(&entry);
  common->data_step = take_signed(&entry);
  const uint64_t back = version == 1 ? take(&entry, 1) : take_unsigned(&entry);
  if (entry.bad || (version != 1 && version != 3) || back != kReturnAddress) return false;
  common->sized = letters[0] == kSized;
  if (letters[0] && !common->sized) return false;
  if (common->sized) read_augmentation(common, letters, part_of(&entry, take_unsigned(&entry)));
  common->code = entry;
  return !entry.bad;
}

/* Finds the entry of the last function that begins at or before the address; the table is sorted. */
static const unsigned char* find_entry(const struct parcast_unwind_table* table, uintptr_t address,
                                       uintptr_t* begin) {
  struct bytes head = {table->header, table->high,
                       table->header < table->low || table->header >= table->high};
  if (head.bad) return NULL;
  const uint64_t version = take(&head, 1), pointer = take(&head, 1), count_as = take(&head, 1),
                 as = take(&head, 1);
  take(&head, 4);
  const uint64_t count = take(&head, 4);
  if (head.bad || version != 1 || pointer != kRelative32 || count_as != kCount32 || as != kTableOffsets)
    return NULL;
  if ((uint64_t)(head.end - head.at) / 8 < count) return NULL;
  const unsigned char* pairs = head.at;
  uint64_t low = 0, high = count;
  int32_t pair[2] = {0, 0};
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    memcpy(pair, pairs + 8 * middle, sizeof pair);
    if ((uintptr_t)table->header + (uintptr_t)(intptr_t)pair[0] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return NULL;
  memcpy(pair, pairs + 8 * (low - 1), sizeof pair);
  *begin = (uintptr_t)table->header + (uintptr_t)(intptr_t)pair[0];
  return table->header + pair[1];
}

static bool fits(int64_t offset) {
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

static struct parcast_rule rule_of(const struct row* row, uintptr_t function) {
  struct parcast_rule rule = {.function = function};
  if (!fits(row->cfa_offset) || !fits(row->frame.offset) || !fits(row->back.offset)) return rule;
  rule.cfa_offset = (int32_t)row->cfa_offset;
  rule.frame_offset = (int32_t)row->frame.offset;
  rule.return_offset = (int32_t)row->back.offset;
  rule.frame = row->frame.where == SAME       ? PARCAST_FRAME_SAME
               : row->frame.where == AT_CFA   ? PARCAST_FRAME_BY_CFA
               : row->frame.where == AT_FRAME ? PARCAST_FRAME_BY_FRAME
                                              : PARCAST_FRAME_LOST;
  if (row->back.where == UNDEFINED)
    rule.cfa = PARCAST_CFA_OUTERMOST;
  else if (row->back.where != AT_CFA)
    rule.cfa = PARCAST_CFA_UNKNOWN;
  else if (row->cfa_register == kStackPointer)
    rule.cfa = PARCAST_CFA_STACK;
  else if (row->cfa_register == kFramePointer)
    rule.cfa = PARCAST_CFA_FRAME;
  else if (row->cfa_register == kKept)
    rule.cfa = PARCAST_CFA_KEPT;
  return rule;
}

struct parcast_rule parcast_unwind_rule(const struct parcast_unwind_table* table, uintptr_t address) {
  const struct parcast_rule unknown = {.cfa = PARCAST_CFA_UNKNOWN};
  uintptr_t begin = 0;
  const unsigned char* at = table->header ? find_entry(table, address, &begin) : NULL;
  if (!at) return unknown;
  struct bytes entry = entry_at(table, at);
  const unsigned char* pointer = entry.at;
  const uint64_t back = take(&entry, 4);
  struct common common;
  if (entry.bad || back == 0 || back > (uint64_t)(pointer - table->low) ||
      !read_common(table, pointer - back, &common))
    return unknown;
  const unsigned bytes = pointer_bytes(common.encoding);
  take(&entry, bytes);
  const uint64_t length = take(&entry, bytes);
  if (common.sized) part_of(&entry, take_unsigned(&entry));
  if (bytes == 0 || entry.bad || common.signal || address - begin >= length) return unknown;
  struct machine machine = {.common = &common, .row = {.cfa_register = kNoRegister, .back = {ELSEWHERE, 0}}};
  if (!run(&machine, common.code, 0)) return unknown;
  machine.initial = machine.row;
  if (!run(&machine, entry, address - begin)) return unknown;
  return rule_of(&machine.row, begin);
}
