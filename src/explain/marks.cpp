// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/marks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace dryfit::explain {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr int kEntered = 1, kWithGrad = 2, kWithAutocast = 4, kOutOfMemory = 8;

/// Marks of one kind: calls visit(at, values) for each; missing columns are none.
template <class Visitor>
void each(const json& column, std::size_t device, Visitor visit) {
  const auto& when = column.at("at");
  const auto& what = column.at("what");
  if (device >= when.size()) return;
  const auto& at = when[device];
  for (std::size_t i = 0; i < at.size(); ++i) {
    visit(at[i].get<Count>(), [&](std::size_t value) { return what.at(value).at(i).template get<std::uint64_t>(); });
  }
}

class MarksReader {
 public:
  MarksReader(const json& document, std::size_t device) : document_(document), device_(device) {}

  Marks read() {
    marks_.end = document_.at("end").at(device_).get<Count>();
    marks_.names = document_.at("names").get<std::vector<std::string>>();
    if (marks_.names.empty()) marks_.names.emplace_back();
    read_calls();
    read_phases();
    read_seen();
    each(document_.at("outputs"), device_, [&](Count at, const auto& value) {
      if (value(0) == device_) marks_.outputs.push_back({at, value(1), name(value(2))});
    });
    for (const auto& row : document_.at("casts")) {
      auto& sizes = marks_.casts[name(row.at(0))];
      for (std::size_t i = 1; i < row.size(); ++i) sizes.push_back({row[i].get<std::uint64_t>()});
    }
    for (const auto& row : document_.at("operators")) {
      marks_.operators[{row.at(0).get<std::string>(), row.at(1).get<std::uint32_t>()}] = row.at(2).get<std::string>();
    }
    for (const auto& size : document_.at("workspaces")) marks_.workspaces.push_back({size.get<std::uint64_t>()});
    return std::move(marks_);
  }

 private:
  /// An invalid name becomes the empty one.
  MarkName name(std::uint64_t index) const {
    return index < marks_.names.size() ? static_cast<MarkName>(index) : MarkName{0};
  }

  void read_calls() {
    each(document_.at("calls"), device_, [&](Count at, const auto& value) {
      const auto flags = value(1);
      marks_.calls.push_back({.at = at,
                              .module = name(value(0)),
                              .entered = (flags & kEntered) != 0,
                              .with_grad = (flags & kWithGrad) != 0,
                              .with_autocast = (flags & kWithAutocast) != 0,
                              .out_of_memory = (flags & kOutOfMemory) != 0,
                              .cast = {value(2)}});
    });
  }

  void read_phases() {
    each(document_.at("phases"), device_, [&](Count at, const auto& value) {
      const auto phase = std::min<std::uint64_t>(value(0), static_cast<std::uint64_t>(Phase::other));
      marks_.phases.push_back({.at = at,
                               .phase = static_cast<Phase>(phase),
                               .step = static_cast<std::uint32_t>(value(1)),
                               .file = name(value(2)),
                               .line = static_cast<std::uint32_t>(value(3)),
                               .function = name(value(4))});
    });
  }

  void read_seen() {
    for (const auto& rows : document_.at("sets")) {
      auto& set = marks_.sets.emplace_back();
      for (const auto& row : rows) {
        if (row.at(1).get<std::uint64_t>() != device_ || row.at(0).get<std::uint64_t>() > 3) continue;
        set.push_back({.role = static_cast<Role>(row.at(0).get<std::uint64_t>()),
                       .address = row.at(2).get<std::uint64_t>(),
                       .bytes = {row.at(3).get<std::uint64_t>()},
                       .module = name(row.at(4)),
                       .name = name(row.at(5)),
                       .type = name(row.at(6))});
      }
    }
    each(document_.at("seen"), device_, [&](Count at, const auto& value) {
      if (value(0) < marks_.sets.size()) marks_.seen.push_back({at, static_cast<std::uint32_t>(value(0))});
    });
  }

  const json& document_;
  std::size_t device_;
  Marks marks_;
};

}  // namespace

Result<Marks> parse_marks(std::string_view text, int device) {
  try {
    const auto document = json::parse(text);
    const auto version = document.at("version").get<int>();
    if (version > kVersion) {
      return Error{"the run's marks have version " + std::to_string(version) + ", but this Dryfit reads version " +
                       std::to_string(kVersion),
                   "Use the Dryfit that made the run, or a newer one."};
    }
    return MarksReader(document, static_cast<std::size_t>(device)).read();
  } catch (const json::exception& error) {
    return Error{std::string("not a marks file of a run: ") + error.what(), ""};
  }
}

Result<Marks> read_marks(const std::filesystem::path& file, int device) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{"cannot read '" + file.string() + "'", ""};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto marks = parse_marks(text, device);
  if (marks) return marks;
  return Error{file.string() + ": " + marks.error().what, marks.error().hint};
}

}  // namespace dryfit::explain
