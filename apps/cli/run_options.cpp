// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_options.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <thread>

#include "duration.h"

namespace dryfit::cli {
namespace {

constexpr int kMostCards = 64;

Status understand_steps(const std::string& text, std::optional<std::uint64_t>& steps) {
  if (text == "all") {
    steps.reset();
    return {};
  }
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) {
    return Error{"'" + text + "' is not a number of steps", "Give --steps a number from 1, or all."};
  }
  steps = number;
  return {};
}

Status understand_order(const std::string& text, AddressOrder& order) {
  static const std::map<std::string, AddressOrder> orders{
      {"chunk", AddressOrder::chunk}, {"ascending", AddressOrder::ascending}, {"descending", AddressOrder::descending}};
  const auto found = orders.find(text);
  if (found == orders.end()) {
    return Error{"'" + text + "' is not an order of addresses", "Give --address-order chunk, ascending or descending."};
  }
  order = found->second;
  return {};
}

Status check_command(const std::vector<std::string>& plain, const std::vector<std::string>& command) {
  if (!plain.empty() && plain.front().starts_with("-")) {
    return Error{"there is no option '" + plain.front() + "'", "See: dryfit run --help"};
  }
  if (command.empty()) {
    return Error{"no command to run", "Put it at the end: dryfit run --gpu 3060 -- python train.py"};
  }
  return {};
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
  app.add_option("--address-order", address_order, "How the driver hands out addresses: chunk, ascending or descending")
      ->type_name("ORDER")
      ->capture_default_str();
  app.add_option("--cards", o.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--save", o.save, "Keep traces, histories and verdict.json in this new folder")->type_name("DIR");
  app.add_flag("--json", o.json, "Print JSON; what the program prints goes to stderr");
  app.add_option("--output", o.output, "Write the JSON to this file")->type_name("FILE");
  app.add_option("--jobs", o.jobs, "How many cards to try at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
}

Result<RunOptions> TypedRunOptions::understood(const std::vector<std::string>& plain,
                                               std::vector<std::string> command) const {
  if (const auto status = check_command(plain, command); !status) return status.error();
  RunOptions result = options;
  result.command = std::move(command);
  result.memory_history = !no_history;
  std::erase(result.gpus, "");
  if (result.gpus.empty()) {
    return Error{"no card given", "Name one with --gpu, for example --gpu 3060; `dryfit gpus` lists them all."};
  }
  if (const auto status = understand_steps(steps, result.steps); !status) return status.error();
  if (const auto status = understand_order(address_order, result.address_order); !status) return status.error();
  if (!timeout.empty()) {
    const auto duration = parse_duration(timeout);
    if (!duration) return duration.error();
    result.timeout = *duration;
  }
  return result;
}

}  // namespace dryfit::cli
