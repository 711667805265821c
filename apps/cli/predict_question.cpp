// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_question.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "launch/nearest_name.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;
using predictor::ModelDescription;

constexpr std::array<std::string_view, 9> kMembers{"id",        "model",         "size", "batch",   "optimizer",
                                                   "precision", "checkpointing", "gpu",  "coverage"};

/// Passes every check; replaced once the card is known.
constexpr double kUntilCardIsKnown = 1;

Error missing(std::string_view what, std::string_view how) {
  return {"the job has no '" + std::string(what) + "'", "Give one with " + std::string(how) + "."};
}

/// Puts what was meant before the hint.
Error with_meant(Error error, std::string_view typed, std::string_view meant) {
  error.hint = did_you_mean(TypedLine::own(), typed, meant) + " " + error.hint;
  return error;
}

/// Puts the nearest of the known names before the hint.
Error with_nearest(Error error, std::string_view typed, const std::set<std::string>& names) {
  const auto nearest = launch::nearest_name(typed, names);
  return nearest.empty() ? error : with_meant(std::move(error), typed, nearest);
}

/// The longest name with which `typed` begins, apart from case and punctuation: "ResNet-50" is resnet50, and
/// "bert-base-uncased" is bert-base.
std::string same_letters(std::string_view typed, const std::set<std::string>& names) {
  const auto letters_of = [](std::string_view text) {
    std::string letters;
    for (const unsigned char c : text) {
      if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
    }
    return letters;
  };
  const auto letters = letters_of(typed);
  std::string best;
  std::size_t longest = 3;  // shorter beginnings say nothing
  for (const auto& name : names) {
    const auto known = letters_of(name);
    if (known.size() <= longest || !letters.starts_with(known)) continue;
    longest = known.size();
    best = name;
  }
  return best;
}

/// How else a precision is called, and our name.
constexpr auto kOtherPrecisionNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"float32", "fp32"},
    {"float", "fp32"},
    {"full", "fp32"},
    {"tf32", "fp32"},
    {"amp", "bf16-amp"},
    {"mixed", "bf16-amp"},
    {"bf16-mixed", "bf16-amp"},
    {"fp16", "fp16-amp"},
    {"float16", "fp16-amp"},
    {"half", "fp16-amp"},
    {"fp16-mixed", "fp16-amp"},
    {"16-mixed", "fp16-amp"},
    {"bfloat16", "bf16"},
});

Status check_size(double size) {
  if (std::isfinite(size) && size >= 0 && size == std::floor(size)) return {};
  return Error{"the job's 'size' is not a whole number above 0",
               "Give the side of an image, or the length of a sequence."};
}

Result<predictor::SizedModel> find_model(const ModelSource& models, const std::string& name, double size) {
  if (models.known == nullptr) return models.why;
  if (auto status = check_size(size); !status) return status.error();
  auto found = models.known->find(name, size);
  if (found) return found;
  auto error = found.error();
  const auto nearest = nearest_model(*models.known, name);
  if (!nearest.empty()) error.hint = "Did you mean '" + nearest + "'? " + error.hint;
  return error;
}

Result<predictor::Optimizer> find_optimizer(const std::string& name) {
  auto found = predictor::parse_optimizer(name);
  if (found) return found;
  return with_nearest(found.error(), name, {"sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adafactor"});
}

Result<predictor::Precision> find_precision(const std::string& name) {
  auto found = predictor::parse_precision(name);
  if (found) return found;
  const auto meant = precision_meant(name);
  return meant.empty() ? found : with_meant(found.error(), name, meant);
}

Result<PredictQuestion> completed(const PredictDefaults& defaults, PredictQuestion question) {
  if (auto status = check_defaults(defaults); !status) return status.error();
  question.job.batch = defaults.batch;
  question.job.optimizer = *find_optimizer(defaults.optimizer);
  question.job.precision = *find_precision(defaults.precision);
  question.job.checkpointing = defaults.checkpointing;
  question.gpus = defaults.gpus;
  question.coverage = defaults.coverage;
  question.job.multiprocessors = question.job.compute_capability = kUntilCardIsKnown;
  if (auto status = check(question.job); !status) return status.error();
  return question;
}

Error wrong(std::string_view member, std::string_view expected) {
  return {"the job's '" + std::string(member) + "' is not " + std::string(expected), ""};
}

/// Reads the members of a description, which take precedence over the defaults.
class Reader {
 public:
  explicit Reader(PredictDefaults defaults) : job_(std::move(defaults)) {}

  Status read(const Json& object) {
    for (const auto& [name, value] : object.items()) {
      if (auto status = read_member(name, value); !status) return status;
    }
    return {};
  }

  const PredictDefaults& job() const { return job_; }
  const std::optional<ModelDescription>& model() const { return model_; }
  const std::string& id() const { return id_; }

