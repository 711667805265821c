// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "explained_run.h"
#include "files.h"
#include "help.h"
#include "judgement.h"
#include "kept_runs.h"
#include "launch/run_directory.h"
#include "own_environment.h"
#include "replayed_limits.h"
#include "report/explanation.h"
#include "report/json.h"
#include "report/table.h"
#include "report/terminal.h"
#include "report/writes.h"
#include "run_manifest.h"
#include "run_options.h"
#include "run_session.h"
#include "screen.h"
#include "snapshot/reader.h"
#include "suggestions.h"
#include "verdict/counting.h"
#include "verdict/verdict.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using verdict::Answer;
using verdict::Verdict;

constexpr std::size_t kShownOwners = 3;

fs::path counting_folder(const Session& session) { return session.folder.path() / "flops"; }

/// The run that counts floating-point operations and nothing else: Note [Counting apart] in verdict/counting.h.
Result<PlannedRun> plan_counting(const Session& session, UniqueFd& output) {
  const auto card = verdict::endless_memory(session.cards.front().card);
  auto job = job_in(session, counting_folder(session),
                    {.cards = std::vector<Card>(static_cast<std::size_t>(session.options.count), card)});
  if (!job) return job.error();
  job->memory_history = false;
  job->memory_fraction.reset();
  job->count_flops = true;
  job->compile_cache.reset();
  if (const auto status = write_to_file(*job, output); !status) return status.error();
  return PlannedRun{"counting", std::move(job).value()};
}

/// The results of all runs.
struct Findings {
  std::vector<Verdict> verdicts;                            ///< one per GPU
  std::optional<verdict::Counting> counting;                ///< where it was requested
  std::vector<std::optional<ExplainedRun>> explained = {};  ///< one per GPU, where requested and possible

  std::vector<const explain::Explanation*> explanations() const {
    std::vector<const explain::Explanation*> result;
    for (const auto& each : explained) result.push_back(each ? &each->explanation : nullptr);
    return result;
  }
};

/// A run without a history, or with a damaged one, is not explained.
void explain_all(const Session& session, Findings& found) {
  if (!session.options.explain) return;
  for (const auto& card : session.cards) {
    auto explained = explain_folder(session.folder_of(card));
    found.explained.push_back(explained ? std::optional(std::move(explained).value()) : std::nullopt);
  }
}

/// The GPU whose memory is explained on the terminal: the first on which the job does not fit, else the first with an
/// explanation.
std::optional<std::size_t> shown_card(const Findings& found) {
  std::optional<std::size_t> shown;
  for (std::size_t i = 0; i < found.explained.size(); ++i) {
    if (!found.explained[i]) continue;
    if (found.verdicts[i].answer == Answer::does_not_fit) return i;
    if (!shown) shown = i;
  }
  return shown;
}

/// By replay of what PyTorch's memory history recorded; a run without one has none.
void find_limits(const Session& session, Findings& found) {
  for (std::size_t i = 0; i < found.verdicts.size(); ++i) {
    auto& verdict = found.verdicts[i];
    if (i < found.explained.size() && found.explained[i]) {
      verdict.limits = limits_by_replay(verdict, found.explained[i]->snapshot);
      continue;
    }
    const auto histories = launch::RunDirectory(session.folder_of(session.cards[i])).histories();
    if (histories.size() != 1) continue;
    if (const auto snapshot = snapshot::read_snapshot(histories.front())) {
      verdict.limits = limits_by_replay(verdict, *snapshot);
    }
  }
}

Findings judge_all(const Session& session, std::span<const RunOutcome> outcomes) {
  Findings found;
  for (std::size_t i = 0; i < session.cards.size(); ++i) {
    const auto of_card = outcomes.subspan(i * session.orders(), session.orders());
    found.verdicts.push_back(judge_card(session, session.cards[i], of_card));
  }
  if (session.options.count_flops) {
    const auto card = verdict::endless_memory(session.cards.front().card);
    found.counting = verdict::count(card, facts_of(outcomes.back().result));
  }
  explain_all(session, found);
  find_limits(session, found);
  return found;
}

/// The last lines printed by a program that did not own the terminal, where they may explain something new.
void show_hidden_output(const Session& session, const Findings& found) {
  const auto& [verdicts, counting, explained] = found;
  for (std::size_t i = 1; i < verdicts.size(); ++i) {
    if (verdicts[i].answer != Answer::cannot_tell || verdicts[i].reason == verdicts[0].reason) continue;
    show_output_in(session.folder_of(session.cards[i]), verdicts[i].card.id);
  }
  const bool unseen = counting && !counting->reason.empty() && counting->reason != verdicts[0].reason;
  if (unseen) show_output_in(counting_folder(session), "counting");
}

