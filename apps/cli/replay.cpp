// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "files.h"
#include "memory_limits.h"
#include "named_cards.h"
#include "notice.h"
#include "replay_report.h"
#include "replay_source.h"
#include "resources.h"
#include "run_note.h"
#include "screen.h"
#include "snapshot/writer.h"
#include "whatif/prediction.h"
#include "whatif/sweep.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayOptions {
  fs::path path = "last";
  std::vector<std::string> gpus;
  std::vector<fs::path> cards;
  std::optional<std::string> alloc_conf;  ///< none: as recorded
  std::string torch;                      ///< empty: as recorded
  std::optional<double> fraction;
  TypedMemoryLimits limits;
  std::optional<int> device;  ///< none: the fullest
  bool sweep = false;
  bool json = false;
  fs::path write_snapshot;
};

/// Everything that one invocation of `dryfit replay` works with.
struct ReplaySession {
  ReplayOptions options;
  ReplaySource source;
  std::size_t devices = 0;  ///< that were recorded
  int device = 0;           ///< of these, the one that is played
  std::vector<Card> cards;  ///< empty: none is given or known
  MemoryLimits limits;
};

whatif::Question question(const ReplaySession& session, const whatif::Recording& recording, const Card* card,
                          const whatif::Conditions& conditions) {
  whatif::Question result{.recording = &recording, .card = card, .conditions = conditions};
  const auto& cap = session.limits.cap;
  if (cap && card) result.conditions.fraction = cap->fraction_of(card->total_memory);
  if (cap && !card) result.conditions.cap = cap->of(whatif::kNoCard);
  if (!card) return result;
  const auto* recorded = session.source.card(recording.device);
  result.same_card = recorded && recorded->id == card->id;
  result.others = session.source.others_on(recording.device);
  result.outside = whatif::outside_of(*card, session.source.libraries(recording.device));
  return result;
}

std::optional<Card> card_of(const whatif::Question& question) {
  return question.card ? std::optional(*question.card) : std::nullopt;
}

std::optional<Bytes> cap_of(const ReplaySession& session, const whatif::Question& question) {
  return question.card ? session.limits.cap_on(*question.card) : question.conditions.cap;
}

Status write_prediction(const ReplaySession& session, const whatif::Prediction& prediction) {
  return write_atomically(session.options.write_snapshot, snapshot::to_pickle(prediction.snapshot()));
}

Result<ReplayRow> play_one(const ReplaySession& session, const whatif::Question& question,
                           const std::string& alloc_conf) {
  std::optional<whatif::Prediction> prediction;
  if (!session.options.write_snapshot.empty())
    prediction.emplace(*question.recording, alloc_conf, question.conditions.torch);
  auto answer = whatif::answer(question, prediction ? &*prediction : nullptr);
  if (!answer) return answer.error();
  if (prediction) {
    if (auto status = write_prediction(session, *prediction); !status) return status.error();
  }
  return ReplayRow{card_of(question), question.outside, cap_of(session, question), alloc_conf,
                   std::move(answer).value()};
}

Status play_all(const ReplaySession& session, const whatif::Question& question, ReplayReport& report) {
  const auto configurations = whatif::sensible_configurations(*question.recording, question);
  const Notice notice(fmt::format("replaying with {} settings", configurations.size()));
  auto swept = whatif::sweep(question, configurations);
  if (!swept) return swept.error();
  for (std::size_t i = 0; i < swept->all.size(); ++i) {
    auto& [alloc_conf, answer] = swept->all[i];
    report.rows.push_back({card_of(question), question.outside, cap_of(session, question), alloc_conf,
                           std::move(answer), swept->best == i});
  }
  if (session.options.write_snapshot.empty() || !swept->best) return {};
  auto best = question;
  const auto& alloc_conf = configurations[*swept->best];
  auto config = simulator::parse_alloc_config(alloc_conf, question.conditions.torch);
  best.conditions.config = std::move(config).value();
  const auto row = play_one(session, best, alloc_conf);
  return row ? Status() : Status(row.error());
}

