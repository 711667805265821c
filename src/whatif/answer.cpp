// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/answer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dryfit::whatif {
namespace {

using namespace literals;

/// Libraries and kernel code of a transformer's training, as dry runs count them on the cards of docs/accuracy.md.
constexpr Bytes kTypicalLibraries = 26_MiB;

Conditions with_outside(const Question& question, Bytes outside) {
  auto conditions = question.conditions;
  conditions.total = question.card->total_memory;
  conditions.outside = outside + question.card->held_by_others;
  return conditions;
}

bool is_changed(const Question& question) {
  const auto& recording = *question.recording;
  return question.conditions.torch != recording.torch || !(question.conditions.config == recording.config) ||
         question.conditions.fraction;
}

/// With less headroom than this, a caveat that is otherwise only a note makes a fit tight.
Bytes little_of(const Card& card) { return Bytes{card.available().count / 20}; }

bool is_close(const Question& question, const Outcome& outcome) {
  if (!question.card) return false;
  return outcome.peak_reserved + question.outside.high + little_of(*question.card) > question.card->available();
}

std::vector<Caveat> caveats_of_recording(const Question& question, const Outcome& outcome) {
  std::vector<Caveat> caveats;
  const bool close = is_close(question, outcome);
  const auto reserved = question.recording->reserved_at_start();
  if (reserved.count > 0 && is_changed(question)) {
    caveats.push_back({"starts_midway",
                       "the recording begins with " + to_text(reserved) +
                           " reserved under the recorded conditions; under others it might be arranged differently",
                       close});
  }
  if (question.conditions.torch.is_beyond_newest()) {
    const auto newest = simulator::TorchVersion::newest();
    caveats.push_back({"newer_torch",
                       "PyTorch " + to_text(question.conditions.torch) +
                           " is newer than the newest version Dryfit knows; simulated as " +
                           std::to_string(newest.major) + "." + std::to_string(newest.minor),
                       close});
  }
  if (question.card && !question.same_card) {
    caveats.push_back(
        {"other_card",
         "it was recorded on another GPU, where libraries may request more or less memory than on this one", close});
  }
  if (question.card && question.others.processes > 0) {
    const bool one = question.others.processes == 1;
    caveats.push_back({"shares_device",
                       (one ? "another process" : std::to_string(question.others.processes) + " other processes") +
                           " of the run used the same GPU, up to " + to_text(question.others.peaks) +
                           (one ? "; it is" : " together; they are") + " not in this recording",
                       true});
  }
  if (outcome.met_here_only) {
    caveats.push_back(
        {"beyond_recording",
         "the recorded program ran out of memory where it would not here; what it would have done next was "
         "not recorded, so run the job here with `dryfit run`",
         true});
  }
  return caveats;
}

/// Where it ends is unknown: the program caught other OutOfMemoryErrors.
bool may_go_on(const Question& question, const Outcome& outcome) {
  return outcome.out_of_memory && outcome.out_of_memory->met_in_recording && question.recording->outlives_refusals;
}

/// A fit that rests on an estimate is replayed with its upper bound.
Status weigh(const Question& question, Answer& answer) {
  if (answer.outcome.alloc_retries > 0) {
    answer.caveats.push_back({"memory_ran_short", "PyTorch continued only by releasing its cached memory", true});
  }
  if (answer.outcome.refused_in_both > 0) {
    answer.caveats.push_back({"memory_ran_short", "the program caught an OutOfMemoryError and continued", true});
  }
  if (answer.outcome.peak_reserved + question.outside.high <= question.card->available()) return {};
  const auto worst = play(*question.recording, with_outside(question, question.outside.high));
  if (!worst) return worst.error();
  if (worst->out_of_memory) {
    answer.caveats.push_back(
        {"outside_memory",
         "it does not fit if the memory outside PyTorch is at its upper bound of " + to_text(question.outside.high),
         true});
  }
  return {};
}

Fit fit_of(const Question& question, const Answer& answer) {
  if (may_go_on(question, answer.outcome)) return Fit::cannot_tell;
  if (answer.outcome.out_of_memory) return Fit::does_not_fit;
  if (answer.outcome.met_here_only) return Fit::cannot_tell;
  return std::ranges::any_of(answer.caveats, &Caveat::decides) ? Fit::tight : Fit::fits;
}

}  // namespace

Outside outside_of(const Card& card, std::optional<Bytes> libraries) {
  const Bytes estimate = card.context_memory + card.launch_memory + libraries.value_or(kTypicalLibraries);
  const Bytes unknown = libraries ? 0_B : kTypicalLibraries;
  return {.estimate = estimate, .high = estimate + card.context_spread + unknown};
}

Result<Answer> answer(const Question& question, Witness* witness) {
  const auto conditions = question.card ? with_outside(question, question.outside.estimate) : question.conditions;
  auto outcome = play(*question.recording, conditions, witness);
  if (!outcome) return outcome.error();
  Answer result{.outcome = std::move(outcome).value()};
  result.caveats = caveats_of_recording(question, result.outcome);
  if (may_go_on(question, result.outcome)) {
    result.caveats.push_back({"catches_errors",
                              "the program caught an OutOfMemoryError in the recording, and may catch this one too",
                              true});
  }
  if (!question.card) return result;
  result.device_peak = result.outcome.peak_reserved + question.outside.estimate;
  if (!result.outcome.out_of_memory) {
    if (auto status = weigh(question, result); !status) return status.error();
  }
  result.fit = fit_of(question, result);
  return result;
}

}  // namespace dryfit::whatif
