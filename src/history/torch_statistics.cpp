// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/torch_statistics.h"

#include <nlohmann/json.hpp>

namespace dryfit::history {
namespace {

using Json = nlohmann::json;

const Json* nested(const Json& object, const std::string& family) {
  const Json* at = &object;
  for (const auto& key : {family, std::string("all"), std::string("peak")}) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at;
}

}  // namespace

Result<Imported> import_torch_statistics(std::string_view text, PeakKind kind) {
  if (kind != PeakKind::reserved && kind != PeakKind::allocated) {
    return Error{"PyTorch's statistics have no peak of kind '" + std::string(to_text(kind)) + "'",
                 "Use --kind reserved or --kind allocated."};
  }
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"not a JSON object", "Write it with `json.dump(torch.cuda.memory_stats(), f)`."};
  const std::string family = kind == PeakKind::reserved ? "reserved_bytes" : "allocated_bytes";
  const auto flat = json.find(family + ".all.peak");
  const Json* peak = flat != json.end() ? &*flat : nested(json, family);
  if (!peak || !peak->is_number_unsigned()) {
    return Error{"no number '" + family + ".all.peak'", "Write it with `json.dump(torch.cuda.memory_stats(), f)`."};
  }
  Record record{.source = "torch", .kind = kind, .peak = Bytes{peak->get<std::uint64_t>()}};
  const auto ooms = json.find("num_ooms");
  if (ooms != json.end() && ooms->is_number() && *ooms > 0) record.outcome = Outcome::out_of_memory;
  return Imported{.records = {record}, .left_out = {}};
}

}  // namespace dryfit::history
