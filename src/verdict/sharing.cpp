// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/sharing.h"

namespace dryfit::verdict {
namespace {

constexpr std::size_t kLongestCommand = 48;

Bytes held_by(const std::vector<analysis::Holder>& holders) {
  Bytes sum;
  for (const auto& holder : holders) sum += holder.held;
  return sum;
}

std::string shortened(const std::string& command) {
  return command.size() <= kLongestCommand ? command : command.substr(0, kLongestCommand - 3) + "...";
}

}  // namespace

std::optional<Sharing> sharing_of(const DeviceTotal& total) {
  if (!total.shared || total.processes < 2) return std::nullopt;
  return Sharing{.processes = total.processes,
                 .at_peak = total.shared->holders,
                 .coinciding_peak = total.shared->coinciding_peak,
                 .failed = {}};
}

analysis::Holder failed_process(const MemoryFailure& failure, const RunFacts& facts, Bytes capacity) {
  const Bytes not_its_own = failure.request.device_free + held_by(failure.request.others);
  return {failure.pid, analysis::command_of(failure.pid, facts.processes),
          capacity > not_its_own ? capacity - not_its_own : Bytes{}};
}

std::string name_of(const analysis::Holder& process) {
  const auto name = "process " + std::to_string(process.pid);
  return process.command.empty() ? name : name + " (" + shortened(process.command) + ")";
}

std::string crowd_text(const analysis::Holder& failed, const analysis::FailedRequest& request) {
  if (request.others.empty()) return "";
  const auto who = request.others.size() == 1 ? name_of(request.others.front())
                                              : std::to_string(request.others.size()) + " other processes";
  return " in " + name_of(failed) + ", while " + who + " held " + to_text(held_by(request.others));
}

}  // namespace dryfit::verdict
