// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "commands.h"
#include "common_options.h"
#include "estimate_answer.h"
#include "files.h"
#include "memory_limits.h"
#include "report/json.h"
#include "report/terminal.h"
#include "screen.h"
#include "verdict/verdict.h"

namespace dryfit::cli {
namespace {

struct EstimateOptions {
  EstimateQuestion question;
  TypedMemoryLimits limits;
  std::string output;
  bool json = false;
  bool strict = false;
};

int deliver(const EstimateOptions& options, const EstimateAnswer& answer) {
  const auto& verdicts = answer.verdicts;
  const auto json = report::json_text(DRYFIT_VERSION, answer.command, verdicts);
  if (!options.output.empty()) {
    if (const auto status = write_atomically(options.output, json); !status) return fail(status.error(), kCouldNotTell);
  }
  if (!print(options.json ? json : report::terminal_text(verdicts, style_for(STDOUT_FILENO)))) {
    return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  }
  return verdict::exit_code(verdicts, options.strict);
}

int run(const EstimateOptions& options) {
  const auto limits = options.limits.parse();
  if (!limits) return fail(limits.error(), kWrongUsage);
  if (!options.output.empty()) {
    if (const auto status = check_writable(options.output); !status) return fail(status.error(), kWrongUsage);
  }
  auto question = options.question;
  question.limits = *limits;
  int exit_code = kSuccess;
  const auto answer = estimate_traces(question, exit_code);
  return answer ? deliver(options, *answer) : exit_code;
}

void declare(CLI::App& command, EstimateOptions& options) {
  command
      .add_option("TRACE", options.question.traces,
                  "torch.profiler trace from the CPU, .json or .json.gz; for --batch, two or more at smaller batches")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--batch", options.question.batch,
                  "Batch size to estimate for, from several traces (default: the program's)")
      ->type_name("N")
      ->check(whole_number(1, 100'000'000));
  add_gpus_option(command, options.question.gpus, "GPU to estimate for, as listed by `dryfit gpus`; several: a,b,c")
      ->required();
  command
      .add_option("--torch", options.question.torch, "PyTorch version on the GPU machine (default: the profiled one)")
      ->type_name("VERSION");
  command
      .add_option("--alloc-conf", options.question.alloc_conf,
                  "PYTORCH_CUDA_ALLOC_CONF on the GPU machine (default: the program's)")
      ->type_name("CONF");
  options.limits.declare(command);
  add_gpu_file_option(command, options.question.cards);
  command.add_flag("--strict", options.strict, "Treat a tight fit as a failure (exit code 3)");
  command.add_flag("--json", options.json, "Print JSON instead of the report");
  command.add_option("-o,--output", options.output, "Also write the JSON to this file")->type_name("FILE");
}

}  // namespace

void add_estimate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("estimate", "Estimate memory from a CPU profile, without a CUDA build of PyTorch")
                      ->group(kAsk);
  command->footer(
      "Examples:\n  dryfit estimate trace.json.gz --gpu rtx-3060-12gb,a100-40gb\n"
      "  dryfit estimate trace.batch-4.json.gz trace.batch-8.json.gz --batch 256 --gpu rtx-4090\n\n"
      "`dryfit profile` makes the trace. One that torch.profiler wrote with profile_memory=True and record_shapes=True "
      "works too.\n\n"
      "Exit code: 0 fits on every GPU (tight fits included, unless --strict), 3 does not fit on at least one, 2 wrong "
      "usage, 1 cannot tell.");
  auto options = std::make_shared<EstimateOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->question.gpus, "");
    exit_code = run(*options);
  });
}

}  // namespace dryfit::cli