/// The report for people shows it; this is for the user of a program that reads only the JSON or the exit code.
void warn_of_tight(const std::vector<Verdict>& verdicts) {
  for (const auto& verdict : verdicts) {
    if (verdict.answer != Answer::tight) continue;
    fmt::print(stderr, "dryfit: {} fits, tight: {}\n", verdict.card.id, report::printable(verdict.reason));
  }
}

void warn_of_writes(const std::optional<launch::Writes>& writes) {
  const auto warning = report::writes_warning(writes);
  if (!warning.empty()) fmt::print(stderr, "dryfit: {}\n", warning);
}

/// Keeps a run without --save for a while, so that the next command can be about it. False: it could not be kept.
bool keep_for_next(const Session& session) {
  const auto kept = KeptRuns::in(own_environment());
  return kept && kept->keep(session.folder.path());
}

/// A run that left nothing to show is at least mentioned by the next command.
void remember_for_next(const std::string& verdict) {
  if (const auto kept = KeptRuns::in(own_environment())) kept->remember_unkept(verdict);
}

/// Where memory is scattered, other settings of PyTorch's allocator may make the job fit: more is free or cached than
/// the request that failed.
bool may_help_to_replay(const Verdict& verdict) {
  if (verdict.answer != Answer::does_not_fit || !verdict.oom || !verdict.torch_peak_allocated) return false;
  const auto outside = verdict.device_peak - verdict.reserved_at_peak;
  return *verdict.torch_peak_allocated + outside + verdict.oom->requested <= verdict.capacity;
}

/// A GPU on which the job can show what it needs: of the same or an older architecture, because the installed PyTorch
/// supports that, the one with most memory.
const Card* larger_than(const Card& card, const Catalogue& catalogue) {
  const auto architecture = [](const Card& each) {
    return std::pair(each.compute_capability.major, each.compute_capability.minor);
  };
  const Card* largest = nullptr;
  for (const auto& file : catalogue.cards()) {
    const auto& other = file.card;
    const bool is_whole = other.id.find("-mig-") == std::string::npos;
    if (!is_whole || architecture(other) > architecture(card)) continue;
    if (other.total_memory > (largest ? largest : &card)->total_memory) largest = &other;
  }
  return largest;
}

/// What to type next, and what for.
std::vector<std::pair<std::string, std::string>> next_commands(const Session& session, const Findings& found,
                                                               std::size_t shown, bool is_kept) {
  std::vector<std::pair<std::string, std::string>> commands;
  const auto& verdict = found.verdicts[shown];
  const bool several = session.cards.size() > 1;
  const bool fits_nowhere = std::ranges::none_of(found.verdicts, verdict::fitted, &Verdict::answer);
  const auto largest =
      std::ranges::max_element(session.cards, {}, [](const auto& each) { return each.card.total_memory; });
  const auto* larger = larger_than(largest->card, session.catalogue);
  if (verdict::is_stopped_by_cap(verdict)) {
    commands.emplace_back(fmt::format("dryfit limits --gpu {} ...", verdict.card.id), "find the least cap");
  } else if (verdict.answer == Answer::does_not_fit && fits_nowhere && larger) {
    commands.emplace_back(fmt::format("dryfit run --gpu {},{} ...", verdict.card.id, larger->id),
                          "count what it needs");
  }
  if (is_kept) {
    const bool is_saved = session.folder.is_kept();
    const auto run = is_saved ? " " + session.options.save.string() : "";
    commands.emplace_back(fmt::format("dryfit top{}{}", run, several ? " --gpu " + verdict.card.id : ""),
                          "by module and line");
    commands.emplace_back(fmt::format("dryfit report{}", run), "charts on a page");
    if (may_help_to_replay(verdict) && (is_saved || !several)) {
      const auto recording = is_saved ? (session.options.save / verdict.card.id).string() : "last";
      commands.emplace_back(fmt::format("dryfit replay {} --sweep", recording), "try other allocator settings");
    }
  }
  return commands;
}

/// The commands, with what each is for if the screen is wide enough.
std::string next_text(const std::vector<std::pair<std::string, std::string>>& commands, const report::Style& style) {
  constexpr std::size_t kBesideCommand = 11;
  std::size_t command_width = 0, purpose_width = 0;
  for (const auto& [command, purpose] : commands) {
    command_width = std::max(command_width, command.size());
    purpose_width = std::max(purpose_width, purpose.size());
  }
  const bool has_room = kBesideCommand + command_width + purpose_width <= style.columns;
  std::vector<std::vector<report::Cell>> rows;
  for (const auto& [command, purpose] : commands) {
    rows.push_back({{rows.empty() ? "  next:" : ""}, {command, report::Align::left, true, report::Paint::strong}});
    if (has_room) rows.back().push_back({purpose, report::Align::left, true, report::Paint::faint});
  }
  return report::aligned(rows, style);
}

