// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "base/unique_fd.h"
#include "commands.h"
#include "duration.h"
#include "own_environment.h"
#include "predict_answer.h"
#include "predict_model_file.h"
#include "predict_python.h"
#include "predict_question.h"
#include "predict_report.h"
#include "predict_stream.h"
#include "predictor/compute_predictor.h"
#include "predictor/job_predictor.h"
#include "resources.h"
#include "screen.h"
#include "site_bounds.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct PredictOptions {
  PredictDefaults defaults;
  std::string jobs;     ///< a file of descriptions, or "-"
  std::string factory;  ///< "model.py:Factory"
  std::string interpreter = "python";
  std::string timeout = "10m";
  fs::path model_file;     ///< empty: that of the installation
  fs::path models;         ///< the same
  fs::path compute_model;  ///< the same
  std::vector<fs::path> cards;
  CalibrationChoice calibration;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  bool strict = false;
  bool json = false;
};

/// The model of step times, where there is one; else `why` says why not.
struct ComputeSource {
  std::optional<predictor::ComputePredictor> learned;
  PredictModel model;
  Error why;

  Result<predictor::ComputePrediction> predict(const predictor::JobDescription& job, const Card& card,
                                               double coverage) const {
    if (!learned) return why;
    return learned->predict(job, card, coverage);
  }
};

/// Everything that answers need, loaded once.
struct PredictSession {
  const PredictOptions& options;
  Resources resources;
  Catalogue catalogue;
  CardNames cards{catalogue};
  predictor::JobPredictor learned;
  PredictModel model;
  std::optional<predictor::KnownModels> known;
  ModelSource models;
  SiteCorrection site;
  ComputeSource compute;
  std::string model_as_json = model_json(model);
  std::string compute_as_json = compute.learned ? model_json(compute.model) : "null";

  Result<PredictAnswer> answer(PredictQuestion question) const {
    return answer_of(
        std::move(question), cards,
        [this](const predictor::JobDescription& job, double coverage) { return learned.predict(job, coverage); }, &site,
        [this](const predictor::JobDescription& job, const Card& card, double coverage) {
          return compute.predict(job, card, coverage);
        });
  }
};

/// Which of the three ways a job is described in.
Status check_ways(const PredictOptions& options) {
  const int ways = !options.defaults.model.empty() + !options.factory.empty() + !options.jobs.empty();
  if (ways == 1) return {};
  if (ways == 0) {
    return Error{"no job is described", "Give --model NAME, --python FILE.py:FACTORY, or a JSON file (- reads stdin)."};
  }
  return Error{"a job is described in more than one way", "Give --model, --python or a JSON file."};
}

Status check_cards(const CardNames& cards, const std::vector<std::string>& gpus) {
  for (const auto& name : gpus) {
    if (const auto card = cards.find(name); !card) return card.error();
  }
  return {};
}

int show(const PredictSession& session, const Result<PredictQuestion>& question) {
  if (!question) return fail(question.error(), kWrongUsage);
  const auto answer = session.answer(*question);
  if (!answer) return fail(answer.error(), kCouldNotTell);
  const auto text = session.options.json
                        ? predict_json(*answer, session.model_as_json, session.compute_as_json) + "\n"
                        : predict_text(*answer, session.model, style_for(STDOUT_FILENO), &session.compute.model);
  if (!print(text)) return fail({"cannot write the answer to stdout", ""}, kCouldNotTell);
  return exit_code(*answer, session.options.strict);
}

LineAnswer answer_line(const PredictSession& session, std::string_view line, std::size_t number) {
  const auto failed = [&](const Error& error) {
    return LineAnswer{.text = predict_error_json(error, number, id_in(line)), .failed = true};
  };
  auto question = parse_question(line, session.options.defaults, session.models);
  if (!question) return failed(question.error());
  const auto answer = session.answer(std::move(*question));
  if (!answer) return failed(answer.error());
  return {.text = predict_json(*answer, session.model_as_json, session.compute_as_json),
          .does_not_fit = exit_code(*answer, session.options.strict) != kSuccess};
}

int answer_lines(const PredictSession& session, int input) {
  const auto tally =
      answer_stream(input, STDOUT_FILENO, session.options.threads,
                    [&](std::string_view line, std::size_t number) { return answer_line(session, line, number); });
  if (!tally) return fail(tally.error(), kCouldNotTell);
  if (tally->does_not_fit > 0) return kDoesNotFit;
  return tally->failed > 0 ? kCouldNotTell : kSuccess;
}

/// A file holds one description that may take several lines, or one on each line.
int answer_file(const PredictSession& session, const std::string& path) {
  if (path == "-") return answer_lines(session, STDIN_FILENO);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail({"cannot read '" + path + "': " + std::strerror(errno), ""}, kWrongUsage);
  const auto whole = single_description(path);
  if (!whole) return answer_lines(session, file.get());
  return show(session, parse_question(*whole, session.options.defaults, session.models));
}

int answer_python(const PredictSession& session) {
  const auto& options = session.options;
  const auto& defaults = options.defaults;
  const auto limit = parse_duration(options.timeout);
  if (!limit) return fail(limit.error(), kWrongUsage);
  if (defaults.gpus.empty()) return fail({"the job has no card", "Name one: --gpu rtx-4090"}, kWrongUsage);
  if (const auto status = check_asked(defaults); !status) return fail(status.error(), kWrongUsage);
  auto model = describe_by_dry_run({.factory = options.factory,
                                    .python = options.interpreter,
                                    .size = defaults.size,
                                    .batch = defaults.batch,
                                    .precision = defaults.precision,
                                    .checkpointing = defaults.checkpointing,
                                    .timeout = *limit},
                                   session.resources, session.catalogue);
  if (!model) return fail(model.error(), kCouldNotTell);
  auto question = question_of(defaults, std::move(*model));
  if (question) question->dry_run = true;
  return show(session, question);
}

