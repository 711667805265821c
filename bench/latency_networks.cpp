// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/check.h"
#include "latency_contestants.h"
#include "predictor/memory_model.h"
#include "predictor/model_testing.h"

namespace dryfit::bench {
namespace {

using predictor::Core;
using predictor::FeatureSet;
using predictor::MemoryModel;
using predictor::MemoryPredictor;

constexpr std::size_t kBins = 16;

}  // namespace

MemoryModel untrained_model(const Questions& questions, FeatureSet features, Core core) {
  const bool plain = features == FeatureSet::plain;
  auto model = predictor::testing::sample_model(features, plain ? kBins : 0);
  model.encoding = predictor::fit_encoding(questions.jobs, features, plain ? kBins : 0);
  model.shape = plain ? predictor::flat_shape(core, predictor::kPlainFeatures, kBins)
                      : predictor::sequence_shape(core, predictor::kLayerFeatures, predictor::kBlockFields);
  model.members = {predictor::testing::random_weights(model.shape, 1)};
  return model;
}

namespace {

std::string name_of(FeatureSet features, Core core) {
  const std::string text(core == Core::bigru_transformer ? "sequence" : to_text(core));
  return features == FeatureSet::layers ? text : core == Core::bigru_transformer ? "flat" : "flat " + text;
}

Contestant network(const Questions& questions, FeatureSet features, Core core) {
  auto made = MemoryPredictor::of(untrained_model(questions, features, core));
  DRYFIT_CHECK(made);
  const bool plain = features == FeatureSet::plain;
  const auto predictor = std::make_shared<MemoryPredictor>(std::move(*made));
  const auto& jobs = plain ? questions.plain : questions.jobs;
  return {name_of(features, core), plain ? "plain" : "layers",
          [predictor, &jobs](std::size_t i) { return predictor->peak_mib(jobs[i]).value(); }};
}

/// The input of the network: scaled logarithms of everything.
Contestant encoding(const Questions& questions, FeatureSet features) {
  const bool plain = features == FeatureSet::plain;
  const auto model = untrained_model(questions, features, Core::bigru);
  const auto& jobs = plain ? questions.plain : questions.jobs;
  const auto input = std::make_shared<predictor::NetworkInput>();
  return {"(encoding alone)", plain ? "plain" : "layers", [encoding = model.encoding, input, &jobs](std::size_t i) {
            predictor::encode(encoding, jobs[i], predictor::best_kernels(), *input);
            return static_cast<double>(input->job.front());
          }};
}

}  // namespace

std::vector<Contestant> networks(const Questions& questions) {
  std::vector<Contestant> all;
  for (const auto features : {FeatureSet::layers, FeatureSet::plain}) {
    for (const auto core : {Core::bigru_transformer, Core::bigru, Core::transformer}) {
      all.push_back(network(questions, features, core));
    }
    all.push_back(encoding(questions, features));
  }
  return all;
}

}  // namespace dryfit::bench
