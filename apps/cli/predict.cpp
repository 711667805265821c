// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "base/unique_fd.h"
#include "commands.h"
#include "common_options.h"
#include "duration.h"
#include "memory_limits.h"
#include "named_cards.h"
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
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct PredictOptions {
  PredictDefaults defaults;
  TypedMemoryLimits limits;
  std::string jobs;     ///< a file of descriptions, or "-"
  std::string factory;  ///< "model.py:Factory"
  std::string interpreter = "python";
  std::string timeout = "10m";
  fs::path model_file;     ///< empty: the installed one
  fs::path models;         ///< the same
  fs::path compute_model;  ///< the same
  std::vector<fs::path> cards;
  CalibrationChoice calibration;
  std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  bool strict = false;
  bool json = false;
};

/// The model of step times, if there is one; otherwise the reason.
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

/// A job is described by --model, by --python or by a JSON file.
Status check_one_description(const PredictOptions& options) {
  const int descriptions = !options.defaults.model.empty() + !options.factory.empty() + !options.jobs.empty();
  if (descriptions == 1) return {};
  if (descriptions == 0) {
    return Error{"no job given",
                 "Give --model, --python or a JSON file, for example "
                 "`dryfit predict --model resnet50 --batch 64 --gpu rtx-4090`."};
  }
  return Error{"more than one job description given", "Give only one of --model, --python and a JSON file."};
}

/// The models of a family, if `typed` is one: "bert".
Error with_list(Error error, const std::string& typed, const predictor::KnownModels& known) {
  const auto contains = [&](const predictor::KnownModel& model) {
    return model.description.name.find(typed) != std::string::npos;
  };
  const auto count = std::ranges::count_if(known.models(), contains);
  if (count > 0) error.hint = fmt::format("Run `dryfit models {}` to list {} models with such a name.", typed, count);
  return error;
}

/// For a missing batch or an unknown model: a command that works.
Error with_command(Error error, const PredictOptions& options, const predictor::KnownModels* known) {
  const auto& typed = options.defaults.model;
  if (options.defaults.batch == 0) {
    error.hint = "Give one, for example `" + TypedLine::own().with_options({"--batch", "64"}).text() + "`.";
    return error;
  }
  if (known == nullptr || typed.empty() || known->find(typed, options.defaults.size)) return error;
  const auto nearest = nearest_model(*known, typed);
  if (nearest.empty()) return with_list(error, typed, *known);
  if (nearest == typed) return error;
  error.hint = did_you_mean(TypedLine::own().with(typed, nearest)) + " Run `dryfit models` to list all models.";
  return error;
}

/// As the GPUs are typed or stand in a description.
Status check_gpus(const PredictSession& session, const std::vector<std::string>& gpus) {
  for (const auto& name : gpus) {
    const auto card = session.cards.find(name);
    if (!card) return wrong_gpu(session.catalogue, name, card.error(), TypedLine::own());
    if (const auto part = limited((*card)->card, session.options.defaults.limits); !part) return part.error();
  }
  return gpus.empty() ? Status(no_gpu(TypedLine::own())) : Status();
}

int show(const PredictSession& session, const Result<PredictQuestion>& question) {
  if (!question) return fail(question.error(), kWrongUsage);
  if (const auto status = check_gpus(session, question->gpus); !status) return fail(status.error(), kWrongUsage);
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
  if (tally->answered == 0) {
    return fail({"there is no job in the input: it is empty or has only blank lines",
                 "Give one JSON object for a job, or one on each line."},
                kWrongUsage);
  }
  if (tally->does_not_fit > 0) return kDoesNotFit;
  return tally->failed > 0 ? kCouldNotTell : kSuccess;
}

/// A model's name alone is taken for a file.
Error unreadable(const PredictSession& session, const std::string& path, int error) {
  const bool is_model = session.known && session.known->find(path, 0);
  return {"cannot read '" + path + "': " + std::strerror(error),
          is_model ? did_you_mean(TypedLine::own().with_word(path, {"--model", path}))
                   : "Give a JSON file with a job, or a model with --model."};
}

/// A file holds one description, which may span several lines, or one on each line.
int answer_file(const PredictSession& session, const std::string& path) {
  if (path == "-") return answer_lines(session, STDIN_FILENO);
  if (path.ends_with(".py")) {
    return fail({"'" + path + "' is a script, not the description of a job",
                 "For a model in Python, give --python " + path + ":FACTORY, where FACTORY() returns the model."},
                kWrongUsage);
  }
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(unreadable(session, path, errno), kWrongUsage);
  const auto whole = single_description(path);
  if (!whole) return answer_lines(session, file.get());
  return show(session, parse_question(*whole, session.options.defaults, session.models));
}

