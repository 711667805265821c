// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_example.h"

#include "card/attribute_numbers.h"

namespace dryfit::predictor {
namespace {

constexpr double kTera = 1e12;

}  // namespace

Status put_on_card(ComputeExample& example, const Catalogue& catalogue, const std::string& id) {
  const auto* file = catalogue.find(id);
  if (file == nullptr)
    return Error{"unknown GPU '" + id + "'", "Give the folder of Dryfit's GPU files with --gpu-file."};
  const auto rates = peak_rates_of(file->card);
  if (!rates) return rates.error();
  example.gpu = id;
  example.rates = *rates;
  example.job.multiprocessors = file->card.attribute(kMultiprocessorCount);
  example.job.compute_capability = file->card.compute_capability.major + file->card.compute_capability.minor / 10.0;
  return {};
}

double achieved_tflops(const ComputeExample& example, double seconds) {
  return example.job.model.flops * example.job.batch / seconds / kTera;
}

}  // namespace dryfit::predictor
