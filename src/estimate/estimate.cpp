// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimate.h"

#include <algorithm>
#include <utility>

#include "estimate/cublas_workspace.h"
#include "estimate/lowering.h"
#include "estimate/playing.h"

namespace dryfit::estimate {
namespace {

/// Kernel code, and the 2 MiB pages that cuBLAS and cuDNN share: 6 to 12 MiB in the dry runs of docs/accuracy.md.
constexpr Bytes kCodeAndSmallParts{10 << 20};

/// Turns the windows into plans for a GPU.
class Planner {
 public:
  Planner(const Recording& recording, const Card& card, const Conditions& conditions)
      : recording_(recording), target_{.card = card, .torch = conditions.torch, .workspaces = conditions.workspaces} {}

  Plan plan(const Analysis& analysis) {
    Context context{.profile = recording_.profile(),
                    .timeline = analysis.timeline,
                    .structure = analysis.structure,
                    .script = Script(analysis.timeline),
                    .model = findings_.model,
                    .gaps = findings_.gaps,
                    .diagnostics = findings_.diagnostics};
    // A profile from a GPU already has the GPU's blocks.
    if (!recording_.on_gpu()) {
      orchestrate(context);
      lower(context, target_);
    } else if (!analysis.structure.past.begun) {
      context.script.loaded_at(analysis.structure.loaded);
    }
    return std::move(context.script).finish(analysis.structure.stages);
  }

  Findings& findings() { return findings_; }

  /// Memory of libraries and kernel code outside PyTorch, according to the plans so far; none: unknown.
  std::optional<Bytes> libraries() const {
    if (recording_.on_gpu()) return std::nullopt;
    const auto& environment = recording_.profile().metadata.environment;
    const auto config = environment.find("CUBLAS_WORKSPACE_CONFIG");
    const auto handle = memory_of_handle(config == environment.end() ? "" : config->second,
                                         target_.card.compute_capability, target_.torch);
    return kCodeAndSmallParts +
           handle * static_cast<std::uint64_t>(std::ranges::count(target_.thread_multiplies, true));
  }

 private:
  const Recording& recording_;
  Target target_;
  Findings findings_;
};

void add_notes(analysis::ProcessSummary& process, const Metadata& metadata) {
  if (!metadata.torch.empty()) process.notes["software.torch"] = metadata.torch;
  if (!metadata.python.empty()) process.notes["software.python"] = metadata.python;
  if (metadata.cudnn_benchmark) process.notes.emplace("tuning.cudnn_benchmark", "1");
}

/// A GPU and the state of the simulation on it.
class Played {
 public:
  /// `card` and `conditions` must outlive it.
  Played(const Recording& recording, const Card& card, const Conditions& conditions)
      : card_(card), conditions_(conditions), planner_(recording, card, conditions) {}

  void play(const Analysis& analysis) {
    const auto plan = planner_.plan(analysis);
    player().play(plan, analysis.timeline.carried);
  }

  Estimate finish(const Profile& profile, const Analyzer& analyzer) {
    Estimate result{.gaps = std::move(planner_.findings().gaps), .recording = player().recording()};
    auto& process = result.process;
    process.hooks = true;
    process.forward_seen = analyzer.forward_seen();
    process.backward_seen = analyzer.backward_seen();
    process.diagnostics = profile.diagnostics;
    process.diagnostics.merge(analyzer.diagnostics());
    process.diagnostics.merge(planner_.findings().diagnostics);
    add_notes(process, profile.metadata);
    process.steps = analyzer.past().steps;
    process.devices.push_back(player().finish());
    if (const auto& oom = process.devices.back().last_oom) {
      process.last_oom_step = process.steps = std::max<std::uint64_t>(oom->at.step, 1) - 1;
    }
    return result;
  }

 private:
  /// Created once a plan has shown which libraries are used. The first window contains a whole step.
  Player& player() {
    if (!player_) player_.emplace(card_, conditions_, planner_.libraries());
    return *player_;
  }

  const Card& card_;
  const Conditions& conditions_;
  Planner planner_;
  std::optional<Player> player_;
};

}  // namespace

Analyzer::Analyzer(Recording& recording, std::size_t large_window)
    : recording_(recording), windows_(recording, large_window) {}

std::optional<Analysis> Analyzer::next() {
  Window window;
  if (!windows_.next(window)) {
    if (windows_.has_failed()) recording_.profile().damage = "a temporary file with its events could not be read";
    return std::nullopt;
  }
  Analysis analysis{.timeline = make_timeline(std::move(window), recording_.on_gpu(), live_)};
  analysis.structure = find_structure(analysis.timeline, recording_.profile().names, past_);
  const auto& structure = analysis.structure;
  past_.begun = true;
  past_.on_card = past_.on_card || !structure.to_device.empty();
  past_.steps += static_cast<std::uint32_t>(structure.optimizer_steps.size());
  forward_seen_ = forward_seen_ || structure.forward_seen;
  backward_seen_ = backward_seen_ || structure.backward_seen;
  diagnostics_.merge(analysis.timeline.diagnostics);
  if (diagnostics_.counts().contains("estimate.mismatched_frees") && recording_.profile().damage.empty()) {
    recording_.profile().damage = "memory was freed with another size than it was allocated with";
  }
  return analysis;
}

Findings plan_for(Recording& recording, const Card& card, const Conditions& conditions, const EachPlan& each_plan,
                  std::size_t large_window) {
  Analyzer analyzer(recording, large_window);
  Planner planner(recording, card, conditions);
  while (const auto analysis = analyzer.next()) each_plan(planner.plan(*analysis), analysis->timeline.carried);
  return std::move(planner.findings());
}

std::vector<Estimate> estimate(Recording& recording, const std::vector<Card>& cards, const Conditions& conditions,
                               const Progress& progress) {
  Analyzer analyzer(recording);
  std::vector<Played> played;
  played.reserve(cards.size());
  for (const auto& card : cards) played.emplace_back(recording, card, conditions);
  while (const auto analysis = analyzer.next()) {
    for (auto& each : played) each.play(*analysis);
    if (progress) progress(analyzer.progress());
  }
  std::vector<Estimate> estimates;
  for (auto& each : played) estimates.push_back(each.finish(recording.profile(), analyzer));
  return estimates;
}

}  // namespace dryfit::estimate
