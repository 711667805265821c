// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <thread>

#include "command_options.h"
#include "duration.h"
#include "recorded_addresses.h"

namespace dryfit::cli {
namespace {

constexpr int kMostCards = 64;

constexpr AddressOrder kAllOrders[] = {AddressOrder::chunk, AddressOrder::ascending, AddressOrder::descending};

Status understand_order(const std::string& text, RunOptions& options) {
  constexpr std::string_view kRecorded = "recorded:";
  if (text.starts_with(kRecorded)) {
    auto segments = read_recorded_segments(text.substr(kRecorded.size()));
    if (!segments) return segments.error();
    options.address_orders = {AddressOrder::recorded};
    options.recorded_segments = std::move(segments).value();
    return {};
  }
  if (text == "all") {
    options.address_orders.assign(std::begin(kAllOrders), std::end(kAllOrders));
    return {};
  }
  const auto found = std::ranges::find(kAllOrders, text, [](AddressOrder order) { return to_text(order); });
  if (found == std::end(kAllOrders)) {
    return Error{"'" + text + "' is not an order of addresses",
                 "Give --address-order chunk, ascending, descending, all or recorded:FILE."};
  }
  options.address_orders = {*found};
  return {};
}

Status check_unknown_sizes(const std::string& text) {
  if (text == "full" || text == "none") return {};
  constexpr std::string_view kFraction = "fraction:";
  if (text.starts_with(kFraction)) {
    double fraction = -1;
    const char* const last = text.data() + text.size();
    const auto [end, code] = std::from_chars(text.data() + kFraction.size(), last, fraction);
    if (code == std::errc() && end == last && fraction >= 0 && fraction <= 1) return {};
  }
  return Error{"'" + text + "' does not say how large unknown sizes are",
               "Give --unknown-sizes full, none, or a share of what is possible, for example fraction:0.25."};
}

}  // namespace

void TypedRunOptions::declare(CLI::App& app) {
  auto& o = options;
  o.jobs = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--gpu", o.gpus, "The card to try, by a name as in `dryfit gpus`; several: a,b,c")
      ->type_name("NAME")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--count", o.count, "How many such cards the machine has")
      ->type_name("N")
      ->check(CLI::Range(1, kMostCards).description(""));
  app.add_option("--steps", steps, "Optimizer steps after which to stop, or all")
      ->type_name("N|all")
      ->capture_default_str();
  app.add_option("--timeout", timeout, "Stop after this time: 90, 5m, 2h")->type_name("TIME");
  app.add_flag("--keep-init", o.keep_initialisation, "Do not skip the random initialisation of large CPU tensors");
  app.add_flag("--no-history", no_history, "Do not have PyTorch record its memory history");
  app.add_flag("--no-explain", no_explain, "Do not tell where the memory went");
  app.add_option("--unknown-sizes", o.unknown_sizes,
                 "How many elements a selection by unknown values takes: full, none or fraction:x")
      ->type_name("HOW")
      ->capture_default_str();
  app.add_flag("--flops", o.count_flops, "Count the floating-point operations of a step, in a run of its own");
  auto* order = app.add_option("--address-order", address_order,
                               "How the driver hands out addresses: chunk (native Linux, the default), ascending "
                               "(WSL2, gVisor), descending, all, or recorded:FILE")
                    ->type_name("ORDER");
  app.add_flag("--address-orders", all_orders, "Try all known orders of addresses: the verdict carries their spread")
      ->excludes(order);
  app.add_flag("--strict", o.strict, "A fit that is tight counts as none: exit code 3");
  app.add_option("--cards", o.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--save", o.save, "Keep traces, histories and verdict.json in this new folder; see `dryfit replay`")
      ->type_name("DIR");
  app.add_flag("--json", o.json, "Print JSON; what the program prints goes to stderr");
  app.add_option("--output", o.output, "Write the JSON to this file")->type_name("FILE");
  app.add_option("--jobs", o.jobs, "How many runs to have at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
}

Result<RunOptions> TypedRunOptions::understood(const std::vector<std::string>& plain,
                                               std::vector<std::string> command) const {
  if (const auto status = check_command("run", plain, command); !status) return status.error();
  RunOptions result = options;
  result.command = std::move(command);
  result.memory_history = !no_history;
  result.explain = !no_history && !no_explain;
  std::erase(result.gpus, "");
  if (result.gpus.empty()) {
    return Error{"no card given", "Name one with --gpu, for example --gpu 3060; `dryfit gpus` lists them all."};
  }
  if (const auto status = understand_steps(steps, result.steps); !status) return status.error();
  if (const auto status = check_unknown_sizes(result.unknown_sizes); !status) return status.error();
  result.address_order_given = all_orders || !address_order.empty();
  if (result.address_order_given) {
    const auto status = understand_order(all_orders ? "all" : address_order, result);
    if (!status) return status.error();
  }
  if (!timeout.empty()) {
    const auto duration = parse_duration(timeout);
    if (!duration) return duration.error();
    result.timeout = *duration;
  }
  return result;
}

}  // namespace dryfit::cli
