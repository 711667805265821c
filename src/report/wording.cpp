// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/wording.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "verdict/assumption_effect.h"
#include "verdict/sharing.h"

namespace dryfit::report {
namespace {

constexpr std::size_t kMostDiagnosticLines = 3;
constexpr std::size_t kMostAssumptionLines = 3;
constexpr std::size_t kMostNamesInALine = 3;
constexpr std::string_view kUnimplemented = "driver.unimplemented.";
/// Libraries look for code that they lack, and do without it. Where a program fails for it, the verdict says so.
constexpr std::string_view kUnusedKernels = "driver.no_kernel_image";

/// "cuTexRefCreate ×3, cuFoo ×1 and 4 more".
std::string names_with_counts(const std::vector<std::pair<std::string, std::uint64_t>>& calls, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < calls.size() && i < kMostNamesInALine; ++i) {
    text += fmt::format("{}{} {}{}", i > 0 ? ", " : "", calls[i].first, glyphs(style).times, calls[i].second);
  }
  if (calls.size() > kMostNamesInALine) text += fmt::format(" and {} more", calls.size() - kMostNamesInALine);
  return text;
}

std::string sentence_for(const std::string& name, std::uint64_t count, const Style& style) {
  static const std::map<std::string, std::string> sentences{
      {"oom_handled_by_script", "the program caught an OutOfMemoryError and continued"},
      {"no_training_step", "no training step was seen; the answer is for the program as far as it ran"},
      {"ran_more_steps", "memory was still growing after 3 steps, so the run went on"},
      {"peak_depends_on_tuning",
       "kernels were chosen by timing, which is simulated here; a real GPU may choose others"},
      {"peak_in_last_step", "memory was still growing in the last step; try more --steps"},
      {"processes_share_device", "several processes share a GPU; PyTorch's own peaks are added up"},
      {"stopped_by_timeout", "--timeout stopped the run before all steps were done; a later step may need more"},
      {"hooks.error", "one of Dryfit's hooks failed; numbers may be missing or wrong (--save keeps the traces)"},
      {"values.not_followed", "values were not tracked; sizes that depend on data came out as zero"},
      {"driver.address_not_recorded", "some allocations are missing from the recorded list of addresses"},
      {"estimate.guessed_workspaces",
       "some convolutions are unlike those measured with cuDNN; their workspaces are guesses"},
  };
  const auto found = sentences.find(name);
  return found != sentences.end() ? found->second : fmt::format("{} {}{}", name, glyphs(style).times, count);
}

/// No size and no branch depends on it, as far as we saw.
std::string readings_text(const analysis::Assumption& first) {
  const auto place = first.where.empty() ? "" : " at " + first.where;
  return fmt::format("values that the program only read, such as a metric: {}{}", first.what, place);
}

}  // namespace

std::string answer_text(verdict::Answer answer) {
  switch (answer) {
    case verdict::Answer::fits:
      return "fits";
    case verdict::Answer::tight:
      return "fits, tight";
    case verdict::Answer::does_not_fit:
      return "does not fit";
    case verdict::Answer::cannot_tell:
      return "cannot tell";
  }
  return "cannot tell";
}

std::string_view answer_glyph(verdict::Answer answer, const Style& style) {
  switch (answer) {
    case verdict::Answer::fits:
      return glyphs(style).yes;
    case verdict::Answer::tight:
      return glyphs(style).tight;
    case verdict::Answer::does_not_fit:
      return glyphs(style).no;
    case verdict::Answer::cannot_tell:
      return glyphs(style).unknown;
  }
  return glyphs(style).unknown;
}

Paint answer_paint(verdict::Answer answer) {
  switch (answer) {
    case verdict::Answer::fits:
      return Paint::good;
    case verdict::Answer::tight:
      return Paint::doubtful;
    case verdict::Answer::does_not_fit:
      return Paint::bad;
    case verdict::Answer::cannot_tell:
      return Paint::doubtful;
  }
  return Paint::doubtful;
}

std::string moment_text(const analysis::Moment& moment) {
  if (moment.step > 0) return fmt::format("step {}, {}", moment.step, moment.phase);
  return moment.phase == "load" ? "loading" : fmt::format("loading, {}", moment.phase);
}

std::string place_text(const analysis::Moment& moment) {
  return (moment.step > 0 ? "in " : "while ") + moment_text(moment);
}