/// For a sweep, each card counts by its best configuration, if there is one.
int exit_code(const ReplayReport& report, std::size_t cards) {
  std::vector<whatif::Fit> fits;
  for (const auto& row : report.rows) {
    if (row.answer.fit && (row.is_best || !report.swept)) fits.push_back(*row.answer.fit);
  }
  const auto any = [&](whatif::Fit fit) { return std::ranges::find(fits, fit) != fits.end(); };
  if (any(whatif::Fit::does_not_fit) || fits.size() < cards) return kDoesNotFit;
  return any(whatif::Fit::cannot_tell) ? kCouldNotTell : kSuccess;
}

Result<whatif::Conditions> conditions_for(const ReplayOptions& options, const whatif::Recording& recording,
                                          const ReplaySource& source) {
  whatif::Conditions conditions{.torch = recording.torch, .fraction = options.fraction};
  if (source.machine) conditions.address_order = source.machine->address_order;
  if (!options.torch.empty()) {
    const auto version = simulator::parse_torch_version(options.torch);
    if (!version) return version.error();
    conditions.torch = *version;
  }
  auto config = simulator::parse_alloc_config(options.alloc_conf.value_or(recording.alloc_conf), conditions.torch);
  if (!config) return config.error();
  conditions.config = std::move(config).value();
  return conditions;
}

int replay(const ReplaySession& session) {
  const auto& options = session.options;
  const auto recording = prepared(session.source, session.device, options.torch);
  if (!recording) return fail(recording.error(), kWrongUsage);
  const auto conditions = conditions_for(options, *recording, session.source);
  if (!conditions) return fail(conditions.error(), kWrongUsage);
  if (session.cards.empty() && conditions->config.per_process_memory_fraction) {
    return fail(
        {"per_process_memory_fraction is a fraction of a GPU's memory, but no GPU is known", "Name one with --gpu."},
        kWrongUsage);
  }

  ReplayReport report{.source = &session.source,
                      .recording = &*recording,
                      .torch_known = session.source.torch().has_value(),
                      .devices = session.devices,
                      .device_given = options.device.has_value(),
                      .torch = conditions->torch,
                      .fraction = options.fraction,
                      .swept = options.sweep};
  std::vector<const Card*> cards;
  for (const auto& card : session.cards) cards.push_back(&card);
  if (cards.empty()) cards.push_back(nullptr);
  for (const auto* card : cards) {
    const auto on_card = question(session, *recording, card, *conditions);
    if (options.sweep) {
      if (const auto status = play_all(session, on_card, report); !status) return fail(status.error(), kCouldNotTell);
      continue;
    }
    auto row = play_one(session, on_card, options.alloc_conf.value_or(recording->alloc_conf));
    if (!row) return fail(row.error(), kCouldNotTell);
    report.rows.push_back(std::move(row).value());
  }
  const auto text = options.json ? replay_json(report) : replay_text(report, style_for(STDOUT_FILENO));
  if (!print(text)) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return exit_code(report, session.cards.size());
}

/// The given cards, else the recorded one.
Result<std::vector<Card>> unlimited_cards(const ReplayOptions& options, const ReplaySource& source, int device) {
  std::vector<Card> cards;
  if (options.gpus.empty()) {
    if (const auto* card = source.card(device)) cards.push_back(*card);
    return cards;
  }
  const auto resources = find_resources();
  if (!resources) return resources.error();
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return catalogue.error();
  const auto named = named_cards(*catalogue, options.gpus);
  if (!named) return named.error();
  for (const auto* file : *named) cards.push_back(file->card);
  return cards;
}

Result<std::vector<Card>> requested_cards(const ReplayOptions& options, const MemoryLimits& limits,
                                          const ReplaySource& source, int device) {
  auto cards = unlimited_cards(options, source, device);
  if (!cards) return cards.error();
  const bool needs_card = limits.gpu_limit || (limits.cap && !limits.cap->is_size());
  if (cards->empty() && needs_card) {
    return Error{"the limit is a part of a GPU's memory, but no GPU is known", "Name one with --gpu."};
  }
  for (auto& card : *cards) {
    auto shared = limited(card, limits);
    if (!shared) return shared.error();
    card = *std::move(shared);
  }
  return cards;
}