/// What takes the memory, and what to type next.
std::string explanation_text(const Session& session, const Findings& found, bool is_kept) {
  const auto shown = shown_card(found);
  if (!shown) return "";
  const auto style = style_for(STDOUT_FILENO);
  std::string text;
  if (session.cards.size() > 1) {
    text = "\n" + report::painted(session.cards[*shown].card.id, report::Paint::strong, style) + "\n";
  }
  text += report::explanation_text(found.explained[*shown]->explanation, kShownOwners, style);
  return text + next_text(next_commands(session, found, *shown, is_kept), style);
}

int deliver(const Session& session, const Findings& found) {
  const auto& options = session.options;
  const auto& [verdicts, counting, explained] = found;
  const auto json = report::json_text(DRYFIT_VERSION, options.command, verdicts, counting, found.explanations());
  show_hidden_output(session, found);
  const bool for_next = !options.json && shown_card(found);
  if (session.folder.is_kept() || for_next) {
    auto status = write_atomically(session.folder.path() / "verdict.json", json);
    if (status) status = seal_run(session.folder.path());
    if (!status && session.folder.is_kept()) return fail(status.error(), kCouldNotTell);
  }
  const auto style = style_for(STDOUT_FILENO);
  // The empty line sets the verdict apart from the program's own output.
  bool printed = print(options.json ? json : "\n" + report::terminal_text(verdicts, style, counting));
  const bool cannot_tell = std::ranges::any_of(verdicts, [](auto& each) { return each.answer == Answer::cannot_tell; });
  if (!options.json && !for_next && cannot_tell) remember_for_next(json);
  if (for_next) {
    const bool is_kept = session.folder.is_kept() || keep_for_next(session);
    printed &= print(explanation_text(session, found, is_kept));
  }
  const auto& writes = verdicts.front().writes;
  if (!options.json) printed &= print(report::values_note(verdicts, style) + report::writes_note(writes, style));
  if (options.json) warn_of_tight(verdicts);
  if (options.json) warn_of_writes(writes);
  if (!options.output.empty()) {
    if (const auto status = write_atomically(options.output, json); !status) return fail(status.error(), kCouldNotTell);
  }
  if (!printed) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return verdict::exit_code(verdicts, options.strict);
}

/// One per card and order of addresses, then the one that counts. `outputs` keeps open what they write to.
Result<std::vector<PlannedRun>> plan_all(const Session& session, std::vector<UniqueFd>& outputs) {
  const auto measuring = session.cards.size() * session.orders();
  outputs.resize(measuring + 1);
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < measuring; ++i) {
    const auto& card = session.cards[i / session.orders()];
    auto planned = plan(session, card, i % session.orders(), i == 0, outputs[i]);
    if (!planned) return planned.error();
    runs.push_back(std::move(planned).value());
  }
  if (session.options.count_flops) {
    auto planned = plan_counting(session, outputs[measuring]);
    if (!planned) return planned.error();
    runs.push_back(std::move(planned).value());
  }
  return runs;
}

int run_session(const Session& session) {
  std::vector<UniqueFd> outputs;
  auto runs = plan_all(session, outputs);
  if (!runs) return fail(runs.error(), kCouldNotTell);
  const auto outcomes = run_all(std::move(runs).value(), session.options.jobs);
  for (const auto& outcome : outcomes) {
    if (outcome.error) return fail(*outcome.error, kCouldNotTell);
  }
  return deliver(session, judge_all(session, outcomes));
}

int run(const RunOptions& options) {
  int exit_code = kSuccess;
  const auto session = open_session(options, exit_code);
  return session ? run_session(*session) : exit_code;
}

}  // namespace

void add_run(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("run", "Run a training command on a simulated GPU")->group(kAsk);
  command->formatter(std::make_shared<Help>("dryfit run --gpu NAME[,NAME...] [OPTIONS] -- COMMAND..."));
  command->footer(
      "Examples:\n  dryfit run --gpu rtx-3060-12gb -- python train.py\n"
      "  dryfit run --gpu rtx-4090,a100-80gb --steps 5 -- python train.py --batch-size 32\n\n"
      "Options after the command belong to the command.\n\n"
      "Exit code: 0 fits on every GPU (tight fits included, unless --strict), 3 does not fit on at least one, 2 wrong "
      "usage, 1 cannot tell.");
  command->prefix_command();
  auto typed = std::make_shared<TypedRunOptions>();
  typed->declare(*command);
  command->callback([command, typed, &arguments, &exit_code] {
    const auto plain = command->remaining();
    if (!plain.empty() && plain.front().starts_with("-")) {
      exit_code = fail(unknown_option(*command, plain.front(), TypedLine::own()), kWrongUsage);
      return;
    }
    const auto options = typed->parse(joined_command(plain, arguments));
    exit_code = options ? run(*options) : fail(options.error(), kWrongUsage);
  });
}

}  // namespace dryfit::cli
