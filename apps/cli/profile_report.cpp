// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "report/writes.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using Kind = launch::Ending::Kind;

constexpr const char* kShrinkHint =
    "Profile at smaller batches, which are faster and need less memory: --shrink batch=4,8.";

/// The error for a run that completed no step.
Error without_step(const launch::JobResult& result, bool torch_seen, const std::vector<std::string>& hook_errors) {
  if (!torch_seen) {
    return {"no Python process imported PyTorch",
            "Check that the command trains with PyTorch, and starts Python without -I, -E or -S."};
  }
  if (!hook_errors.empty()) {
    return {"Dryfit's hooks failed in the program, which then ran no optimizer step: " + hook_errors.front(),
            "This should not have happened; please report it."};
  }
  if (result.ending.code != 0) {
    return {fmt::format("the program failed with code {} before its first optimizer step", result.ending.code),
            "See its output above, and check that it trains on a GPU."};
  }
  return {"the program ended without running an optimizer step",
          "Dryfit recognizes only training with an optimizer from torch.optim."};
}

/// Errors for endings after which PyTorch has written no trace; none for any other ending.
std::optional<Error> ended_badly(const launch::JobResult& result, const HookLog& log) {
  const auto done = fmt::format("after {} step{}", log.steps, log.steps == 1 ? "" : "s");
  switch (result.ending.kind) {
    case Kind::interrupted:
      return Error{"interrupted " + done, ""};
    case Kind::timed_out:
      return Error{"the time limit ended the program " + done + ", before PyTorch wrote a trace", kShrinkHint};
    case Kind::signalled:
      if (result.ending.code == SIGKILL) {
        return Error{fmt::format("the program was killed {}, while using {} of this machine's memory; it may have run "
                                 "out of it",
                                 done, to_text(result.host_peak_rss)),
                     kShrinkHint};
      }
      return Error{fmt::format("signal {} ended the program {}", result.ending.code, done), ""};
    default:
      return std::nullopt;
  }
}

/// trace-12.json belongs to hooks-12.jsonl.
std::optional<fs::path> trace_beside(const fs::path& log, const std::vector<fs::path>& traces) {
  const auto stem = log.stem().string();
  const auto name = "trace" + stem.substr(std::min(stem.find('-'), stem.size()));
  const auto found = std::ranges::find(traces, name, [](const fs::path& trace) { return trace.stem().string(); });
  return found == traces.end() ? std::nullopt : std::optional(*found);
}

std::size_t count_trained(const std::vector<fs::path>& log) {
  return static_cast<std::size_t>(std::ranges::count_if(log, [](const fs::path& file) {
    const auto its = furthest({file});
    return its && its->log.steps > 0;
  }));
}

std::string line_of(const WrittenTrace& trace) {
  const auto& log = trace.run.log;
  return fmt::format("{} ({}): {} step{}{} on the CPU in {:.0f} s, with PyTorch {}\n", trace.path.string(),
                     to_text(trace.size), log.steps, log.steps == 1 ? "" : "s",
                     trace.batch ? fmt::format(" at batch {}", *trace.batch) : "", trace.run.wall.count(), log.torch);
}

std::string remarks_of(const WrittenTrace& trace) {
  std::string text;
  const auto& run = trace.run;
  if (run.failed()) text += fmt::format("  the program failed with code {} after these steps\n", run.ending.code);
  if (run.others > 0) text += fmt::format("  {} more processes trained; their traces were not kept\n", run.others);
  for (const auto& error : run.log.errors) text += "  a hook failed: " + error + "\n";
  return text;
}

std::string next_command(const std::vector<WrittenTrace>& traces) {
  std::string text = "next: dryfit estimate";
  for (const auto& trace : traces) text += " " + trace.path.string();
  if (traces.front().batch) {
    const auto full = traces.front().run.log.full_batch;
    text += " --batch " + (full ? std::to_string(*full) : "N");
  }
  return text + " --gpu rtx-4090\n";
}

}  // namespace

Result<Profiled> profiled(const std::optional<launch::JobResult>& result) {
  if (!result) return Error{"interrupted", ""};
  const auto found = furthest(result->hook_logs);
  const auto log = found ? found->log : HookLog{};
  if (const auto error = ended_badly(*result, log)) return *error;
  if (log.steps == 0) return without_step(*result, found.has_value(), log.errors);
  const auto trace = trace_beside(found->path, result->profiles);
  if (!trace) {
    return Error{"PyTorch's profiler wrote no trace", log.errors.empty()
                                                          ? "Check that there is enough free space in TMPDIR."
                                                          : "The hooks reported: " + log.errors.back() + "."};
  }
  return Profiled{*trace, log, result->ending, result->wall, count_trained(result->hook_logs) - 1, result->writes};
}

std::string text_of(const std::vector<WrittenTrace>& traces) {
  std::string text;
  for (const auto& trace : traces) text += line_of(trace) + remarks_of(trace);
  return text + next_command(traces);
}

std::string json_of(const std::vector<WrittenTrace>& traces, const std::vector<std::string>& command) {
  auto list = OrderedJson::array();
  for (const auto& trace : traces) {
    const auto& [path, size, json_size, batch, run] = trace;
    OrderedJson entry{{"trace", path.string()},
                      {"bytes", size.count},
                      {"json_bytes", json_size.count},
                      {"steps", run.log.steps},
                      {"seconds", run.wall.count()},
                      {"torch", run.log.torch},
                      {"ended", run.ending.kind == Kind::steps_done ? "steps"
                                : run.failed()                      ? "error"
                                                                    : "exit"},
                      {"exit_code", run.ending.code},
                      {"other_processes", run.others},
                      {"hook_errors", run.log.errors},
                      {"writes", report::writes_json(run.writes)}};
    if (batch) entry["batch"] = *batch;
    if (run.log.full_batch) entry["full_batch"] = *run.log.full_batch;
    list.push_back(std::move(entry));
  }
  return OrderedJson{{"command", command}, {"traces", std::move(list)}}.dump(2, ' ', false,
                                                                             OrderedJson::error_handler_t::replace) +
         "\n";
}

}  // namespace dryfit::cli
