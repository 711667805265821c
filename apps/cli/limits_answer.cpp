// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "limits_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cap_study.h"
#include "capped_runs.h"
#include "commands.h"
#include "estimate_answer.h"
#include "explained_run.h"
#include "kept_runs.h"
#include "named_cards.h"
#include "own_environment.h"
#include "predict_model_file.h"
#include "refusal.h"
#include "replay_source.h"
#include "replayed_limits.h"
#include "report/json.h"
#include "resources.h"
#include "run_manifest.h"
#include "run_session.h"
#include "screen.h"
#include "simulator/alloc_config.h"

namespace dryfit::cli {
namespace {

using verdict::CapPoint;
using verdict::Verdict;

constexpr const char* kExpandable = "expandable_segments:True";

/// A job that does not fit has no limits, nor has one whose run shows nothing.
Error no_limits(const Verdict& verdict) {
  if (verdict.answer != verdict::Answer::does_not_fit) return {"there are no limits: " + verdict.reason, verdict.hint};
  return {"the job does not fit on " + verdict.card.id + ", so it has no limits there: " + verdict.reason,
          "Name a GPU with more memory, as listed by `dryfit gpus`."};
}

/// The same job with expandable segments; none: it has them already, or its version has none.
std::optional<StudiedJob> expandable(const StudiedJob& job, const std::string& alloc_conf) {
  if (job.conditions.config.expandable_segments) return std::nullopt;
  auto config = simulator::parse_alloc_config(alloc_conf.empty() ? kExpandable : alloc_conf + "," + kExpandable,
                                              job.conditions.torch);
  if (!config) return std::nullopt;
  auto result = job;
  result.conditions.config = std::move(config).value();
  return result;
}

/// What a replay says of a job: its limits, and the curve.
struct Found {
  whatif::CapScan scan;
  verdict::Limits limits;
  std::vector<CapPoint> curve;
};

Result<Found> study(const StudiedJob& job, const Verdict& verdict) {
  auto scan = scan_all(job);
  if (!scan) return scan.error();
  auto curve = curve_by_replay(job, *scan);
  if (!curve) return curve.error();
  const auto limits = limits_of(*scan, verdict.outside_high, uses_cudnn(verdict));
  return Found{std::move(scan).value(), limits, std::move(curve).value()};
}

/// The caps that were tried in the place of those that were replayed.
Status merge(const StudiedJob& job, const verdict::CapSearch& search, Found& found) {
  const auto lowest = search.trials().back().cap;
  std::erase_if(found.curve, [&](const CapPoint& point) { return point.cap >= lowest; });
  std::vector<CapPoint> tried;
  for (const auto& trial : search.trials()) {
    auto point = point_by_replay(job, found.scan, trial.cap);
    if (!point) return point.error();
    point->source = verdict::LimitSource::dry_runs;
    const bool agrees = point->runs == trial.runs;
    point->runs = trial.runs;
    if (!trial.runs || !agrees) point->retries_per_step.reset();
    if (trial.runs && trial.retries == 0) point->retries_per_step = 0;
    tried.push_back(*point);
  }
  found.curve.insert(found.curve.begin(), tried.begin(), tried.end());
  drop_failures_below(found.curve);
  if (const auto comfortable = search.comfortable()) found.limits.comfortable_cap = *comfortable;
  found.limits.least_cap = search.least();
  found.limits.source = verdict::LimitSource::dry_runs;
  found.limits.upper_bound_because.clear();
  return {};
}

/// Tries the caps of a study in dry runs. Returns how many there were.
Result<std::size_t> confirm(const Session& session, const StudiedJob& job, const std::string& alloc_conf,
                            Found& found) {
  verdict::CapSearch search(job.total, found.limits.comfortable_cap, found.limits.least_cap);
  if (auto status = search_by_dry_runs(session, alloc_conf, search); !status) return status.error();
  if (!search.found()) {
    return Error{"the job fails with any cap, though it runs without one",
                 "It may set its own cap with torch.cuda.set_per_process_memory_fraction."};
  }
  if (auto status = merge(job, search, found); !status) return status.error();
  return search.trials().size();
}

/// Below the default's least cap by less than a percent of the GPU is not worth an option.
bool needs_less(const verdict::Limits& other, const verdict::Limits& usual, Bytes total) {
  return other.least_cap + Bytes{total.count / 100} <= usual.least_cap;
}

/// Limits by replay and, with a `session`, by dry runs.
Status find_limits(const Session* session, const StudiedJob& job, const std::string& alloc_conf, Verdict& verdict) {
  auto found = study(job, verdict);
  if (!found) return found.error();
  verdict::CapStudy caps;
  if (session) {
    const auto runs = confirm(*session, job, "", *found);
    if (!runs) return runs.error();
    caps.dry_runs += *runs;
  }
  if (const auto other = expandable(job, alloc_conf)) {
    auto less = study(*other, verdict);
    if (less && session && needs_less(less->limits, found->limits, job.total)) {
      const auto runs = confirm(*session, *other, kExpandable, *less);
      if (!runs) return runs.error();
      caps.dry_runs += *runs;
    }
    if (less && needs_less(less->limits, found->limits, job.total)) {
      caps.expandable = less->limits;
      caps.expandable_curve = std::move(less->curve);
    }
  }
  caps.curve = std::move(found->curve);
  verdict.limits = found->limits;
  verdict.caps = std::move(caps);
  return {};
}

/// Keeps the run for `dryfit report`, `top` and `replay`.
Status keep(const Session& session, const Verdict& verdict, const explain::Explanation& explanation) {
  const std::vector<const explain::Explanation*> explanations{&explanation};
  const auto json =
      report::json_text(DRYFIT_VERSION, session.options.command, {&verdict, 1}, std::nullopt, explanations);
  if (auto status = write_atomically(session.folder.path() / "verdict.json", json); !status) return status;
  if (auto status = seal_run(session.folder.path()); !status) return status;
  if (session.folder.is_kept()) return {};
  if (const auto kept = KeptRuns::in(own_environment())) (void)kept->keep(session.folder.path());
  return {};
}

/// The run without a cap.
Result<Verdict> run_once(const Session& session) {
  UniqueFd output;
  auto planned = plan(session, session.cards.front(), 0, true, output);
  if (!planned) return planned.error();
  std::vector<PlannedRun> runs;
  runs.push_back(std::move(planned).value());
  const auto outcomes = run_all(std::move(runs), 1);
  if (outcomes.front().error) return *outcomes.front().error;
  return judge_card(session, session.cards.front(), outcomes);
}

Result<Card> card_of(const RecordedJob& job, const ReplaySource& source, int device) {
  if (job.gpus.empty()) {
    if (const auto* card = source.card(device)) return *card;
    return Error{"the recording does not say which GPU it is of", "Name one with --gpu."};
  }
  const auto resources = find_resources();
  if (!resources) return resources.error();
  const auto catalogue = Catalogue::load(resources->cards, job.cards);
  if (!catalogue) return catalogue.error();
  const auto named = named_cards(*catalogue, job.gpus);
  if (!named) return named.error();
  return named->front()->card;
}

std::optional<LimitsAnswer> limits_of_trace(const RecordedJob& job, int& exit_code) {
  if (job.gpus.empty()) return refused(no_gpu(TypedLine::own()), kWrongUsage, exit_code);
  const auto answer = estimate_traces({.traces = {job.recording}, .gpus = job.gpus, .cards = job.cards}, exit_code);
  if (!answer) return std::nullopt;
  auto verdict = answer->verdicts.front();
  if (!fitted(verdict.answer)) return refused(no_limits(verdict), verdict::exit_code({&verdict, 1}), exit_code);
  const auto& recording = answer->recordings.front();
  if (!recording) {
    return refused({"the trace is too long to be replayed with caps", "Profile fewer steps."}, kCouldNotTell,
                   exit_code);
  }
  const StudiedJob studied{.recording = &*recording,
                           .conditions = {.torch = recording->torch, .config = recording->config},
                           .total = verdict.card.total_memory};
  if (const auto status = find_limits(nullptr, studied, "", verdict); !status) {
    return refused(status.error(), kCouldNotTell, exit_code);
  }
  return LimitsAnswer{std::move(verdict), answer->command};
}

std::optional<LimitsAnswer> limits_of_run(const RecordedJob& job, int& exit_code) {
  const auto source = load_source(job.recording);
  if (!source) return refused(source.error(), code_of(source.error()), exit_code);
  const auto device = chosen_device(*source, whatif::recorded_devices(source->snapshot), std::nullopt);
  if (!device) return refused(device.error(), kWrongUsage, exit_code);
  const auto card = card_of(job, *source, *device);
  if (!card) return refused(card.error(), kWrongUsage, exit_code);
  const auto recording = prepared(*source, *device);
  if (!recording) return refused(recording.error(), kWrongUsage, exit_code);
  if (source->others_on(*device).processes > 0) {
    return refused({"several processes of the run used the GPU, and a replay is of one", "Give the command instead."},
                   kCouldNotTell, exit_code);
  }
  const auto explained = explain_folder(source->file.parent_path());
  Verdict verdict{.card = *card, .capacity = card->available()};
  verdict.outside_high = whatif::outside_of(*card, source->libraries(*device)).high;
  if (source->process) {
    for (const auto& each : source->process->devices)
      verdict.library_parts.insert(each.libraries.begin(), each.libraries.end());
  }
  const bool has_step = explained && explained->history == source->file;
  const StudiedJob studied{.recording = &*recording,
                           .conditions = {.torch = recording->torch, .config = recording->config},
                           .step = has_step ? last_step(explained->explanation) : std::nullopt,
                           .total = card->total_memory};
  if (const auto status = find_limits(nullptr, studied, recording->alloc_conf, verdict); !status) {
    return refused(status.error(), kCouldNotTell, exit_code);
  }
  if (verdict.limits->to_request > verdict.capacity && verdict.limits->least_cap > verdict.capacity) {
    return refused({"the job does not fit on " + card->id + " with any cap", "Name a GPU with more memory."},
                   kDoesNotFit, exit_code);
  }
  return LimitsAnswer{std::move(verdict), {}};
}

bool is_json(const std::string& path) { return path.ends_with(".json") || path.ends_with(".json.gz"); }

}  // namespace

std::optional<LimitsAnswer> limits_of_command(const RunOptions& options, bool confirms, int& exit_code) {
  const auto session = open_session(options, exit_code);
  if (!session) return std::nullopt;
  auto verdict = run_once(*session);
  if (!verdict) return refused(verdict.error(), kCouldNotTell, exit_code);
  if (!fitted(verdict->answer)) return refused(no_limits(*verdict), verdict::exit_code({&*verdict, 1}), exit_code);
  const auto explained = explain_folder(session->folder_of(session->cards.front()));
  if (!explained) return refused(explained.error(), kCouldNotTell, exit_code);
  if (verdict->diagnostics.counts().contains("processes_share_device")) {
    return refused({"several processes share the GPU, and a cap is on each of them alone",
                    "Run one process, or give each its own GPU."},
                   kCouldNotTell, exit_code);
  }
  const auto source = read_source(explained->history);
  if (!source) return refused(source.error(), kCouldNotTell, exit_code);
  const auto recording = prepared(*source, explained->explanation.device);
  if (!recording) return refused(recording.error(), kCouldNotTell, exit_code);
  const StudiedJob studied{.recording = &*recording,
                           .conditions = {.torch = recording->torch, .config = recording->config},
                           .step = last_step(explained->explanation),
                           .total = verdict->card.total_memory};
  const auto* runs = confirms ? &*session : nullptr;
  if (const auto status = find_limits(runs, studied, recording->alloc_conf, *verdict); !status) {
    return refused(status.error(), kCouldNotTell, exit_code);
  }
  if (const auto status = keep(*session, *verdict, explained->explanation); !status) {
    return refused(status.error(), kCouldNotTell, exit_code);
  }
  return LimitsAnswer{std::move(verdict).value(), options.command};
}

std::optional<LimitsAnswer> limits_of_recording(const RecordedJob& job, int& exit_code) {
  if (!is_json(job.recording)) return limits_of_run(job, exit_code);
  const auto object = single_description(job.recording);
  if (object && object->find("\"traceEvents\"") == std::string::npos) {
    return limits_of_description(job, *object, exit_code);
  }
  return limits_of_trace(job, exit_code);
}

}  // namespace dryfit::cli
