// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "judgement.h"

#include <sys/resource.h>

#include <algorithm>

#include "analysis/sharing.h"

namespace dryfit::cli {
namespace {

Provenance provenance_of(const CardFile& card, const std::string& key) {
  const auto found = card.provenance.find(key);
  return found == card.provenance.end() ? Provenance{} : found->second;
}

/// The program has the same limit as we.
std::optional<std::uint64_t> cpu_limit() {
  struct rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_max;
}

/// None where a process could not join the ledger: nobody else met its requests.
std::vector<analysis::SharedDevice> counted_together(std::span<const analysis::ProcessSummary> processes,
                                                     std::span<const std::filesystem::path> traces) {
  const auto apart = [](const auto& process) { return process.notes.contains("ledger.problem"); };
  if (std::ranges::any_of(processes, apart)) return {};
  return analysis::shared_devices(processes, traces);
}

}  // namespace

verdict::RunFacts facts_of(const std::optional<launch::JobResult>& result) {
  using Kind = launch::Ending::Kind;
  verdict::RunFacts facts;
  if (!result) {
    facts.interrupted = true;
    return facts;
  }
  const auto& [kind, code] = result->ending;
  facts.ended_by_us = kind == Kind::steps_done;
  facts.timed_out = kind == Kind::timed_out;
  facts.interrupted = kind == Kind::interrupted;
  facts.stall = result->stall;
  if (kind == Kind::exited) facts.exit_code = code;
  if (kind == Kind::signalled) facts.signal = code;
  facts.cpu_limit_seconds = cpu_limit();
  facts.seconds = result->wall.count();
  facts.host_peak_rss = result->host_peak_rss;
  facts.writes = result->writes;
  for (const auto& trace : result->traces) {
    auto summary = analysis::summarise(trace);
    if (summary) {
      facts.processes.push_back(std::move(summary).value());
    } else {
      facts.processes.push_back({.complete = false, .incomplete_why = summary.error().what});
    }
  }
  analysis::name_holders(facts.processes);
  facts.shared = counted_together(facts.processes, result->traces);
  return facts;
}

void add_provenance(verdict::Verdict& verdict, const CardFile& card) {
  verdict.context_origin = provenance_of(card, "context_memory").origin;
  const auto outside = provenance_of(card, "context_spread");
  verdict.outside_origin = outside.origin;
  verdict.outside_source = outside.source;
}

}  // namespace dryfit::cli
