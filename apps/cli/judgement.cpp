// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "judgement.h"

#include "analysis/run_summary.h"

namespace dryfit::cli {
namespace {

Provenance provenance_of(const CardFile& card, const std::string& key) {
  const auto found = card.provenance.find(key);
  return found == card.provenance.end() ? Provenance{} : found->second;
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
  if (kind == Kind::exited) facts.exit_code = code;
  if (kind == Kind::signalled) facts.signal = code;
  facts.seconds = result->wall.count();
  facts.host_peak_rss = result->host_peak_rss;
  for (const auto& trace : result->traces) {
    auto summary = analysis::summarise(trace);
    if (summary) {
      facts.processes.push_back(std::move(summary).value());
    } else {
      facts.processes.push_back({.complete = false, .incomplete_why = summary.error().what});
    }
  }
  return facts;
}

void add_provenance(verdict::Verdict& verdict, const CardFile& card) {
  verdict.context_origin = provenance_of(card, "context_memory").origin;
  const auto outside = provenance_of(card, "context_spread");
  verdict.outside_origin = outside.origin;
  verdict.outside_source = outside.source;
}

}  // namespace dryfit::cli
