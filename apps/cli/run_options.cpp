// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <thread>

#include "command_options.h"
#include "common_options.h"
#include "duration.h"
#include "named_cards.h"
#include "recorded_addresses.h"

namespace dryfit::cli {
namespace {

constexpr int kMostCards = 64;

constexpr AddressOrder kAllOrders[] = {AddressOrder::chunk, AddressOrder::ascending, AddressOrder::descending};

Status parse_order(const std::string& text, RunOptions& options) {
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
    return Error{"'" + text + "' is not an address order",
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
  return Error{"'" + text + "' is not a value for --unknown-sizes",
               "Give full, none, or a fraction of the largest possible size, for example fraction:0.25."};
}

/// A GPU that is named after the command went to the command.
Error missing_gpu(const std::string& program, const TypedLine& line) {
  const auto late = line.value_of("--gpu");
  if (!late || late->find_first_not_of("0123456789") == std::string::npos) return no_gpu(line);
  auto words = line.with_option_replaced("--gpu", {}).words();
  if (std::ranges::find(words, "--") == words.end()) words.insert(std::ranges::find(words, program), "--");
  return {"no GPU given: an option after the command belongs to the command",
          did_you_mean(TypedLine(words).with_options({"--gpu", *late}))};
}

constexpr std::uint64_t kMostAutomaticSteps = 10;

/// "3 steps", "1 step" → "3", "1".
std::optional<std::string> number_of_steps(const std::string& text) {
  const auto space = text.find(' ');
  const auto unit = space == std::string::npos ? "" : text.substr(space + 1);
  const bool is_number = space > 0 && text.find_first_not_of("0123456789") == space;
  return is_number && (unit == "step" || unit == "steps") ? std::optional(text.substr(0, space)) : std::nullopt;
}

/// When the program is to be stopped.
Status parse_end(const TypedRunOptions& typed, RunOptions& result) {
  if (typed.until == "end") return parse_steps("all", result.steps);
  if (const auto number = number_of_steps(typed.until)) return parse_steps(*number, result.steps);
  if (!typed.until.empty()) {
    result.steps.reset();
    result.until_text = typed.until;
    return {};
  }
  if (!typed.steps.empty() && typed.steps != "auto") return parse_steps(typed.steps, result.steps);
  result.most_steps = kMostAutomaticSteps;
  return {};
}

Status parse_times(const TypedRunOptions& typed, RunOptions& result) {
  if (!typed.timeout.empty()) {
    const auto duration = parse_duration(typed.timeout);
    if (!duration) return duration.error();
    result.timeout = *duration;
  }
  if (typed.stall_timeout == "none") return {};
  const auto patience = parse_duration(typed.stall_timeout);
  if (!patience) return patience.error();
  result.stall_patience = *patience;
  return {};
}

}  // namespace

void TypedRunOptions::declare(CLI::App& app) {
  auto& o = options;
  add_gpus_option(app, o.gpus, "GPU to try, as listed by `dryfit gpus`; several: a,b,c");
  app.add_option("--count", o.count, "Number of such GPUs in the machine (default: 1)")
      ->type_name("N")
      ->check(whole_number(1, kMostCards));
  declare_extent(app);
  app.add_flag("--no-history", no_history, "Don't record PyTorch's memory history");
  app.add_flag("--no-explain", no_explain, "Don't record what the memory is used for");
  app.add_option("--unknown-sizes", o.unknown_sizes,
                 "Size to assume for data-dependent selections: full, none or fraction:X")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_flag("--flops", o.count_flops, "Count the floating-point operations of a step, in a separate run");
  auto* order = app.add_option("--address-order", address_order,
                               "Order in which the driver assigns addresses: chunk (native Linux), ascending (WSL2, "
                               "gVisor), descending, all, or recorded:FILE (default: chunk)")
                    ->type_name("ORDER");
  app.add_flag("--address-orders", all_orders, "Try all address orders and report the range across them")
      ->excludes(order);
  limits.declare(app);
  app.add_flag("--strict", o.strict, "Treat a tight fit as a failure (exit code 3)");
  add_gpu_file_option(app, o.cards);
  app.add_option("--save", o.save, "Keep traces, memory histories and verdict.json in this new folder")
      ->type_name("DIR");
  app.add_flag("--json", o.json, "Print JSON instead of the report; the program's output goes to stderr");
  app.add_option("-o,--output", o.output, "Also write the JSON to this file")->type_name("FILE");
  declare_jobs(app);
}

void TypedRunOptions::declare_extent(CLI::App& app) {
  auto* steps_option = app.add_option("--steps", steps,
                                      "Number of optimizer steps to run, all, or auto: 3, and up to 10 while memory "
                                      "grows (default: auto)")
                           ->type_name("N|all|auto");
  app.add_option("--until", until, "Where to stop: end, 'N steps', or a text that the program prints")
      ->type_name("end|STEPS|TEXT")
      ->excludes(steps_option);
  app.add_flag("--fresh-compile", options.fresh_compile,
               "Compile anew, instead of using what earlier runs with torch.compile have left");
  app.add_option("--timeout", timeout, "Time limit: 90, 5m, 2h (default: none)")->type_name("TIME");
  app.add_option("--stall-timeout", stall_timeout, "End a run that stands still for so long, or none")
      ->type_name("TIME|none")
      ->capture_default_str();
  app.add_flag("--keep-init", options.keep_initialisation,
               "Run the random initialization of large CPU tensors instead of skipping it");
  app.add_flag("--keep-writes", options.keep_writes,
               "Let the program change files; by default, what it writes is discarded");
}

void TypedRunOptions::declare_jobs(CLI::App& app) {
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--jobs", options.jobs, "Maximum parallel runs (default: one per core)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
}

Result<RunOptions> TypedRunOptions::parse(std::vector<std::string> command) const {
  if (command.empty()) return no_command(TypedLine::own());
  RunOptions result = options;
  result.command = std::move(command);
  result.memory_history = !no_history;
  result.explain = !no_history && !no_explain;
  std::erase(result.gpus, "");
  if (result.gpus.empty()) return missing_gpu(result.command.front(), TypedLine::own());
  if (const auto status = parse_end(*this, result); !status) return status.error();
  if (const auto status = check_unknown_sizes(result.unknown_sizes); !status) return status.error();
  result.address_order_given = all_orders || !address_order.empty();
  if (result.address_order_given) {
    const auto status = parse_order(all_orders ? "all" : address_order, result);
    if (!status) return status.error();
  }
  auto limited = limits.parse();
  if (!limited) return limited.error();
  result.limits = *std::move(limited);
  if (result.limits.cap && result.count > 1) {
    return Error{"--cap and --count can't be combined", "A cap can be tried on one GPU only: leave out --count."};
  }
  if (const auto status = parse_times(*this, result); !status) return status.error();
  return result;
}

}  // namespace dryfit::cli
