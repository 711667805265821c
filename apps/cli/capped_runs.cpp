// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "capped_runs.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "card/memory_share.h"
#include "judgement.h"
#include "launch/environment.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariables[] = {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"};

/// The variable that the user set, otherwise the one that every version reads.
launch::Environment with_alloc_conf(launch::Environment environment, const std::string& added) {
  if (added.empty()) return environment;
  auto name = std::string(kVariables[1]);
  auto value = added;
  for (const auto variable : kVariables) {
    const auto own = launch::value_of(environment, variable);
    if (!own || own->empty()) continue;
    name = variable;
    value = std::string(*own) + "," + added;
    break;
  }
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
  return environment;
}

fs::path folder_of(const Session& session, Bytes cap) {
  return session.folder.path() / ("cap-" + std::to_string(cap.count));
}

/// Without a history: only its end counts.
Result<PlannedRun> plan_capped(const Session& session, const std::string& alloc_conf, Bytes cap, UniqueFd& output) {
  const auto& card = session.cards.front().card;
  auto job = job_in(session, folder_of(session, cap),
                    {.address_order = session.options.address_orders.front(), .cards = {card}});
  if (!job) return job.error();
  job->environment = with_alloc_conf(std::move(job->environment), alloc_conf);
  job->memory_fraction = MemoryShare(cap).fraction_of(card.total_memory);
  job->memory_history = job->explain = false;
  if (const auto status = write_to_file(*job, output); !status) return status.error();
  return PlannedRun{card.id + ", cap " + to_text(cap), std::move(job).value()};
}

Result<verdict::CapTrial> trial_of(const Session& session, const RunOutcome& outcome, Bytes cap) {
  if (outcome.error) return *outcome.error;
  auto facts = facts_of(outcome.result);
  facts.cap = cap;
  const auto verdict = verdict::judge(session.cards.front().card, facts);
  if (verdict.answer == verdict::Answer::cannot_tell) {
    show_output_in(folder_of(session, cap), "with a cap of " + to_text(cap));
    return Error{"with a cap of " + to_text(cap) + " the end of the run shows nothing: " + verdict.reason,
                 verdict.hint};
  }
  return verdict::CapTrial{cap, fitted(verdict.answer), verdict.alloc_retries};
}

Status try_caps(const Session& session, const std::string& alloc_conf, const std::vector<Bytes>& caps,
                verdict::CapSearch& search) {
  std::vector<UniqueFd> outputs(caps.size());
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < caps.size(); ++i) {
    auto planned = plan_capped(session, alloc_conf, caps[i], outputs[i]);
    if (!planned) return planned.error();
    runs.push_back(std::move(planned).value());
  }
  const auto outcomes = run_all(std::move(runs), session.options.jobs);
  for (std::size_t i = 0; i < caps.size(); ++i) {
    // Below a cap that fails, nothing is asked of the runs that went beside it.
    if (i > 0 && search.next(1).empty()) break;
    const auto trial = trial_of(session, outcomes[i], caps[i]);
    if (!trial) return trial.error();
    search.note(*trial);
  }
  for (const auto cap : caps) {
    std::error_code ignored;
    fs::remove_all(folder_of(session, cap), ignored);
  }
  return {};
}

}  // namespace

Status search_by_dry_runs(const Session& session, const std::string& alloc_conf, verdict::CapSearch& search) {
  for (auto caps = search.next(session.options.jobs); !caps.empty(); caps = search.next(session.options.jobs)) {
    if (auto status = try_caps(session, alloc_conf, caps, search); !status) return status;
  }
  return {};
}

}  // namespace dryfit::cli
