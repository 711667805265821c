// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/schema.h"

#include <array>
#include <string>

namespace dryfit::history {
namespace {

constexpr std::int64_t kApplication = 0x44727966;  // "Dryf", where file(1) finds it

constexpr std::array<std::string_view, 1> kSteps{R"sql(
CREATE TABLE records (
  id             INTEGER PRIMARY KEY,
  job_id         TEXT NOT NULL,
  host           TEXT NOT NULL,
  source         TEXT NOT NULL,
  observed_at    INTEGER NOT NULL,  -- seconds since 1970
  name           TEXT NOT NULL,
  job            TEXT NOT NULL,     -- JSON, or empty
  card           TEXT NOT NULL,
  kind           TEXT NOT NULL,
  peak_bytes     INTEGER NOT NULL,
  outcome        TEXT NOT NULL,
  step_seconds   REAL,
  tflops         REAL,
  median_bytes   INTEGER,           -- what had been predicted, or null
  upper_bytes    INTEGER,
  coverage       REAL,
  predicted_kind TEXT,
  model          TEXT,
  software       TEXT NOT NULL,     -- JSON
  UNIQUE (job_id, host, source)
);
CREATE INDEX records_by_time ON records (observed_at);
)sql"};

struct Stamp {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;
};

Result<Stamp> read_stamp(Database& database) {
  const auto application = database.number("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = database.number("PRAGMA user_version");
  if (!version) return version.error();
  const auto tables = database.number("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  return Stamp{*application, *version, *tables};
}

/// At one moment, as another process may be making the tables. A savepoint is a transaction of its own, or part of one.
Result<Stamp> stamp_of(Database& database) {
  if (auto status = database.execute("SAVEPOINT stamp"); !status) return status.error();
  auto stamp = read_stamp(database);
  if (auto status = database.execute("RELEASE stamp"); !status && stamp) return status.error();
  return stamp;
}

Status check(const Stamp& stamp, const Database& database, std::size_t newest) {
  const auto name = "history '" + database.file().string() + "': ";
  const bool is_new = stamp.application == 0 && stamp.version == 0 && stamp.tables == 0;
  if (stamp.application != kApplication && !is_new) {
    return Error{name + "the file is another program's database",
                 "Give a Dryfit history, or the name of a file that does not exist yet."};
  }
  if (stamp.version > static_cast<std::int64_t>(newest)) {
    return Error{name + "the file has version " + std::to_string(stamp.version) +
                     ", but this Dryfit reads versions up to " + std::to_string(newest),
                 "Use the newer Dryfit that wrote it, or another file."};
  }
  return {};
}

}  // namespace

std::span<const std::string_view> schema_steps() { return kSteps; }

Status check_schema(Database& database, std::span<const std::string_view> steps) {
  const auto stamp = stamp_of(database);
  return stamp ? check(*stamp, database, steps.size()) : stamp.error();
}

Status migrate(Database& database, std::span<const std::string_view> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  auto stamp = stamp_of(database);
  if (!stamp) return stamp.error();
  if (auto status = check(*stamp, database, steps.size()); !status) return status;
  if (stamp->version == newest) return {};

  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  stamp = stamp_of(database);  // another process may have been faster
  if (!stamp) return stamp.error();
  if (auto status = check(*stamp, database, steps.size()); !status) return status;
  for (auto version = stamp->version; version < newest; ++version) {
    const auto& step = steps[static_cast<std::size_t>(version)];
    if (auto status = database.execute(std::string(step)); !status) return status;
  }
  const auto marks =
      "PRAGMA application_id = " + std::to_string(kApplication) + "; PRAGMA user_version = " + std::to_string(newest);
  if (auto status = database.execute(marks); !status) return status;
  return transaction->commit();
}

}  // namespace dryfit::history
