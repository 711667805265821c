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
#include "files.h"
#include "named_cards.h"
#include "notice.h"
#include "replay_report.h"
#include "replay_source.h"
#include "resources.h"
#include "screen.h"
#include "snapshot/writer.h"
#include "whatif/prediction.h"
#include "whatif/sweep.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeeHelp = "See: dryfit replay --help";
constexpr std::uintmax_t kLargeFile = std::uintmax_t{100} << 20;

struct ReplayOptions {
  fs::path path;
  std::vector<std::string> gpus;
  std::vector<fs::path> cards;
  std::optional<std::string> alloc_conf;  ///< none: as recorded
  std::string torch;                      ///< empty: as recorded
  std::optional<double> fraction;
  std::optional<int> device;  ///< none: the fullest
  bool sweep = false;
  bool json = false;
  fs::path write_snapshot;
};

Result<ReplaySource> load(const fs::path& path) {
  const auto file = find_snapshot(path);
  if (!file) return file.error();
  std::error_code error;
  const auto size = fs::file_size(*file, error);
  std::optional<Notice> notice;
  if (!error && size > kLargeFile) notice.emplace(fmt::format("reading {} ({})", file->string(), to_text(Bytes{size})));
  return read_source(*file);
}

/// The device that the user asks about; else the one on which most is reserved at the end of the recording.
Result<int> chosen_device(const ReplaySource& source, const std::vector<int>& recorded, std::optional<int> asked) {
  if (recorded.empty()) {
    return Error{source.file.string() + ": it holds no recorded events",
                 "Call torch.cuda.memory._record_memory_history() before what is of interest."};
  }
  if (asked && std::ranges::find(recorded, *asked) == recorded.end()) {
    return Error{source.file.string() + ": nothing was recorded for device " + std::to_string(*asked),
                 fmt::format("Recorded: device {}.", fmt::join(recorded, ", "))};
  }
  if (asked) return *asked;
  const auto reserved = [&](int device) {
    Bytes sum;
    for (const auto& segment : source.snapshot.segments) {
      if (segment.device == device) sum += segment.size;
    }
    return sum;
  };
  return *std::ranges::max_element(recorded, {}, reserved);
}

/// Everything that one invocation of `dryfit replay` works with.
struct ReplaySession {
  ReplayOptions options;
  ReplaySource source;
  std::size_t devices = 0;  ///< that were recorded
  int device = 0;           ///< of these, the one that is played
  std::vector<Card> cards;  ///< empty: none is asked for or known
};

whatif::Question question(const ReplaySession& session, const whatif::Recording& recording, const Card* card,
                          const whatif::Conditions& conditions) {
  whatif::Question result{.recording = &recording, .card = card, .conditions = conditions};
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
  return ReplayRow{card_of(question), question.outside, alloc_conf, std::move(answer).value()};
}

Status play_all(const ReplaySession& session, const whatif::Question& question, ReplayReport& report) {
  const auto configurations = whatif::sensible_configurations(*question.recording, question);
  const Notice notice(fmt::format("playing {} configurations", configurations.size()));
  auto swept = whatif::sweep(question, configurations);
  if (!swept) return swept.error();
  for (std::size_t i = 0; i < swept->all.size(); ++i) {
    auto& [alloc_conf, answer] = swept->all[i];
    report.rows.push_back({card_of(question), question.outside, alloc_conf, std::move(answer), swept->best == i});
  }
  if (session.options.write_snapshot.empty() || !swept->best) return {};
  auto best = question;
  const auto& alloc_conf = configurations[*swept->best];
  auto config = simulator::parse_alloc_config(alloc_conf, question.conditions.torch);
  best.conditions.config = std::move(config).value();
  const auto row = play_one(session, best, alloc_conf);
  return row ? Status() : Status(row.error());
}

/// What the cards come to: of a sweep, each by its best configuration, if there is one.
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

/// Of a foreign file only the oldest version that can have written it is known: the user may know better, and its
/// configuration may ask for a newer one.
Result<whatif::Recording> prepared(const ReplaySource& source, int device, const std::string& asked) {
  const auto known = source.torch();
  const auto assumed = asked.empty() ? source.snapshot.oldest_torch : asked;
  const auto torch = simulator::parse_torch_version(known.value_or(assumed));
  if (!torch) return torch.error();
  auto recording = whatif::prepare(source.snapshot, device, *torch);
  if (recording || known || !asked.empty()) return recording;
  return whatif::prepare(source.snapshot, device, simulator::TorchVersion::newest());
}

