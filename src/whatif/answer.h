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

/// Fits or not, in the sense of a dry run's verdict.
enum class Fit { fits, tight, does_not_fit, cannot_tell };

/// Something that is not known and could turn the answer.
struct Caveat {
  std::string name;      ///< stable: "outside_memory", "starts_midway", … (docs/json.md)
  std::string text;      ///< a sentence without a full stop
  bool decides = false;  ///< a fit is no more than tight because of it
};

/// What a card holds beside PyTorch's memory.
struct Outside {
  Bytes estimate;
  Bytes high;  ///< it is expected to be no more than this
};

/// Of a job on a card. `libraries` is what libraries and kernel code took beside the context, as a dry run counted it;
/// none: not known, and taken as typical.
Outside outside_of(const Card& card, std::optional<Bytes> libraries);

/// Processes of the recorded run that are not in the recording, and took memory of the same device.
struct Others {
  std::size_t processes = 0;
  Bytes peaks;  ///< of each its own, added up
};

/// What is asked: a recording, on a card or without one, under a configuration.
struct Question {
  const Recording* recording = nullptr;
  const Card* card = nullptr;  ///< null: as much memory as it wants
  Outside outside;
  Others others;
  bool same_card = true;  ///< it was recorded on a card of this kind
  Conditions conditions;  ///< total and outside are filled in from the card
};

struct Answer {
  std::optional<Fit> fit;  ///< none without a card
  Outcome outcome;
  Bytes device_peak;  ///< peak reserved and what is outside; 0 without a card
  std::vector<Caveat> caveats;
};

/// Plays it, and once more with the outside memory at its upper bound where that could turn a fit. An Error when the
/// recording cannot be played at all.
Result<Answer> answer(const Question& question, Witness* witness = nullptr);

}  // namespace dryfit::whatif
