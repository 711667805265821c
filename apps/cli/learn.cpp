// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "files.h"
#include "forward.h"
#include "history/calibration_file.h"
#include "history/history.h"
#include "history/site_pairs.h"
#include "history_place.h"
#include "own_environment.h"
#include "resources.h"
#include "screen.h"
#include "site_report.h"
#include "whatif/answer.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct LearnOptions {
  bool from_history = false;  ///< always true after parsing
  fs::path history;
  fs::path out;  ///< empty: beside the history
  double coverage = 0.95;
  bool dry_runs = false;
  std::vector<fs::path> cards;
  bool json = false;
};

/// What a card holds besides PyTorch's memory: the context from the catalogue, and typical libraries.
std::optional<history::Outside> outside_of(const Catalogue& catalogue, const std::string& id) {
  const auto* file = catalogue.find(id);
  if (!file) return std::nullopt;
  const auto context = file->card.context_memory + file->card.launch_memory;
  return history::Outside{.context = context,
                          .libraries = whatif::outside_of(file->card, std::nullopt).estimate - context};
}

Error nothing_to_learn(const history::SitePairs& pairs) {
  std::string why;
  for (const auto& [reason, count] : pairs.left_out) why += fmt::format("; {}: {}", reason, count);
  return {"the history has no record to learn from" + why,
          "Record predictions together with measurements: `dryfit observe --median … --upper …`."};
}

int learn(const LearnOptions& options) {
  if (!(options.coverage > 0.5 && options.coverage < 1)) {
    return fail({"--coverage must be above 0.5 and below 1", "Write 95 % as 0.95."}, kWrongUsage);
  }
  const auto place = existing_history(options.history, own_environment());
  if (!place) return fail(place.error(), kWrongUsage);
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  auto history = history::History::open(*place);
  if (!history) return fail(history.error(), kCouldNotTell);
  const auto records = history->find();
  if (!records) return fail(records.error(), kCouldNotTell);

  const auto pairs = history::site_pairs(
      *records, [&](const std::string& card) { return outside_of(*catalogue, card); }, options.dry_runs);
  if (pairs.pairs.empty()) return fail(nothing_to_learn(pairs), kCouldNotTell);
  const auto out = options.out.empty() ? history::calibration_beside(*place) : options.out;
  const auto text = history::calibration_text({predictor::calibrate(pairs.pairs), pairs.latest});
  if (const auto status = write_atomically(out, text); !status) return fail(status.error(), kCouldNotTell);
  const SiteReport report{.history = place->string(),
                          .calibration = out.string(),
                          .coverage = options.coverage,
                          .records = pairs.pairs.size(),
                          .left_out = pairs.left_out,
                          .assessment = predictor::assess(pairs.pairs, options.coverage)};
  const auto shown = options.json ? site_json(report, DRYFIT_VERSION) : site_text(report, style_for(STDOUT_FILENO));
  return print(shown) ? kSuccess : kCouldNotTell;
}

void declare(CLI::App& command, LearnOptions& o) {
  command.add_flag("--from-history", o.from_history, "Correct upper bounds by what this site's jobs really used")
      ->required();
  command.add_option("--history", o.history, "History to learn from (default: ~/.local/share/dryfit/history.db)")
      ->type_name("FILE");
  command.add_option("--out", o.out, "Output file for the calibration (default: beside the history)")
      ->type_name("FILE");
  command.add_option("--coverage", o.coverage, "Target coverage of the bounds in the table")
      ->type_name("X")
      ->capture_default_str();
  command.add_flag("--dry-runs", o.dry_runs, "Also learn from recorded dry runs");
  add_gpu_file_option(command, o.cards);
  command.add_flag("--json", o.json, "Print JSON");
}

/// Whether the arguments are meant for dryfit-train: they name a table of jobs or rows of a harvest.
bool is_for_training(const Arguments& arguments) {
  const auto& words = arguments.ours;
  if (words.empty() || words[0] != "learn") return false;
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.substr(0, word.find('=')) == "--data" || word.substr(0, word.find('=')) == "--harvest";
  });
}

}  // namespace

void add_learn(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("learn", "Learn from recorded jobs, dry runs or a table")->group(kSite);
  if (is_for_training(arguments)) return forward_to(*command, "dryfit-train", arguments, exit_code);
  command->footer(
      "Examples:\n  dryfit learn --from-history --coverage 0.95\n"
      "  dryfit learn --harvest rows.jsonl --models models.jsonl --gpu-file mine.toml --out predictions.csv "
      "--model mine.dryfit-model --date 2026-11-17 --licence Apache-2.0\n"
      "  dryfit learn --data DIR --set schedtune --folds model12 --network flat --out predictions.csv\n\n"
      "--from-history writes a calibration for this site. Its table shows how many jobs stayed within their bound, "
      "and by how much bounds exceeded real use, before and after the correction (after: cross-validated).\n"
      "--harvest trains a model for `dryfit predict --model-file` on rows from `dryfit harvest`.\n"
      "--data makes out-of-fold predictions for a table of measured jobs, which `dryfit evaluate` scores.\n"
      "The last two run dryfit-train, which needs libtorch (`make build-training`); `dryfit-train --help` lists its "
      "options.\n\n"
      "Exit code: 0 written; 1 failed, for example because there is no record to learn from; 2 wrong usage.");
  auto options = std::make_shared<LearnOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] { exit_code = learn(*options); });
}

}  // namespace dryfit::cli
