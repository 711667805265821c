// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace dryfit::history {

/// A prepared SQL statement. Must not outlive its Database. Parameters and columns count from 0.
class Statement {
 public:
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, std::string_view text);
  void bind(int parameter, const std::optional<double>& value);
  void bind_null(int parameter);

  /// True: there is a row to read; false: the statement is done, and can be bound and run again.
  Result<bool> step();

  std::int64_t integer(int column) const;
  std::string text(int column) const;            ///< empty for null
  std::optional<double> real(int column) const;  ///< none for null
  bool is_null(int column) const;

 private:
  friend class Database;
  Statement(class Database* database, sqlite3_stmt* statement);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  class Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open SQLite file. Errors name the file and say what can be done. Not thread-safe; other processes may use the
/// file at the same time.
class Database {
 public:
  /// Creates the file if there is none. `patience` is how long to wait for another process's lock.
  static Result<Database> open(const std::filesystem::path& file,
                               std::chrono::milliseconds patience = std::chrono::seconds(30));

  Status execute(const std::string& sql);
  Result<Statement> prepare(const std::string& sql);

  /// The single number that a query returns.
  Result<std::int64_t> number(const std::string& sql);

  /// Whether the last error was another process's lock, which goes away by itself.
  bool is_locked() const;

  /// Reads the whole file and finds pages, rows and tables that are damaged (PRAGMA quick_check).
  Status check_whole();

  /// How many rows the last statement changed.
  std::int64_t changes() const;

  const std::filesystem::path& file() const { return file_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(std::filesystem::path file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  Error error() const;

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Everything between this and commit() happens, or nothing does. Takes the write lock at once, so that two processes
/// that read first and then write do not wait for each other.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;  ///< null: committed
};

}  // namespace dryfit::history
