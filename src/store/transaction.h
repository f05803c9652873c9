// SPDX-License-Identifier: Apache-2.0
#pragma once
// A transaction that is rolled back unless it is committed.

#include <soci/soci.h>

#include "store/dialect.h"

namespace parcast::store {

class Transaction {
 public:
  enum class For { reading, writing };
  Transaction(soci::session& sql, const Dialect& dialect, For purpose) : sql_(sql) {
    purpose == For::writing ? dialect.begin_writing(sql_) : dialect.begin_reading(sql_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) try {
        sql_ << "ROLLBACK";
      } catch (const soci::soci_error&) {  // the database has already rolled back, or the connection is lost
      }
  }
  void commit() {
    sql_ << "COMMIT";
    open_ = false;
  }

 private:
  soci::session& sql_;
  bool open_ = true;
};

}  // namespace parcast::store