int answer_asked(const PredictSession& session) {
  const auto& options = session.options;
  if (const auto status = check_cards(session.cards, options.defaults.gpus); !status) {
    return fail(status.error(), kWrongUsage);
  }
  if (!options.jobs.empty()) return answer_file(session, options.jobs);
  if (!options.factory.empty()) return answer_python(session);
  return show(session, question_of(options.defaults, session.models));
}

ComputeSource read_compute(const fs::path& file) {
  auto learned = predictor::ComputePredictor::read(file);
  if (!learned) return {.why = learned.error()};
  return {.learned = *learned, .model = {file, learned->card()}};
}

int predict(const PredictOptions& options) {
  if (const auto status = check_ways(options); !status) return fail(status.error(), kWrongUsage);
  auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  auto file = options.model_file.empty() ? default_model_file(models_folder(*resources)) : Result(options.model_file);
  if (!file) return fail(file.error(), kCouldNotTell);
  const auto learned = predictor::JobPredictor::read(*file);
  if (!learned) return fail(learned.error(), kCouldNotTell);
  auto known = predictor::KnownModels::read(options.models.empty() ? models_folder(*resources) / kModelCatalogue
                                                                   : options.models);
  if (!known && !options.models.empty()) return fail(known.error(), kWrongUsage);
  auto site = site_correction(options.calibration, own_environment());
  if (!site) return fail(site.error(), kWrongUsage);
  auto compute =
      read_compute(options.compute_model.empty() ? models_folder(*resources) / kComputeModel : options.compute_model);
  if (!compute.learned && !options.compute_model.empty()) return fail(compute.why, kCouldNotTell);

  PredictSession session{.options = options,
                         .resources = std::move(*resources),
                         .catalogue = std::move(*catalogue),
                         .learned = *learned,
                         .model = {*file, learned->card()},
                         .site = std::move(*site),
                         .compute = std::move(compute)};
  if (known) {
    session.known = std::move(*known);
    session.models.known = &*session.known;
  } else {
    session.models.why = known.error();
  }
  return answer_asked(session);
}

void declare_job(CLI::App& command, PredictDefaults& o) {
  command.add_option("--model", o.model, "A model of the catalogue: resnet50, torchvision/resnet50 (dryfit models)")
      ->type_name("NAME");
  command.add_option("--size", o.size, "Side of an image, or length of a sequence (default: the model's own)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000).description(""));
  command.add_option("--batch", o.batch, "Samples of a step")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000).description(""));
  command.add_option("--optimizer", o.optimizer, "sgd, momentum, adam, adamw, rmsprop, adagrad or adafactor")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--precision", o.precision, "fp32, bf16-amp, fp16-amp or bf16 (all of the model)")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_flag("--checkpointing", o.checkpointing, "Activations are computed again instead of kept");
  command.add_option("--gpu", o.gpus, "The card, as in `dryfit run`; several: a,b,c")
      ->type_name("NAME")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--coverage", o.coverage, "The share of jobs that shall stay under the bound")
      ->type_name("X")
      ->capture_default_str();
}

void declare(CLI::App& command, PredictOptions& o) {
  command.add_option("JOBS", o.jobs, "A JSON file of one job, or of one on each line; - reads such lines from stdin")
      ->type_name("FILE|-");
  declare_job(command, o.defaults);
  command
      .add_option("--python", o.factory,
                  "A model of your own: a few steps of what FACTORY() returns are run dry to describe it")
      ->type_name("FILE.py:FACTORY");
  command.add_option("--interpreter", o.interpreter, "The Python for that")
      ->type_name("COMMAND")
      ->capture_default_str();
  command.add_option("--timeout", o.timeout, "The longest that may take: 90, 5m, 2h")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--model-file", o.model_file, "The learned model that answers (default: the installed one)")
      ->type_name("FILE");
  command
      .add_option("--compute-model", o.compute_model, "The learned model of step times (default: the installed one)")
      ->type_name("FILE");
  command.add_option("--models", o.models, "The catalogue of models (default: the installed one)")->type_name("FILE");
  command.add_option("--cards", o.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--calibration", o.calibration.file,
          "What this site learned, to correct bounds by (default: that of the default history, if there is one)")
      ->type_name("FILE");
  command.add_flag("--no-calibration", o.calibration.none, "Bounds as the model gives them");
  command.add_option("--threads", o.threads, "How many lines to answer at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  command.add_flag("--strict", o.strict, "A tight fit counts as none");
  command.add_flag("--json", o.json, "Print JSON");
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("predict", "Say what a job that is only described takes, without running it");
  command->footer(
      "Examples:\n"
      "  dryfit predict --model resnet50 --batch 64 --optimizer adamw --precision bf16-amp --gpu rtx-4090\n"
      "  dryfit predict --python model.py:make_model --batch 64 --gpu rtx-4090\n"
      "  echo '{\"model\": \"resnet50\", \"batch\": 64, \"gpu\": [\"a100-40gb\", \"rtx-4090\"]}' | dryfit predict -\n\n"
      "An answer that was learned, with its errors; `dryfit run` gives the exact one.\n"
      "Exit code: 0 fits on every card, 3 does not fit on at least one, 2 wrong usage, 1 could not tell.");
  auto options = std::make_shared<PredictOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->defaults.gpus, "");
    exit_code = predict(*options);
  });
}

}  // namespace dryfit::cli
