// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "screen.h"

namespace dryfit::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuietAtFirst = 1s;
constexpr auto kBetweenDrawings = 250ms;

std::string moment_text(const analysis::Moment& now, const std::optional<std::uint64_t>& steps) {
  if (now.step == 0) return "loading";
  if (!steps) return fmt::format("step {}, {}", now.step, now.phase);
  return fmt::format("step {}/{}, {}", std::min(now.step, *steps), *steps, now.phase);
}

}  // namespace

std::optional<LiveView::State> LiveView::look(const std::vector<std::filesystem::path>& traces) {
  std::optional<State> most;
  for (const auto& path : traces) {
    auto found = followed_.find(path);
    if (found == followed_.end()) {
      auto reader = trace::Reader::open(path.string());
      if (!reader) continue;
      found = followed_.emplace(path, Followed{std::move(reader).value(), {}}).first;
    }
    auto& [reader, replay] = found->second;
    reader.refresh();
    while (const auto event = reader.next()) replay.apply(*event);
    if (!most || replay.used() > most->used) most = State{replay.now(), replay.used()};
  }
  return most;
}

ProgressLine::ProgressLine() : wanted_(is_terminal(STDERR_FILENO)) {}

bool ProgressLine::due() const {
  const auto now = Clock::now();
  return wanted_ && now - begun_ >= kQuietAtFirst && now - last_ >= kBetweenDrawings;
}

std::string ProgressLine::text_of(const Content& content) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_).count();
  std::string text = fmt::format("dryfit: {}", content.card);
  text += content.state
              ? fmt::format("  {}  {}", moment_text(content.state->now, content.steps), to_text(content.state->used))
              : "  starting";
  if (content.all > 1)
    text += fmt::format("  ({} of {} runs done, {} running)", content.done, content.all, content.running);
  return text + fmt::format("  {} s", seconds);
}

void ProgressLine::draw(const Content& content) {
  last_ = Clock::now();
  drawn_ = true;
  auto text = text_of(content);
  text.resize(std::min(text.size(), columns_of(STDERR_FILENO) - 1));
  fmt::print(stderr, "\r{}\033[K\r", text);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace dryfit::cli
