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

/// What is said of a job on one card.
struct PredictedCard {
  const CardFile* card = nullptr;
  predictor::Prediction prediction;  ///< its bound is corrected for this site
  double model_upper_bytes = 0;      ///< the bound before that
  double bound_factor = 1;           ///< by which it was corrected
  verdict::Answer answer = verdict::Answer::cannot_tell;
  Bytes context;        ///< the card's own estimate of what a process takes without asking for it
  Bytes device_median;  ///< with the context: as nvidia-smi would show it
  Bytes device_upper;
  std::optional<predictor::ComputePrediction> compute;  ///< nothing: not known
};

struct PredictAnswer {
  PredictQuestion question;
  std::vector<PredictedCard> cards;
  double flops = 0;                      ///< of a step; 0: not known
  const SiteCorrection* site = nullptr;  ///< null: nothing is corrected
  std::string no_compute;                ///< why nothing is said of step times, where nothing is
};

/// The model that answers.
using Predict = std::function<Result<predictor::Prediction>(const predictor::JobDescription&, double coverage)>;

/// The model that knows how long a step takes.
using PredictCompute =
    std::function<Result<predictor::ComputePrediction>(const predictor::JobDescription&, const Card&, double coverage)>;

/// Cards by what people call them; each name is looked up once. May be used by many threads at once.
class CardNames {
 public:
  explicit CardNames(const Catalogue& catalogue) : catalogue_(&catalogue) {}

  Result<const CardFile*> find(const std::string& typed) const;

 private:
  const Catalogue* catalogue_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, const CardFile*> found_;
};

/// The job on every card that the question names, each once, in that order, with its bounds corrected by `site`, which
/// must outlive the answer. An Error when it names no card, or one that does not exist, or when the model refuses.
/// Where `compute` refuses, or is not there, step times are not known.
///
/// It fits when the upper bound does, with all that a card may take for itself; it does not fit when not even the
/// median does; in between it is tight.
Result<PredictAnswer> answer_of(PredictQuestion question, const CardNames& cards, const Predict& predict,
                                const SiteCorrection* site = nullptr, const PredictCompute& compute = {});

/// 3 when it does not fit on a card, else 0. With `strict` a tight fit counts as none.
int exit_code(const PredictAnswer& answer, bool strict);

/// What somebody must know before believing the numbers, in sentences without a full stop.
std::vector<std::string> notes_of(const PredictAnswer& answer);

}  // namespace dryfit::cli
