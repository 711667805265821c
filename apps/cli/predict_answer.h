// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "card/catalogue.h"
#include "predict_question.h"
#include "predictor/compute_predictor.h"
#include "predictor/job_predictor.h"
#include "site_bounds.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// The prediction for a job on one card.
struct PredictedCard {
  const CardFile* card = nullptr;
  predictor::Prediction prediction;  ///< with the bound corrected for this site
  double model_upper_bytes = 0;      ///< the bound before the correction
  double bound_factor = 1;           ///< the factor of the correction
  verdict::Answer answer = verdict::Answer::cannot_tell;
  Bytes capacity;            ///< of the GPU, without what other jobs hold
  std::optional<Bytes> cap;  ///< on what PyTorch's allocator may reserve
  Bytes context;             ///< estimated for the card: what a process occupies before it allocates anything
  Bytes device_median;       ///< with the context, as nvidia-smi would show it
  Bytes device_upper;
  std::optional<predictor::ComputePrediction> compute;  ///< nothing: unknown
};

struct PredictAnswer {
  PredictQuestion question;
  std::vector<PredictedCard> cards;
  double flops = 0;                      ///< of a step; 0: unknown
  const SiteCorrection* site = nullptr;  ///< null: nothing is corrected
  std::string no_compute;                ///< why step times are unknown, if they are
};

/// The model that predicts memory.
using Predict = std::function<Result<predictor::Prediction>(const predictor::JobDescription&, double coverage)>;

/// The model that predicts step times.
using PredictCompute =
    std::function<Result<predictor::ComputePrediction>(const predictor::JobDescription&, const Card&, double coverage)>;

/// Finds cards by the names that people type; each name is looked up once. Thread-safe.
class CardNames {
 public:
  explicit CardNames(const Catalogue& catalogue) : catalogue_(&catalogue) {}

  Result<const CardFile*> find(const std::string& typed) const;

 private:
  const Catalogue* catalogue_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, const CardFile*> found_;
};

/// Predicts the job on every card that the question names, each once and in that order. `site` corrects the bounds and
/// must outlive the answer. An Error when the question names no card or an unknown one, or when the model refuses. If
/// `compute` is missing or refuses, step times are unknown.
///
/// A job fits if its upper bound does, even with the largest context the card may have; it does not fit if not even
/// its median does; in between, the fit is tight.
Result<PredictAnswer> answer_of(PredictQuestion question, const CardNames& cards, const Predict& predict,
                                const SiteCorrection* site = nullptr, const PredictCompute& compute = {});

/// 3 if the job does not fit on one of the cards, otherwise 0. With `strict` a tight fit counts as a failure.
int exit_code(const PredictAnswer& answer, bool strict);

/// Caveats that a reader must know, in sentences without a full stop.
std::vector<std::string> notes_of(const PredictAnswer& answer);

}  // namespace dryfit::cli