int replay(const ReplaySession& session) {
  const auto& options = session.options;
  const auto recording = prepared(session.source, session.device, options.torch);
  if (!recording) return fail(recording.error(), kWrongUsage);
  const auto conditions = conditions_for(options, *recording, session.source);
  if (!conditions) return fail(conditions.error(), kWrongUsage);
  if (session.cards.empty() && conditions->config.per_process_memory_fraction) {
    return fail({"per_process_memory_fraction is of a card's memory, and no card is known", "Name one with --gpu."},
                kWrongUsage);
  }

  ReplayReport report{.source = &session.source,
                      .recording = &*recording,
                      .torch_known = session.source.torch().has_value(),
                      .devices = session.devices,
                      .device_asked = options.device.has_value(),
                      .torch = conditions->torch,
                      .fraction = options.fraction,
                      .swept = options.sweep};
  std::vector<const Card*> cards;
  for (const auto& card : session.cards) cards.push_back(&card);
  if (cards.empty()) cards.push_back(nullptr);
  for (const auto* card : cards) {
    const auto asked = question(session, *recording, card, *conditions);
    if (options.sweep) {
      if (const auto status = play_all(session, asked, report); !status) return fail(status.error(), kCouldNotTell);
      continue;
    }
    auto row = play_one(session, asked, options.alloc_conf.value_or(recording->alloc_conf));
    if (!row) return fail(row.error(), kCouldNotTell);
    report.rows.push_back(std::move(row).value());
  }
  const auto text = options.json ? replay_json(report) : replay_text(report, style_for(STDOUT_FILENO));
  if (!print(text)) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return exit_code(report, session.cards.size());
}

Result<std::vector<Card>> asked_cards(const ReplayOptions& options, const ReplaySource& source, int device) {
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

Status check(const ReplayOptions& options, const fs::path& recording, const std::vector<Card>& cards) {
  if (options.fraction && !(*options.fraction >= 0 && *options.fraction <= 1)) {
    return Error{"--fraction must be from 0 to 1", kSeeHelp};
  }
  if (options.fraction && cards.empty()) {
    return Error{"--fraction is of a card's memory, and no card is known", "Name one with --gpu."};
  }
  if (options.sweep && options.alloc_conf) {
    return Error{"--sweep tries configurations itself", "Leave out --alloc-conf, or leave out --sweep."};
  }
  if (options.write_snapshot.empty()) return {};
  if (cards.size() > 1) return Error{"--write-snapshot writes the snapshot of one card", "Name one card with --gpu."};
  std::error_code ignored;
  if (fs::equivalent(options.write_snapshot, recording, ignored)) {
    return Error{"--write-snapshot would overwrite the recording itself", "Give the name of another file."};
  }
  return check_writable(options.write_snapshot);
}

int run(const ReplayOptions& options) {
  auto source = load(options.path);
  if (!source) return fail(source.error(), kWrongUsage);
  auto devices = whatif::recorded_devices(source->snapshot);
  const auto device = chosen_device(*source, devices, options.device);
  if (!device) return fail(device.error(), kWrongUsage);
  auto cards = asked_cards(options, *source, *device);
  if (!cards) return fail(cards.error(), kWrongUsage);
  if (const auto status = check(options, source->file, *cards); !status) return fail(status.error(), kWrongUsage);
  return replay({options, std::move(source).value(), devices.size(), *device, std::move(cards).value()});
}

void declare(CLI::App& command, ReplayOptions& options) {
  command.add_option("FILE", options.path, "A memory snapshot (pickle), or a folder kept by `dryfit run --save`")
      ->required()
      ->type_name("FILE|DIR");
  command
      .add_option("--gpu", options.gpus, "The card to try, as in `dryfit run`; several: a,b,c (default: as recorded)")
      ->type_name("NAME")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--alloc-conf", options.alloc_conf, "PYTORCH_CUDA_ALLOC_CONF to play it under (default: as recorded)")
      ->type_name("CONF");
  command.add_option("--torch", options.torch, "The version of PyTorch to play it under (default: as recorded)")
      ->type_name("VERSION");
  command.add_option("--fraction", options.fraction, "As torch.cuda.set_per_process_memory_fraction")->type_name("X");
  command.add_flag("--sweep", options.sweep,
                   "Compare all sensible configurations and name the best: by verdict, retries and peak");
  command.add_option("--device", options.device, "The recorded device (default: the fullest)")->type_name("N");
  command.add_option("--cards", options.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--write-snapshot", options.write_snapshot,
                  "Write the prediction (of a sweep: the best) as a memory snapshot for PyTorch's memory_viz")
      ->type_name("OUT");
  command.add_flag("--json", options.json, "Print JSON");
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("replay", "Play a recorded run again under another card, configuration or version");
  command->footer(
      "Example:\n  dryfit run --gpu a100-40gb --save myrun -- python train.py\n"
      "  dryfit replay myrun --gpu rtx-3060-12gb,rtx-4060-8gb --alloc-conf expandable_segments:True\n"
      "  dryfit replay snapshot.pickle --sweep\n\n"
      "Exit code: 0 fits on every card (or no card was asked about), 3 does not fit on at least one, 2 wrong usage,\n"
      "1 could not tell.");
  auto options = std::make_shared<ReplayOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->gpus, "");
    exit_code = run(*options);
  });
}

}  // namespace dryfit::cli
