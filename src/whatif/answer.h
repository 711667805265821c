// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "card/card.h"
#include "whatif/play.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// Whether it fits, in the sense of a dry run's verdict.
enum class Fit { fits, tight, does_not_fit, cannot_tell };

/// Something unknown that could change the answer.
struct Caveat {
  std::string name;      ///< stable: "outside_memory", "starts_midway", … (docs/json.md)
  std::string text;      ///< a clause without a full stop
  bool decides = false;  ///< it makes a fit tight
};

/// The memory of a GPU that PyTorch does not manage.
struct Outside {
  Bytes estimate;
  Bytes high;  ///< expected upper bound
};

/// For a job on a GPU. `libraries` is what libraries and kernel code took beside the context, as a dry run counted it;
/// none: unknown, and assumed to be typical.
Outside outside_of(const Card& card, std::optional<Bytes> libraries);

/// Processes of the recorded run that used the same device and are not in the recording.
struct Others {
  std::size_t processes = 0;
  Bytes peaks;  ///< the sum of their peaks
};

/// A recording, on a GPU or without one, under a configuration.
struct Question {
  const Recording* recording = nullptr;
  const Card* card = nullptr;  ///< null: as much memory as it needs
  Outside outside;
  Others others;
  bool same_card = true;  ///< it was recorded on a GPU of this kind
  Conditions conditions;  ///< total and outside are filled in from the GPU
};

struct Answer {
  std::optional<Fit> fit;  ///< none without a GPU
  Outcome outcome;
  Bytes device_peak;  ///< peak reserved plus the memory outside PyTorch; 0 without a GPU
  std::vector<Caveat> caveats;
};

/// Replays it, and once more with the memory outside PyTorch at its upper bound where that could change a fit. An Error
/// when the recording cannot be replayed at all.
Result<Answer> answer(const Question& question, Witness* witness = nullptr);

}  // namespace dryfit::whatif