Status check(const ReplayOptions& options, const fs::path& recording, const std::vector<Card>& cards) {
  if (options.fraction && !(*options.fraction >= 0 && *options.fraction <= 1)) {
    return Error{"--fraction must be from 0 to 1", "For half of the GPU's memory, give --fraction 0.5."};
  }
  if (options.fraction && cards.empty()) {
    return Error{"--fraction is a fraction of a GPU's memory, but no GPU is known", "Name one with --gpu."};
  }
  if (options.sweep && options.alloc_conf) {
    return Error{"--sweep and --alloc-conf can't be combined", "Leave out one of them."};
  }
  if (options.write_snapshot.empty()) return {};
  if (cards.size() > 1)
    return Error{"--write-snapshot writes the snapshot for one GPU only", "Name one GPU with --gpu."};
  std::error_code ignored;
  if (fs::equivalent(options.write_snapshot, recording, ignored)) {
    return Error{"--write-snapshot would overwrite the recording itself", "Give another file name."};
  }
  return check_writable(options.write_snapshot);
}

int run(const ReplayOptions& options) {
  auto source = load_source(options.path);
  if (!source) return fail(source.error(), code_of(source.error()));
  auto devices = whatif::recorded_devices(source->snapshot);
  const auto device = chosen_device(*source, devices, options.device);
  if (!device) return fail(device.error(), kWrongUsage);
  auto limits = options.limits.parse();
  if (!limits) return fail(limits.error(), kWrongUsage);
  auto cards = requested_cards(options, *limits, *source, *device);
  if (!cards) return fail(cards.error(), kWrongUsage);
  if (const auto status = check(options, source->file, *cards); !status) return fail(status.error(), kWrongUsage);
  if (!options.json) print_note_on_run(options.path.string());
  return replay({options, std::move(source).value(), devices.size(), *device, std::move(cards).value(),
                 std::move(limits).value()});
}

void declare(CLI::App& command, ReplayOptions& options) {
  command.add_option("RUN", options.path, kRunText)->type_name("RUN")->capture_default_str();
  add_gpus_option(command, options.gpus,
                  "GPU to try, as listed by `dryfit gpus`; several: a,b,c (default: the recorded one)");
  command
      .add_option("--alloc-conf", options.alloc_conf,
                  "PYTORCH_CUDA_ALLOC_CONF to replay with (default: the recorded one)")
      ->type_name("CONF");
  command.add_option("--torch", options.torch, "PyTorch version to replay with (default: the recorded one)")
      ->type_name("VERSION");
  command.add_option("--fraction", options.fraction, "Limit PyTorch to this fraction of the GPU's memory, from 0 to 1")
      ->type_name("X");
  options.limits.declare(command);
  command.get_option("--cap")->excludes("--fraction");
  command.add_flag("--sweep", options.sweep, "Try all sensible allocator settings and name the best; see below");
  command.add_option("--device", options.device, "Recorded device to replay (default: the fullest)")->type_name("N");
  add_gpu_file_option(command, options.cards);
  command
      .add_option("--write-snapshot", options.write_snapshot,
                  "Write the result (with --sweep: the best one) as a memory snapshot for PyTorch's memory_viz")
      ->type_name("FILE");
  command.add_flag("--json", options.json, "Print JSON instead of the report");
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("replay", "Replay a recorded run with another GPU, allocator setting or PyTorch version")
          ->group(kAsk);
  command->footer(
      "Examples:\n  dryfit replay last --sweep\n"
      "  dryfit replay myrun --gpu rtx-3060-12gb,rtx-4060-8gb --alloc-conf expandable_segments:True\n"
      "  dryfit replay snapshot.pickle --gpu a100-40gb\n\n"
      "Nothing is run: the recorded requests are given to a simulated allocator.\n\n"
      "The best setting of a sweep is the one with the best verdict, then the fewest retries, then the least reserved "
      "memory. PyTorch's default is preferred to settings that save less than 1 %.\n\n"
      "Exit code: 0 fits on every GPU (or there is none), 3 does not fit on at least one, 2 wrong usage, 1 cannot "
      "tell.");
  auto options = std::make_shared<ReplayOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->gpus, "");
    exit_code = run(*options);
  });
}

}  // namespace dryfit::cli