 private:
  Status read_member(const std::string& name, const Json& value) {
    if (name == "id") return id_ = value.dump(), Status();
    if (name == "model") return read_model(value);
    if (name == "gpu") return read_cards(value);
    if (name == "batch") return read_number(name, value, job_.batch);
    if (name == "size") return read_number(name, value, job_.size);
    if (name == "coverage") return read_number(name, value, job_.coverage);
    if (name == "optimizer") return read_text(name, value, job_.optimizer);
    if (name == "precision") return read_text(name, value, job_.precision);
    if (name == "checkpointing") return read_flag(value);
    const std::set<std::string> names(kMembers.begin(), kMembers.end());
    return with_nearest({"unknown key '" + name + "'", "See docs/predict.md for the keys of a job."}, name, names);
  }

  static Status read_number(const std::string& name, const Json& value, double& number) {
    if (!value.is_number()) return wrong(name, "a number");
    number = value.get<double>();
    if (number == 0) return Error{"the job's '" + name + "' is 0", "Give a number above 0."};
    return {};
  }

  static Status read_text(const std::string& name, const Json& value, std::string& text) {
    if (!value.is_string()) return wrong(name, "a string");
    text = value.get<std::string>();
    return {};
  }

  Status read_flag(const Json& value) {
    if (!value.is_boolean()) return wrong("checkpointing", "true or false");
    job_.checkpointing = value.get<bool>();
    return {};
  }

  Status read_model(const Json& value) {
    if (value.is_string()) return read_text("model", value, job_.model);
    if (!value.is_object()) return wrong("model", "a name or an object that describes a model");
    auto model = predictor::parse_model(value.dump(), "the job's model");
    if (!model) return model.error();
    model_ = std::move(*model);
    return {};
  }

  Status read_cards(const Json& value) {
    const bool one = value.is_string();
    const bool several = value.is_array() && !value.empty() &&
                         std::ranges::all_of(value, [](const Json& each) { return each.is_string(); });
    if (!one && !several) return wrong("gpu", "the name of a GPU or a list of names");
    job_.gpus = one ? std::vector{value.get<std::string>()} : value.get<std::vector<std::string>>();
    return {};
  }

  PredictDefaults job_;
  std::optional<ModelDescription> model_;
  std::string id_;
};

}  // namespace

std::string nearest_model(const predictor::KnownModels& models, const std::string& typed) {
  const auto names = models.names();
  if (names.contains(typed)) return typed;
  std::string lower(typed);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (models.find(lower, 0)) return lower;
  auto nearest = same_letters(typed, names);
  if (nearest.empty()) nearest = launch::nearest_name(typed, names);
  if (nearest.empty() || models.find(nearest, 0)) return nearest;
  const auto full = std::ranges::find_if(names, [&](const auto& name) { return name.ends_with("/" + nearest); });
  return full == names.end() ? "" : *full;
}

std::string precision_meant(const std::string& typed) {
  std::string plain = typed;
  std::ranges::replace(plain, '_', '-');
  std::ranges::transform(plain, plain.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (plain.starts_with("torch.")) plain.erase(0, std::string_view("torch.").size());
  const auto found =
      std::ranges::find(kOtherPrecisionNames, plain, &std::pair<std::string_view, std::string_view>::first);
  if (found != kOtherPrecisionNames.end()) return std::string(found->second);
  return plain != typed && predictor::parse_precision(plain) ? plain : "";
}

Status check_defaults(const PredictDefaults& defaults) {
  if (defaults.batch == 0) return missing("batch", "--batch 64, or \"batch\" in a JSON description");
  if (const auto optimizer = find_optimizer(defaults.optimizer); !optimizer) return optimizer.error();
  if (const auto precision = find_precision(defaults.precision); !precision) return precision.error();
  if (defaults.coverage > 0 && defaults.coverage < 1) return {};
  return Error{"the coverage must be between 0 and 1", "Give a number such as 0.95."};
}

Result<PredictQuestion> question_of(const PredictDefaults& defaults, const ModelSource& models) {
  if (defaults.model.empty()) return missing("model", "--model resnet50, or \"model\" in a JSON description");
  auto model = find_model(models, defaults.model, defaults.size);
  if (!model) return model.error();
  PredictQuestion question;
  question.known_size = model->is_scaled() ? model->known_size : 0;
  question.job.scaled_by = model->growth();
  question.image = model->image;
  question.job.model = std::move(model->description);
  return completed(defaults, std::move(question));
}

Result<PredictQuestion> question_of(const PredictDefaults& defaults, ModelDescription model) {
  PredictQuestion question;
  question.job.model = std::move(model);
  return completed(defaults, std::move(question));
}

Result<PredictQuestion> parse_question(std::string_view json, const PredictDefaults& defaults,
                                       const ModelSource& models) {
  const auto object = Json::parse(json, nullptr, false);
  if (!object.is_object()) {
    return Error{"not a JSON object", R"(Write a job like {"model": "resnet50", "batch": 64, "gpu": "rtx-4090"}.)"};
  }
  Reader reader(defaults);
  if (auto status = reader.read(object); !status) return status.error();
  auto question = reader.model() ? question_of(reader.job(), *reader.model()) : question_of(reader.job(), models);
  if (question) question->id = reader.id();
  return question;
}

std::string id_in(std::string_view json) {
  const auto object = Json::parse(json, nullptr, false);
  return object.is_object() && object.contains("id") ? object["id"].dump() : "";
}

}  // namespace dryfit::cli
