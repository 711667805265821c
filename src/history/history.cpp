// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "history/journal.h"
#include "history/schema.h"

namespace dryfit::history {
namespace {

namespace fs = std::filesystem;

constexpr const char* kColumns =
    "job_id, host, source, observed_at, name, job, card, kind, peak_bytes, outcome, step_seconds, tflops, "
    "median_bytes, upper_bytes, coverage, predicted_kind, model, software";

std::string software_text(const Record& record) {
  return nlohmann::json(record.software).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void bind_prediction(Statement& insert, const std::optional<PastPrediction>& predicted) {
  if (!predicted) {
    for (int i = 12; i <= 16; ++i) insert.bind_null(i);
    return;
  }
  insert.bind(12, static_cast<std::int64_t>(predicted->median.count));
  insert.bind(13, static_cast<std::int64_t>(predicted->upper.count));
  insert.bind(14, std::optional(predicted->coverage));
  insert.bind(15, to_text(predicted->kind));
  insert.bind(16, predicted->model);
}

void bind(Statement& insert, const Record& record) {
  insert.bind(0, record.job_id);
  insert.bind(1, record.host);
  insert.bind(2, record.source);
  insert.bind(3, record.when);
  insert.bind(4, record.name);
  insert.bind(5, record.job);
  insert.bind(6, record.card);
  insert.bind(7, to_text(record.kind));
  insert.bind(8, static_cast<std::int64_t>(record.peak.count));
  insert.bind(9, to_text(record.outcome));
  insert.bind(10, record.step_seconds);
  insert.bind(11, record.tflops);
  bind_prediction(insert, record.predicted);
  insert.bind(17, software_text(record));
}

Bytes bytes(const Statement& row, int column) { return {static_cast<std::uint64_t>(row.integer(column))}; }

Result<std::optional<PastPrediction>> prediction_in(const Statement& row) {
  if (row.is_null(12)) return std::optional<PastPrediction>();
  const auto kind = parse_kind(row.text(15));
  if (!kind) return kind.error();
  return std::optional(PastPrediction{bytes(row, 12), bytes(row, 13), row.real(14).value_or(0), *kind, row.text(16)});
}

Result<Record> record_in(const Statement& row) {
  Record record{.job_id = row.text(0),
                .host = row.text(1),
                .source = row.text(2),
                .when = row.integer(3),
                .name = row.text(4),
                .job = row.text(5),
                .card = row.text(6),
                .peak = bytes(row, 8),
                .step_seconds = row.real(10),
                .tflops = row.real(11)};
  const auto kind = parse_kind(row.text(7));
  if (!kind) return kind.error();
  const auto outcome = parse_outcome(row.text(9));
  if (!outcome) return outcome.error();
  auto predicted = prediction_in(row);
  if (!predicted) return predicted.error();
  record.kind = *kind;
  record.outcome = *outcome;
  record.predicted = std::move(predicted).value();
  const auto software = nlohmann::json::parse(row.text(17), nullptr, false);
  for (const auto& [name, version] : software.items()) {
    if (version.is_string()) record.software[name] = version.get<std::string>();
  }
  return record;
}

/// " WHERE a = ? AND b >= ?", and what is bound to it, in that order.
class Condition {
 public:
  explicit Condition(const Filter& filter) {
    add("job_id = ?", filter.job_id);
    add("host = ?", filter.host);
    add("source = ?", filter.source);
    add("card = ?", filter.card);
    add("name = ?", filter.name);
    add("observed_at >= ?", filter.since);
    add("observed_at < ?", filter.before);
  }

  const std::string& text() const { return text_; }
  void bind_to(Statement& statement) const {
    int parameter = 0;
    for (const auto& value : texts_) statement.bind(parameter++, std::string_view(value));
    for (const auto value : times_) statement.bind(parameter++, value);
  }

 private:
  void add(const char* condition, const std::optional<std::string>& value) {
    if (value) texts_.push_back(*value);
    if (value) extend(condition);
  }
  void add(const char* condition, const std::optional<std::int64_t>& value) {
    if (value) times_.push_back(*value);
    if (value) extend(condition);
  }
  void extend(const char* condition) { text_ += (text_.empty() ? " WHERE " : " AND ") + std::string(condition); }

  std::string text_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> times_;
};

}  // namespace

bool Filter::is_empty() const { return !job_id && !host && !source && !card && !name && !since && !before; }

Result<History> History::open(const fs::path& file) {
  std::error_code failed;
  const auto folder = fs::absolute(file).parent_path();
  fs::create_directories(folder, failed);
  if (failed) {
    return Error{"cannot create the folder '" + folder.string() + "' for the history: " + failed.message(),
                 "Name a file in a writable folder with --history."};
  }
  auto database = Database::open(file);
  if (!database) return database.error();
  // Another program's file, or a damaged one, is recognised before anything is written to it.
  if (const auto status = check_schema(*database); !status) return status.error();
  if (const auto status = database->check_whole(); !status) return status.error();
  if (const auto status = choose_journal(*database); !status) return status.error();
  if (const auto status = migrate(*database); !status) return status.error();
  return History(std::move(database).value());
}

Result<std::size_t> History::add(std::span<const Record> records) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  auto insert = database_.prepare("INSERT OR IGNORE INTO records (" + std::string(kColumns) +
                                  ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!insert) return insert.error();
  std::size_t added = 0;
  for (const auto& record : records) {
    if (const auto status = check(record); !status) return status.error();
    bind(*insert, record);
    const auto done = insert->step();
    if (!done) return done.error();
    added += static_cast<std::size_t>(database_.changes());
  }
  if (const auto status = transaction->commit(); !status) return status.error();
  return added;
}

Result<std::vector<Record>> History::find(const Filter& filter) {
  const Condition condition(filter);
  auto select = database_.prepare("SELECT " + std::string(kColumns) + " FROM records" + condition.text() +
                                  " ORDER BY observed_at, job_id, host, source");
  if (!select) return select.error();
  condition.bind_to(*select);
  std::vector<Record> records;
  while (true) {
    const auto row = select->step();
    if (!row) return row.error();
    if (!*row) return records;
    auto record = record_in(*select);
    if (!record) return record.error();
    records.push_back(std::move(record).value());
  }
}

Result<std::size_t> History::remove(const Filter& filter) {
  const Condition condition(filter);
  auto statement = database_.prepare("DELETE FROM records" + condition.text());
  if (!statement) return statement.error();
  condition.bind_to(*statement);
  const auto done = statement->step();
  if (!done) return done.error();
  return static_cast<std::size_t>(database_.changes());
}

}  // namespace dryfit::history
