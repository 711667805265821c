// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/writes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/layout.h"

namespace dryfit::report {
namespace {

using launch::Writes;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kNoteIndent = "  ", kNoteHanging = "    ";

/// A name that the program chose must not look like a line of ours.
std::string shown(const std::filesystem::path& path) {
  auto text = path.string();
  std::ranges::replace_if(text, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; }, '?');
  return text;
}

std::string files_text(const Writes& writes) {
  if (writes.files == 1) {
    return fmt::format("discarded the file that the program wrote: {} ({})", shown(writes.largest_file),
                       to_text(writes.bytes));
  }
  return fmt::format("discarded the {} files that the program wrote ({}), the largest {} ({})", writes.files,
                     to_text(writes.bytes), shown(writes.largest_file), to_text(writes.largest));
}

/// Of the user's own files and folders.
std::string undone_text(const Writes& writes) {
  return fmt::format("put back {} that it deleted or renamed", writes.removed);
}

std::string discarded_text(const Writes& writes) {
  std::vector<std::string> parts;
  if (writes.files > 0) parts.push_back(files_text(writes));
  if (writes.removed > 0) parts.push_back(undone_text(writes));
  if (!writes.trackers.empty()) {
    parts.push_back(fmt::format("kept {} offline", fmt::join(writes.trackers, " and ")));
  }
  return parts.empty() ? "" : fmt::format("{} (--keep-writes keeps what is written)", fmt::join(parts, "; "));
}

std::string refused_text(const Writes& writes) {
  std::vector<std::string> folders;
  for (const auto& folder : writes.refused) folders.push_back(shown(folder));
  return fmt::format("the program could not write to {}: nothing could hold its changes", fmt::join(folders, ", "));
}

}  // namespace

std::string writes_warning(const std::optional<Writes>& writes) {
  if (!writes || writes->held_back) return "";
  return fmt::format("writes were not held back, because {}: what the program wrote or deleted is real",
                     writes->why_not);
}

std::string writes_note(const std::optional<Writes>& writes, const Style& style) {
  if (!writes) return "";
  if (!writes->held_back) {
    const auto sign = painted(glyphs(style).tight, Paint::doubtful, style);
    return wrapped(sentence(writes_warning(writes)), fmt::format("  {} ", sign), kNoteHanging, style);
  }
  std::string text;
  if (const auto discarded = discarded_text(*writes); !discarded.empty()) {
    text += wrapped("note: " + discarded, kNoteIndent, kNoteHanging, Paint::faint, style);
  }
  if (!writes->refused.empty()) {
    text += wrapped("note: " + refused_text(*writes), kNoteIndent, kNoteHanging, Paint::faint, style);
  }
  return text;
}

OrderedJson writes_json(const std::optional<Writes>& writes) {
  if (!writes) return nullptr;
  auto refused = OrderedJson::array();
  for (const auto& folder : writes->refused) refused.push_back(folder.string());
  const bool held = writes->held_back;
  const auto counted = [&](std::uint64_t number) { return held ? OrderedJson(number) : OrderedJson(); };
  return {{"held_back", held},
          {"reason", held ? OrderedJson() : OrderedJson(writes->why_not)},
          {"files", counted(writes->files)},
          {"bytes", counted(writes->bytes.count)},
          {"deleted", counted(writes->removed)},
          {"largest_file", writes->largest_file.empty() ? OrderedJson() : OrderedJson(writes->largest_file.string())},
          {"largest_bytes", counted(writes->largest.count)},
          {"refused", std::move(refused)},
          {"offline", writes->trackers}};
}

}  // namespace dryfit::report
