// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate_answer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "card/catalogue.h"
#include "commands.h"
#include "estimate/estimate.h"
#include "estimate_source.h"
#include "judgement.h"
#include "memory_limits.h"
#include "named_cards.h"
#include "refusal.h"
#include "replayed_limits.h"
#include "resources.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

using Clock = std::chrono::steady_clock;
using estimate::Metadata;

/// A progress line on the terminal, for large traces.
class ProgressLine {
 public:
  explicit ProgressLine(const char* doing) : doing_(doing) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (drawn_) std::fprintf(stderr, "\r\033[K");
  }

  void operator()(double share) {
    const auto now = Clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(200) || now - begun_ < std::chrono::seconds(1)) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double left = share > 0 ? seconds / share - seconds : 0;
    std::fprintf(stderr, "\rdryfit: %s, %.0f %%, %.0f s left\033[K\r", doing_, 100 * share, left);
  }

 private:
  const char* doing_;
  bool shown_ = is_terminal(STDERR_FILENO);
  bool drawn_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

/// The profiled version, unless another is given.
Result<simulator::TorchVersion> torch_of(const EstimateQuestion& options, const Metadata& metadata) {
  if (!options.torch.empty()) return simulator::parse_torch_version(options.torch);
  auto found = simulator::parse_torch_version(metadata.torch);
  return found ? found : Result<simulator::TorchVersion>(simulator::TorchVersion::newest());
}

/// The program's own, unless another is given.
std::string alloc_conf_of(const EstimateQuestion& options, const Metadata& metadata) {
  if (!options.alloc_conf.empty()) return options.alloc_conf;
  const auto& environment = metadata.environment;
  for (const auto* name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    if (const auto set = environment.find(name); set != environment.end()) return set->second;
  }
  return "";
}

verdict::RunFacts facts_of_estimate(const std::string& damage, estimate::Estimate found, Clock::time_point begun) {
  verdict::RunFacts facts{.ended_by_us = true, .address_order_assumed = true, .estimate = verdict::EstimateFacts{}};
  facts.processes.push_back(std::move(found.process));
  facts.estimate->damage = damage;
  for (auto& gap : found.gaps) facts.estimate->gaps.push_back({std::move(gap.name), std::move(gap.text)});
  facts.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  struct rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0)
    facts.host_peak_rss = Bytes{static_cast<std::uint64_t>(usage.ru_maxrss) << 10};
  return facts;
}

}  // namespace

std::optional<EstimateAnswer> estimate_traces(const EstimateQuestion& options, int& exit_code) {
  const auto begun = Clock::now();
  const auto resources = find_resources();
  if (!resources) return refused(resources.error(), kCouldNotTell, exit_code);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return refused(catalogue.error(), kWrongUsage, exit_code);
  const auto cards = named_cards(*catalogue, options.gpus);
  if (!cards) return refused(cards.error(), kWrongUsage, exit_code);
  const auto limited_cards = limited(*cards, options.limits);
  if (!limited_cards) return refused(limited_cards.error(), kWrongUsage, exit_code);

  auto recording = [&] {
    ProgressLine line("reading the trace");
    return read_traces(options.traces, options.batch, std::ref(line));
  }();
  if (!recording) return refused(recording.error(), kWrongUsage, exit_code);
  const auto& profile = recording->profile();
  const auto torch = torch_of(options, profile.metadata);
  if (!torch) return refused(torch.error(), kWrongUsage, exit_code);
  const auto config = simulator::parse_alloc_config(alloc_conf_of(options, profile.metadata), *torch);
  if (!config) return refused(config.error(), kWrongUsage, exit_code);

  std::vector<Card> plain;
  std::vector<ComputeCapability> chips;
  for (const auto& file : *limited_cards) {
    plain.push_back(file.card);
    chips.push_back(file.card.compute_capability);
  }
  const auto workspaces = estimate::Workspaces::load(resources->convolutions, chips);
  if (!workspaces) return refused(workspaces.error(), kCouldNotTell, exit_code);

  auto estimates = [&] {
    ProgressLine line("simulating the GPU");
    return estimate::estimate(
        *recording, plain, {.torch = *torch, .config = *config, .cap = options.limits.cap, .workspaces = &*workspaces},
        std::ref(line));
  }();
  EstimateAnswer answer{.command = profile.metadata.command};
  auto& verdicts = answer.verdicts;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    auto played = std::move(estimates[i].recording);
    auto facts = facts_of_estimate(profile.damage, std::move(estimates[i]), begun);
    facts.cap = options.limits.cap_on(plain[i]);
    verdicts.push_back(verdict::judge(plain[i], facts));
    add_provenance(verdicts.back(), (*limited_cards)[i]);
    if (played) verdicts.back().limits = limits_by_replay(verdicts.back(), *played);
    answer.recordings.push_back(std::move(played));
  }
  return answer;
}

}  // namespace dryfit::cli
