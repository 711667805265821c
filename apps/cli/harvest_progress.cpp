// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "screen.h"

namespace dryfit::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenDrawings = 500ms;
constexpr auto kBetweenLines = 60s;

}  // namespace

HarvestProgress::HarvestProgress() : terminal_(is_terminal(STDERR_FILENO)) {}

bool HarvestProgress::due() const { return Clock::now() - last_ >= (terminal_ ? kBetweenDrawings : kBetweenLines); }

void HarvestProgress::draw(HarvestState state) {
  state.elapsed_seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  show(harvest_progress_text(state));
}

void HarvestProgress::show(std::string text) {
  last_ = Clock::now();
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  drawn_ = true;
  text.resize(std::min(text.size(), columns_of(STDERR_FILENO) - 1));
  std::fprintf(stderr, "\r%s\033[K\r", text.c_str());
  std::fflush(stderr);
}

void HarvestProgress::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace dryfit::cli
