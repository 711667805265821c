// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "commands.h"
#include "common_options.h"
#include "screen.h"
#include "trace/reader.h"
#include "trace/text.h"

namespace dryfit::cli {
namespace {

constexpr std::size_t kPortion = 64 * 1024;

int dump(const std::string& path) {
  auto reader = trace::Reader::open(path);
  if (!reader) return fail(reader.error(), kWrongUsage);
  std::string text = trace::to_text(reader->capture()) + "\n";
  while (const auto event = reader->next()) {
    text.append(trace::to_text(*event, *reader)).append("\n");
    if (text.size() < kPortion) continue;
    if (!print(text)) return kCouldNotTell;
    text.clear();
  }
  if (!print(text)) return kCouldNotTell;
  if (!reader->damage().empty()) return fail({path + ": " + reader->damage(), ""}, kCouldNotTell);
  return kSuccess;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("trace", "Show the events of a trace file as text")->group(kLook);
  command->footer(
      "Examples:\n  dryfit trace myrun/rtx-4090-24gb/trace-4711.dryfit\n\n"
      "Exit code: 0 shown, 1 the file is damaged, 2 wrong usage.");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "Trace file (trace-*.dryfit), as kept by `dryfit run --save`")
      ->required()
      ->type_name("FILE");
  command->callback([file, &exit_code] { exit_code = dump(*file); });
}

}  // namespace dryfit::cli
