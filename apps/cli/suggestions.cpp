// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "suggestions.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "card/catalogue.h"
#include "help.h"
#include "launch/command.h"
#include "launch/nearest_name.h"
#include "named_cards.h"
#include "own_environment.h"
#include "predict_model_file.h"
#include "predictor/known_models.h"
#include "resources.h"
#include "synonyms.h"

namespace dryfit::cli {
namespace {

constexpr const char* kExampleRun = "`dryfit run --gpu rtx-4090 -- python train.py`";
constexpr std::size_t kShortestBeginning = 3;
constexpr std::string_view kMemoryOptions[] = {"--memory", "--mem", "--vram", "--gpu-memory"};

std::string full_name(const CLI::App& app) {
  return (app.get_parent() ? full_name(*app.get_parent()) + " " : "") + app.get_name();
}

std::string see_help(const CLI::App& command) { return "Run `" + full_name(command) + " --help` for details."; }

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

const CLI::App* find_command_in(const CLI::App& app, const std::string& word) {
  const auto commands = commands_of(app);
  const auto found = std::ranges::find(commands, word, [](const auto* command) { return command->get_name(); });
  return found == commands.end() ? nullptr : *found;
}

/// The name that `word` is, that it alone begins, or that is nearest to it; even two letters may hold a slip.
std::string meant(const std::string& word, const std::set<std::string>& names) {
  if (names.contains(word)) return word;
  const auto begins = [&](const std::string& name) { return name.starts_with(word); };
  if (word.size() >= kShortestBeginning && std::ranges::count_if(names, begins) == 1) {
    return *std::ranges::find_if(names, begins);
  }
  return launch::nearest_name(word, names, word.size() > 1 ? 1 : 0);
}

std::string nearest_command(const CLI::App& app, const std::string& word) {
  std::set<std::string> names;
  for (const auto* command : commands_of(app)) names.insert(command->get_name());
  return meant(word, names);
}

bool is_script(const std::string& word) { return word.ends_with(".py"); }

/// The words are a training command: `dryfit run` is missing before it.
Error without_run(const std::string& word, const TypedLine& line) {
  std::vector<std::string> words{"run", "--gpu", "rtx-4090", "--"};
  if (is_script(word)) words.emplace_back("python");
  words.insert(words.end(), line.words().begin(), line.words().end());
  return {"unknown command '" + word + "'", "To dry-run it, name a GPU: `" + TypedLine(words).text() + "`."};
}

/// `resnet50` alone.
Error without_predict(const std::string& model) {
  const TypedLine line({"predict", "--model", model, "--batch", "64", "--gpu", "rtx-4090"});
  return {"unknown command '" + model + "'", "To predict a model's memory: `" + line.text() + "`."};
}

bool is_known_model(const std::string& word) {
  const auto resources = find_resources();
  if (!resources) return false;
  const auto known = predictor::KnownModels::read(models_folder(*resources) / kModelCatalogue);
  return known && known->find(word, 0);
}

Error unknown_command(const CLI::App& app, const std::string& word, const TypedLine& line) {
  if (const auto meant = line_meant(app, word, line)) return {"unknown command '" + word + "'", did_you_mean(*meant)};
  if (const auto nearest = nearest_command(app, word); !nearest.empty()) {
    return {"unknown command '" + word + "'", did_you_mean(line.with(word, nearest))};
  }
  const bool outermost = app.get_parent() == nullptr;
  if (outermost && is_known_model(word)) return without_predict(word);
  if (outermost && (is_script(word) || launch::find_command(word, own_environment()))) return without_run(word, line);
  return {"unknown command '" + word + "'", "Run `" + full_name(app) + " --help` to list the commands."};
}

/// The command's name comes before its options.
std::optional<Error> late_command(const CLI::App& app, const Arguments& arguments, const TypedLine& line) {
  const auto known = [&](const std::string& word) { return find_command_in(app, word) != nullptr; };
  const auto found = std::ranges::find_if(arguments.ours, known);
  if (found == arguments.ours.end()) return std::nullopt;
  auto words = line.words();
  words.erase(std::ranges::find(words, *found));
  words.insert(words.begin(), *found);
  return Error{"'" + arguments.ours.front() + "' comes before the command", did_you_mean(TypedLine(words))};
}

std::string without_dashes(std::string_view option) {
  return std::string(option.substr(std::min(option.find_first_not_of('-'), option.size())));
}

const CLI::Option* option_of(const CLI::App& command, const std::string& name) {
  return name.starts_with("--") ? command.get_option_no_throw(name) : nullptr;
}

/// The name as shown in the help of the option nearest to `typed`; empty if none is near.
std::string nearest_option(const CLI::App& command, const std::string& typed) {
  std::set<std::string> names;
  for (const auto* option : command.get_options({})) {
    names.insert(option->get_lnames().begin(), option->get_lnames().end());
  }
  const auto nearest = meant(without_dashes(typed), names);
  return nearest.empty() ? "" : shown_name(*command.get_option("--" + nearest));
}

/// "`dryfit predict` and `dryfit estimate`": the commands that have such an option.
std::string commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> names;
  for (const auto* command : commands_of(app)) {
    if (option_of(*command, option)) names.push_back("`" + full_name(*command) + "`");
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

/// A whole GPU with that many GB, as their names say; empty if there is none.
std::string gpu_with_memory(const std::string& typed) {
  const auto digits = typed.substr(0, typed.find_first_not_of("0123456789"));
  const auto resources = find_resources();
  if (digits.empty() || !resources) return "";
  const auto catalogue = Catalogue::load(resources->cards);
  if (!catalogue) return "";
  const auto found = std::ranges::find_if(catalogue->cards(), [&](const CardFile& file) {
    return file.card.id.ends_with("-" + digits + "gb") && file.card.id.find("-mig-") == std::string::npos;
  });
  return found == catalogue->cards().end() ? "" : found->card.id;
}

/// The memory is that of the GPU.
std::string memory_hint(const std::string& option, const TypedLine& line) {
  const std::string how = "Name a GPU that has this memory; `dryfit gpus` lists them.";
  const auto gpu = gpu_with_memory(line.value_of(option).value_or(""));
  if (line.value_of("--gpu")) return how;
  if (gpu.empty()) return how;
  return how + " " + did_you_mean(line.with_option_replaced(option, {"--gpu", gpu}));
}

bool has_command(const TypedLine& line) { return std::ranges::find(line.words(), "--") != line.words().end(); }

const CLI::App& outermost(const CLI::App& command) {
  return command.get_parent() ? outermost(*command.get_parent()) : command;
}

/// An option of a training script as much as of `dryfit predict`.
bool is_of_training(const std::string& option) {
  return std::set<std::string>{"--batch", "--batch-size", "--model", "--optimizer", "--precision", "--size"}.contains(
      option);
}

std::string hint_for_option(const CLI::App& command, const std::string& option, const TypedLine& line) {
  if (const auto meant = option_meant(command, option, line.value_of(option))) {
    return did_you_mean(line.with_option_replaced(option, *meant));
  }
  if (option == "---") return did_you_mean(line.with_word(option, {"--"}));
  if (const auto nearest = nearest_option(command, option); !nearest.empty()) {
    return did_you_mean(line.with(option, nearest));
  }
  if (std::ranges::find(kMemoryOptions, option) != std::end(kMemoryOptions) && option_of(command, "--gpu")) {
    return memory_hint(option, line);
  }
  const auto others = commands_with(outermost(command), option);
  if (const auto& name = command.get_name(); name == "run" || name == "profile" || name == "limits") {
    const auto moved = line.with_option_in_command(option);
    if (moved && (others.empty() || is_of_training(option))) {
      return "Options of your script come after it: `" + moved->text() + "`.";
    }
  }
  if (others.empty()) return "Run `" + full_name(command) + " --help` to list its options.";
  if (command.get_parent() == nullptr && has_command(line)) {
    auto words = line.words();
    words.insert(words.begin(), "run");
    return did_you_mean(TypedLine(words));
  }
  return "It belongs to " + others + ". Run `" + full_name(command) + " --help` to list the options of this command.";
}

/// The command that the words belong to: `history list` within `history`.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

Error missing(const CLI::App& command, const std::string& name, const TypedLine& line) {
  if (name == "--gpu") return no_gpu(line);
  const auto example = first_example(command);
  return {"no " + name + " given", example.empty() ? see_help(command) : "Give one, for example `" + example + "`."};
}

Error missing_command(const CLI::App& app) {
  if (app.get_parent() == nullptr) {
    return {"no command given",
            std::string("Start with ") + kExampleRun + ", or run `dryfit --help` to list the commands."};
  }
  const auto example = first_example(app);
  return {"'" + app.get_name() + "' needs a command of its own", "Try `" + example + "`. " + see_help(app)};
}

/// What CLI11 says begins with the option's name: "--count: Value …", "--gpu is required", "--json excludes --markdown".
struct Complaint {
  std::string name;
  std::string rest;
};

Complaint complaint_of(const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto end = std::min(text.find_first_of(": "), text.size());
  const auto rest = text.find_first_not_of(": ", end);
  return {text.substr(0, end), rest == std::string::npos ? "" : text.substr(rest)};
}

Error without_required(const CLI::App& command, const Complaint& complaint, const std::vector<std::string>& extras,
                       const TypedLine& line) {
  if (complaint.name != "A") return missing(command, complaint.name, line);
  return extras.empty() ? missing_command(command) : unknown_command(command, extras.front(), line);
}

/// "Could not convert: --limit = ten".
Error not_a_number(const CLI::App& command, const std::string& complaint) {
  const auto equals = complaint.find(" = ");
  const auto colon = complaint.find(": ");
  if (equals == std::string::npos || colon == std::string::npos) return {complaint, see_help(command)};
  const auto name = complaint.substr(colon + 2, equals - colon - 2);
  return {name + ": '" + complaint.substr(equals + 3) + "' is not a number", see_help(command)};
}

/// `observe python train.py`.
Error unmarked_command(const std::string& script, const TypedLine& line) {
  auto words = line.words();
  words.insert(std::ranges::find(words, script) - 1, "--");
  return {"a command needs -- before it", did_you_mean(TypedLine(words))};
}

Error wrong_count(const CLI::App& command, const Complaint& complaint, const TypedLine& line) {
  if (complaint.rest.find("missing") == std::string::npos) {
    return {complaint.name + " can be given only once", see_help(command)};
  }
  if (complaint.name == "--gpu") return {"--gpu needs a value", no_gpu(line.with_option_replaced("--gpu", {})).hint};
  return {complaint.name + " needs a value", see_help(command)};
}

}  // namespace

std::optional<Error> wrong_beginning(const CLI::App& app, const Arguments& arguments, const TypedLine& line) {
  if (arguments.ours.empty()) {
    return arguments.after.empty() ? missing_command(app)
                                   : without_run(arguments.after.front(), TypedLine(arguments.after));
  }
  const auto& word = arguments.ours.front();
  if (const auto dash = long_dash(arguments.ours, line)) return dash;
  if (find_command_in(app, word)) return std::nullopt;
  if (word == "-v" || word == "-V") return unknown_option(app, word, line);
  if (!word.starts_with("-")) return unknown_command(app, word, line);
  const bool is_known = app.get_option_no_throw(word) != nullptr;
  return is_known ? std::nullopt : late_command(app, arguments, line);
}

Error unknown_option(const CLI::App& command, const std::string& word, const TypedLine& line) {
  const auto option = word.substr(0, word.find('='));
  if (const auto meant = line_meant(command, option, line))
    return {"unknown option '" + option + "'", did_you_mean(*meant)};
  return {"unknown option '" + option + "'", hint_for_option(command, option, line)};
}

Error explained(const CLI::ParseError& error, const CLI::App& app, const TypedLine& line) {
  const auto& command = chosen_command(app);
  const auto extras = app.remaining(true);
  const auto option = std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("-"); });
  if (option != extras.end() && *option != "-") return unknown_option(command, *option, line);
  const auto complaint = complaint_of(error);
  if (error.get_name() == "RequiredError") return without_required(command, complaint, extras, line);
  if (error.get_name() == "ArgumentMismatch") return wrong_count(command, complaint, line);
  if (error.get_name() == "ValidationError") return {complaint.name + ": " + complaint.rest, see_help(command)};
  if (error.get_name() == "ConversionError") return not_a_number(command, error.what());
  if (error.get_name() == "ExcludesError") {
    const auto other = complaint.rest.substr(complaint.rest.find(' ') + 1);
    return {complaint.name + " and " + other + " can't be combined", "Leave out one of them."};
  }
  if (!extras.empty() && command.get_name() == "observe" && extras.front().ends_with(".py")) {
    return unmarked_command(extras.front(), line);
  }
  if (!extras.empty()) return {"unexpected argument '" + extras.front() + "'", see_help(command)};
  return {error.what(), see_help(command)};
}

}  // namespace dryfit::cli
