// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/database.h"

#include <sqlite3.h>

#include <utility>

namespace dryfit::history {
namespace {

constexpr const char* kDamaged =
    "Move it elsewhere and recover its data with `sqlite3 FILE .recover`; Dryfit then starts a new one.";

/// What a user can do about an SQLite error.
std::string hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "Give a Dryfit history, or the name of a file that does not exist yet.";
    case SQLITE_CORRUPT:
      return kDamaged;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "Other processes are writing to it; try again.";
    case SQLITE_FULL:
      return "Free some disk space and try again; nothing was written.";
    case SQLITE_IOERR:
      return "The disk may be full, or it failed; nothing was written.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return "Name a file in a writable folder with --history.";
    default:
      return "Nothing was written.";
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Statement::Statement(Database* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}

void Statement::bind(int parameter, std::int64_t value) { sqlite3_bind_int64(statement_.get(), parameter + 1, value); }

void Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bind(int parameter, const std::optional<double>& value) {
  if (!value) return bind_null(parameter);
  sqlite3_bind_double(statement_.get(), parameter + 1, *value);
}

void Statement::bind_null(int parameter) { sqlite3_bind_null(statement_.get(), parameter + 1); }

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) return database_->error();
  sqlite3_reset(statement_.get());
  return false;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text ? std::string(reinterpret_cast<const char*>(text), size) : std::string();
}

std::optional<double> Statement::real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(sqlite3_column_double(statement_.get(), column));
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

Result<Database> Database::open(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(file, handle);
  if (code != SQLITE_OK) return database.error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  return database;
}

Error Database::error() const {
  const int code = handle_ ? sqlite3_errcode(handle_.get()) : SQLITE_NOMEM;
  const char* message = handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory";
  return {"history '" + file_.string() + "': " + message, hint_for(code)};
}

Status Database::execute(const std::string& sql) {
  return sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : error();
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return error();
  return Statement(this, statement);
}

Result<std::int64_t> Database::number(const std::string& sql) {
  auto statement = prepare(sql);
  if (!statement) return statement.error();
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : 0;
}

bool Database::is_locked() const {
  const int code = sqlite3_errcode(handle_.get()) & 0xff;
  return code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_PROTOCOL;
}

Status Database::check_whole() {
  auto check = prepare("PRAGMA quick_check(1)");
  if (!check) return check.error();
  const auto row = check->step();
  if (!row) return row.error();
  if (check->text(0) == "ok") return {};
  return Error{"history '" + file_.string() + "': the file is damaged", kDamaged};
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

Result<Transaction> Transaction::begin(Database& database) {
  if (auto status = database.execute("BEGIN IMMEDIATE"); !status) return status.error();
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_) (void)database_->execute("ROLLBACK");
}

Status Transaction::commit() {
  if (auto status = database_->execute("COMMIT"); !status) return status;
  database_ = nullptr;
  return {};
}

}  // namespace dryfit::history