std::string failure_sentence(const verdict::Verdict& verdict) {
  const auto& request = *verdict.oom;
  if (verdict::is_stopped_by_cap(verdict)) {
    return fmt::format("PyTorch failed to allocate {} {}; its cap is {}.", to_text(request.requested),
                       place_text(request.at), to_text(*verdict.cap));
  }
  const bool crowded = verdict.sharing && verdict.sharing->failed;
  return fmt::format("{} failed to allocate {} {}{}; {} of {} were free.",
                     verdict.oom_library.empty() ? "PyTorch" : library_text(verdict.oom_library),
                     to_text(request.requested), place_text(request.at),
                     crowded ? "," + verdict::crowd_text(*verdict.sharing->failed, request) : "",
                     to_text(request.device_free), to_text(verdict.capacity));
}

std::string memory_text(const verdict::Verdict& verdict) {
  const bool is_limited = verdict.card.held_by_others > Bytes{};
  return to_text(verdict.card.total_memory) + (is_limited ? ", limited to " + to_text(verdict.capacity) : "") +
         (verdict.cap ? ", PyTorch capped at " + to_text(*verdict.cap) : "");
}

std::string library_text(const std::string& file_name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"libcublasLt", "cuBLASLt"}, {"libcublas", "cuBLAS"}, {"libcudnn", "cuDNN"},
      {"libnccl", "NCCL"},         {"libcufft", "cuFFT"},   {"libcusolver", "cuSOLVER"},
      {"libcusparse", "cuSPARSE"}, {"libcurand", "cuRAND"}, {"libnvshmem", "NVSHMEM"},
  };
  for (const auto& [prefix, name] : kNames) {
    if (file_name.starts_with(prefix)) return std::string(name);
  }
  return file_name.empty() ? "unknown" : file_name;
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string steps_text(std::uint64_t steps) { return fmt::format("{} step{}", steps, steps == 1 ? "" : "s"); }

std::string assumption_text(const analysis::Assumption& assumption, const Style& style) {
  auto text = assumption.what;
  if (!assumption.where.empty()) text += " at " + assumption.where;
  if (assumption.times > 1) text += fmt::format(" {}{}", glyphs(style).times, assumption.times);
  if (assumption.of == 0) return text;
  return fmt::format("{}: {} of {}", text, assumption.assumed, assumption.of);
}

std::vector<std::string> assumption_lines(const std::vector<analysis::Assumption>& assumptions, const Style& style) {
  std::vector<std::string> lines;
  for (const auto& assumption : assumptions) {
    if (lines.size() == kMostAssumptionLines || verdict::effect_of(assumption) == verdict::Effect::reading) break;
    lines.push_back(assumption_text(assumption, style));
  }
  if (lines.empty() && !assumptions.empty()) lines.push_back(readings_text(assumptions.front()));
  const auto left_out = assumptions.size() - lines.size();
  if (left_out > 0) lines.push_back(fmt::format("{} more place{} (see --json)", left_out, left_out == 1 ? "" : "s"));
  return lines;
}

std::string orders_text(const std::vector<verdict::OrderResult>& orders) {
  std::string text;
  for (const auto& result : orders) {
    const bool numbers = verdict::fitted(result.answer) && result.device_peak;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(result.order),
                        numbers ? to_text(*result.device_peak) : answer_text(result.answer));
  }
  return text;
}

std::string context_origin_text(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured on this kind of GPU";
    case Origin::vendor:
      return "stated by the vendor";
    case Origin::derived:
      return "derived from related GPUs";
  }
  return "";
}

std::vector<std::string> diagnostic_lines(const Diagnostics& diagnostics, const Style& style) {
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::uint64_t>> calls;
  for (const auto& [name, count] : diagnostics.counts()) {
    if (name == kUnusedKernels) continue;
    if (name.starts_with(kUnimplemented)) {
      calls.emplace_back(name.substr(kUnimplemented.size()), count);
    } else {
      lines.push_back(sentence_for(name, count, style));
    }
  }
  if (!calls.empty())
    lines.push_back("CUDA driver calls that Dryfit doesn't model yet: " + names_with_counts(calls, style));
  if (lines.size() > kMostDiagnosticLines) {
    const auto left_out = lines.size() - (kMostDiagnosticLines - 1);
    lines.resize(kMostDiagnosticLines - 1);
    lines.push_back(fmt::format("{} more notes (see --json)", left_out));
  }
  return lines;
}

}  // namespace dryfit::report