int answer_python(const PredictSession& session) {
  const auto& options = session.options;
  const auto& defaults = options.defaults;
  const auto limit = parse_duration(options.timeout);
  if (!limit) return fail(limit.error(), kWrongUsage);
  if (const auto status = check_gpus(session, defaults.gpus); !status) return fail(status.error(), kWrongUsage);
  if (const auto status = check_defaults(defaults); !status) return fail(status.error(), kWrongUsage);
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

int answer_job(const PredictSession& session) {
  const auto& options = session.options;
  if (!options.defaults.gpus.empty()) {
    if (const auto status = check_gpus(session, options.defaults.gpus); !status) {
      return fail(status.error(), kWrongUsage);
    }
  }
  if (!options.jobs.empty()) return answer_file(session, options.jobs);
  if (!options.factory.empty()) return answer_python(session);
  const auto question = question_of(options.defaults, session.models);
  if (!question) return fail(with_command(question.error(), options, session.models.known), kWrongUsage);
  return show(session, question);
}

ComputeSource read_compute(const fs::path& file) {
  auto learned = predictor::ComputePredictor::read(file);
  if (!learned) return {.why = learned.error()};
  return {.learned = *learned, .model = {file, learned->card()}};
}

int predict(const PredictOptions& options) {
  if (const auto status = check_one_description(options); !status) return fail(status.error(), kWrongUsage);
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
  return answer_job(session);
}

void declare_job(CLI::App& command, PredictDefaults& o) {
  command.add_option("--model", o.model, "Model name, such as resnet50 or torchvision/resnet50 (see `dryfit models`)")
      ->type_name("NAME");
  command.add_option("--size", o.size, "Image side or sequence length (default: the model's own)")
      ->type_name("N")
      ->check(whole_number(1, 10'000'000));
  command.add_option("--batch,--batch-size", o.batch, "Samples per step")
      ->type_name("N")
      ->check(whole_number(1, 10'000'000));
  command.add_option("--optimizer", o.optimizer, "Optimizer: sgd, momentum, adam, adamw, rmsprop, adagrad, adafactor")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--precision", o.precision, "Precision: fp32, bf16-amp, fp16-amp, or bf16 for the whole model")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_flag("--checkpointing", o.checkpointing, "Recompute activations instead of keeping them");
  add_gpus_option(command, o.gpus, "GPU to predict for, as listed by `dryfit gpus`; several: a,b,c");
  command.add_option("--coverage", o.coverage, "Target coverage of the bound")->type_name("X")->capture_default_str();
}

void declare(CLI::App& command, PredictOptions& o) {
  command.add_option("JOBS", o.jobs, "JSON file with one job, or one job per line; - reads lines from stdin")
      ->type_name("FILE|-");
  declare_job(command, o.defaults);
  o.limits.declare(command);
  command.add_option("--python", o.factory, "Your own model: dry-run a few steps of the model that FACTORY() returns")
      ->type_name("FILE.py:FACTORY");
  command.add_option("--interpreter", o.interpreter, "Python interpreter for --python")
      ->type_name("COMMAND")
      ->capture_default_str();
  command.add_option("--timeout", o.timeout, "Time limit for --python: 90, 5m, 2h")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--model-file", o.model_file, "Learned model of memory (default: the installed one)")
      ->type_name("FILE");
  command.add_option("--compute-model", o.compute_model, "Learned model of step times (default: the installed one)")
      ->type_name("FILE");
  command.add_option("--models", o.models, "Catalogue of models (default: the installed one)")->type_name("FILE");
  add_gpu_file_option(command, o.cards);
  command
      .add_option("--calibration", o.calibration.file,
                  "Site calibration that corrects the bounds (default: the one beside the default history)")
      ->type_name("FILE");
  command.add_flag("--no-calibration", o.calibration.none, "Don't correct the bounds by the site calibration");
  command.add_option("--threads", o.threads, "Maximum parallel threads for a stream (default: one per core)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command.add_flag("--strict", o.strict, "Treat a tight fit as a failure (exit code 3)");
  command.add_flag("--json", o.json, "Print JSON instead of the report");
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("predict", "Predict memory and step time from a job description")->group(kAsk);
  command->footer(
      "Examples:\n"
      "  dryfit predict --model resnet50 --batch 64 --gpu rtx-4090\n"
      "  dryfit predict --python model.py:make_model --batch 64 --gpu rtx-4090\n"
      "  echo '{\"model\": \"resnet50\", \"batch\": 64, \"gpu\": [\"a100-40gb\", \"rtx-4090\"]}' | dryfit predict -\n\n"
      "Predictions come from a learned model, with known errors; `dryfit run` gives an exact answer.\n\n"
      "Exit code: 0 fits on every GPU, 3 does not fit on at least one, 2 wrong usage, 1 cannot tell.");
  auto options = std::make_shared<PredictOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->defaults.gpus, "");
    auto limits = options->limits.parse();
    if (!limits) {
      exit_code = fail(limits.error(), kWrongUsage);
      return;
    }
    options->defaults.limits = *std::move(limits);
    exit_code = predict(*options);
  });
}

}  // namespace dryfit::cli
