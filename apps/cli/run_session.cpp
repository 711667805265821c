// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/limit_hint.h"
#include "command_options.h"
#include "commands.h"
#include "judgement.h"
#include "memory_limits.h"
#include "named_cards.h"
#include "own_environment.h"
#include "refusal.h"
#include "report/style.h"
#include "screen.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using verdict::Verdict;

constexpr std::size_t kShownOutputLines = 15;
constexpr const char* kOutputFile = "output.txt";

/// What torch.cuda.set_per_process_memory_fraction takes for the cap.
std::optional<double> fraction_of(const MemoryLimits& limits, const Card& card) {
  return limits.cap ? std::optional(limits.cap->fraction_of(card.total_memory)) : std::nullopt;
}

}  // namespace

fs::path Session::folder_of(const CardFile& card, std::size_t order) const {
  const auto suffix = order == 0 ? "" : "-" + std::string(to_text(options.address_orders[order]));
  return folder.path() / (card.card.id + suffix);
}

std::optional<Session> open_session(const RunOptions& options, int& exit_code) {
  if (!DRYFIT_RUNTIME_HANDSHAKE) {
    return refused({"this build has no runtime handshake, so CUDA programs cannot run on its driver",
                    "Build Dryfit with DRYFIT_RUNTIME_HANDSHAKE=ON."},
                   kCouldNotTell, exit_code);
  }
  const auto resources = find_resources();
  if (!resources) return refused(resources.error(), kCouldNotTell, exit_code);
  auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return refused(catalogue.error(), kWrongUsage, exit_code);
  const auto named = named_cards(*catalogue, options.gpus);
  if (!named) return refused(named.error(), kWrongUsage, exit_code);
  auto cards = limited(*named, options.limits);
  if (!cards) return refused(cards.error(), kWrongUsage, exit_code);
  if (const auto status = check_program(options.command, own_environment(), TypedLine::own()); !status) {
    return refused(status.error(), kWrongUsage, exit_code);
  }
  if (!options.output.empty()) {
    if (const auto status = check_writable(options.output); !status)
      return refused(status.error(), kWrongUsage, exit_code);
  }
  auto folder = options.save.empty() ? WorkFolder::temporary() : WorkFolder::kept(options.save);
  if (!folder) return refused(folder.error(), options.save.empty() ? kCouldNotTell : kWrongUsage, exit_code);
  return Session{options, *resources, std::move(catalogue).value(), std::move(cards).value(),
                 std::move(folder).value()};
}

Result<launch::JobOptions> job_in(const Session& session, const fs::path& folder, Machine machine) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return Error{"cannot create the folder '" + folder.string() + "': " + error.message(), ""};
  const auto& options = session.options;
  const auto fraction = fraction_of(options.limits, machine.cards.front());
  return launch::JobOptions{.command = options.command,
                            .environment = own_environment(),
                            .machine = std::move(machine),
                            .run_directory = folder,
                            .driver_directory = session.resources.driver,
                            .hooks_directory = session.resources.hooks,
                            .steps = options.steps,
                            .most_steps = options.most_steps,
                            .until_text = options.until_text,
                            .timeout = options.timeout,
                            .stall_patience = options.stall_patience,
                            .keep_initialisation = options.keep_initialisation,
                            .memory_history = options.memory_history,
                            .explain = options.explain,
                            .unknown_sizes = options.unknown_sizes,
                            .memory_fraction = fraction,
                            .compile_cache = options.fresh_compile ? std::nullopt : own_cache("compile"),
                            .hold_writes_back = !options.keep_writes};
}

Status write_to_file(launch::JobOptions& job, UniqueFd& output) {
  const auto file = job.run_directory / kOutputFile;
  output = UniqueFd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!output) return Error{"cannot write '" + file.string() + "': " + std::strerror(errno), limit_hint(errno)};
  job.stdout_fd = job.stderr_fd = output.get();
  return {};
}

Result<PlannedRun> plan(const Session& session, const CardFile& card, std::size_t order, bool first, UniqueFd& output) {
  const auto& options = session.options;
  auto job = job_in(session, session.folder_of(card, order),
                    {.address_order = options.address_orders[order],
                     .recorded_segments = options.recorded_segments,
                     .cards = std::vector<Card>(static_cast<std::size_t>(options.count), card.card)});
  if (!job) return job.error();
  if (first) {
    job->stdout_fd = options.json ? STDERR_FILENO : STDOUT_FILENO;
  } else if (const auto status = write_to_file(*job, output); !status) {
    return status.error();
  }
  return PlannedRun{card.card.id, std::move(job).value()};
}

Verdict judge_card(const Session& session, const CardFile& card, std::span<const RunOutcome> outcomes) {
  std::vector<Verdict> by_order;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto facts = facts_of(outcomes[i].result);
    facts.address_order = session.options.address_orders[i];
    facts.address_order_assumed = !session.options.address_order_given;
    facts.planned_steps = session.options.steps;
    facts.cap = session.options.limits.cap_on(card.card);
    by_order.push_back(verdict::judge(card.card, facts));
  }
  auto verdict = verdict::combine(std::move(by_order));
  add_provenance(verdict, card);
  return verdict;
}

void show_output_in(const fs::path& folder, const std::string& run) {
  const auto text = last_lines(folder / kOutputFile, kShownOutputLines);
  if (!text.empty()) fmt::print(stderr, "--- {}, last lines:\n{}", run, report::printable_lines(text));
}

}  // namespace dryfit::cli
