// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimate.h"

#include <utility>

#include "estimate/lowering.h"
#include "estimate/playing.h"

namespace dryfit::estimate {
namespace {

void add_notes(analysis::ProcessSummary& process, const Metadata& metadata) {
  if (!metadata.torch.empty()) process.notes["software.torch"] = metadata.torch;
  if (!metadata.python.empty()) process.notes["software.python"] = metadata.python;
  if (metadata.cudnn_benchmark) process.notes.emplace("tuning.cudnn_benchmark", "1");
}

}  // namespace

Analysis analyse(Profile profile) {
  auto timeline = make_timeline(profile);
  auto structure = find_structure(timeline, profile.names);
  return {std::move(profile), std::move(timeline), std::move(structure)};
}

Plan plan_for(const Analysis& analysis, const Card& card, const Conditions& conditions, std::vector<Gap>& gaps,
              Diagnostics& diagnostics) {
  Context context{.profile = analysis.profile,
                  .timeline = analysis.timeline,
                  .structure = analysis.structure,
                  .script = Script(analysis.timeline)};
  // A profile of a GPU has its blocks already.
  if (!analysis.timeline.on_gpu) {
    orchestrate(context);
    lower(context, {.card = card, .torch = conditions.torch, .workspaces = conditions.workspaces});
  }
  gaps = std::move(context.gaps);
  diagnostics.merge(context.diagnostics);
  return std::move(context.script).finish(analysis.structure.stages);
}

Estimate estimate(const Analysis& analysis, const Card& card, const Conditions& conditions) {
  Estimate result;
  auto& process = result.process;
  process.hooks = true;
  process.forward_seen = analysis.structure.forward_seen;
  process.backward_seen = analysis.structure.backward_seen;
  process.diagnostics = analysis.profile.diagnostics;
  process.diagnostics.merge(analysis.timeline.diagnostics);
  add_notes(process, analysis.profile.metadata);

  const auto plan = plan_for(analysis, card, conditions, result.gaps, process.diagnostics);
  const auto played = play(plan, card, conditions);
  process.steps = analysis.structure.optimizer_steps.size();
  if (played.last_oom) process.last_oom_step = process.steps = std::max<std::uint64_t>(played.last_oom->at.step, 1) - 1;
  process.devices.push_back(played);
  return result;
}

}  // namespace dryfit::estimate
