// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle_trace.h"

#include <cstdlib>

#include "text_file.h"

namespace dryfit::oracle {
namespace {

/// The value of "key=value " in the header line; a quoted one goes to the closing quote.
std::optional<std::string> header_value(std::string_view header, std::string_view key) {
  const std::size_t place = header.find(" " + std::string(key) + "=");
  if (place == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(place + key.size() + 2);
  char end = ' ';
  if (rest.starts_with('\'') || rest.starts_with('"')) {
    end = rest.front();
    rest.remove_prefix(1);
  }
  return std::string(rest.substr(0, rest.find(end)));
}

Status read_header(std::string_view header, OracleTrace& trace) {
  const auto version = header_value(header, "version");
  const auto total = header_value(header, "total_bytes");
  if (!version || !total) return Error{"the first line has no version or total_bytes", ""};
  const auto parsed = simulator::parse_torch_version(*version);
  if (!parsed) return parsed.error();
  trace.version = *parsed;
  trace.conf = header_value(header, "conf").value_or("");
  trace.total = Bytes{to_number(*total).value_or(0)};
  trace.context = Bytes{to_number(header_value(header, "context_bytes").value_or("0")).value_or(0)};
  const std::string fraction = header_value(header, "fraction").value_or("None");
  if (fraction != "None") trace.fraction = std::strtod(fraction.c_str(), nullptr);
  return {};
}

struct OpForm {
  std::string_view name;
  TraceLine::Op op;
  std::size_t parts;
};
constexpr OpForm kForms[] = {
    {"a", TraceLine::Op::kMalloc, 4},         {"f", TraceLine::Op::kFree, 2},
    {"r", TraceLine::Op::kRecordStream, 3},   {"hold", TraceLine::Op::kHold, 2},
    {"done", TraceLine::Op::kDone, 2},        {"empty_cache", TraceLine::Op::kEmptyCache, 1},
    {"frac", TraceLine::Op::kSetFraction, 2}, {"reset_peak", TraceLine::Op::kResetPeak, 1},
    {"stat", TraceLine::Op::kStat, 1},
};

const OpForm* form_of(const std::vector<std::string_view>& parts) {
  for (const OpForm& form : kForms) {
    if (form.name == parts[0] && form.parts == parts.size()) return &form;
  }
  return nullptr;
}

/// Numbers of an operation in their places.
bool read_operands(const std::vector<std::string_view>& parts, TraceLine& line) {
  std::vector<std::uint64_t> numbers(4);
  const bool is_fraction = line.op == TraceLine::Op::kSetFraction;
  for (std::size_t i = 1; i < parts.size() && !is_fraction; ++i) {
    const auto number = to_number(parts[i]);
    if (!number) return false;
    numbers[i] = *number;
  }
  if (is_fraction) line.fraction = std::strtod(std::string(parts[1]).c_str(), nullptr);
  const bool names_stream = line.op == TraceLine::Op::kHold || line.op == TraceLine::Op::kDone;
  line.id = names_stream ? 0 : numbers[1];
  line.size = Bytes{line.op == TraceLine::Op::kMalloc ? numbers[2] : 0};
  line.stream = names_stream ? numbers[1] : line.op == TraceLine::Op::kRecordStream ? numbers[2] : numbers[3];
  return true;
}

Result<TraceLine> read_operation(std::string_view text, std::uint64_t number) {
  TraceLine line{.line = number};
  line.answer = split(text, '\t');
  const auto parts = split(line.answer.front(), ' ');
  line.answer.erase(line.answer.begin());
  const OpForm* form = form_of(parts);
  if (form != nullptr) line.op = form->op;
  if (form == nullptr || !read_operands(parts, line)) {
    return Error{"line " + std::to_string(number) + ": unknown operation", ""};
  }
  return line;
}

}  // namespace

Result<std::unique_ptr<OracleTrace>> read_oracle_trace(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return text.error();
  auto trace = std::make_unique<OracleTrace>();
  trace->text = std::move(*text);
  const auto lines = lines_of(trace->text);
  if (lines.size() < 2) return Error{"'" + path + "' is too short for a trace", ""};
  if (Status status = read_header(lines[0], *trace); !status) return Error{path + ": " + status.error().what, ""};
  trace->columns = split(lines[1], '\t');
  trace->columns.erase(trace->columns.begin());
  for (std::size_t i = 2; i < lines.size(); ++i) {
    auto line = read_operation(lines[i], i + 1);
    if (!line) return Error{path + ": " + line.error().what, ""};
    trace->operations.push_back(std::move(*line));
  }
  return trace;
}

}  // namespace dryfit::oracle
