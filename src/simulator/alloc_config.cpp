// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/alloc_config.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "simulator/config_reader.h"
#include "simulator/device.h"

namespace dryfit::simulator {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// A number of MiB as PyTorch reads it: a value that would overflow becomes the largest that does not.
Bytes mebibytes(std::uint64_t count) { return {std::min(count, ~std::uint64_t{0} / kMiB) * kMiB}; }

// ---- one function per option: reads the value into the config

using ReadOption = bool (*)(ConfigReader&, AllocConfig&, TorchVersion);

bool read_large_segment_size(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  std::uint64_t value = 0;
  if (!reader.separator(':') || !reader.number(value)) return false;
  if (value <= 10) return reader.refuse("large_segment_size_mb must be more than 10");
  // No device has room for more, so the exact number does not matter.
  config.large_segment_size = std::min(mebibytes(value), kLargestTotal);
  return true;
}

/// A size that must not be below that of a large segment; until torch 2.10 it had to be above it.
std::optional<Bytes> read_segment_limit(ConfigReader& reader, const AllocConfig& config, TorchVersion version,
                                        std::string_view name) {
  std::uint64_t value = 0;
  if (!reader.separator(':') || !reader.number(value)) return std::nullopt;
  const std::uint64_t least = config.large_segment_size.count / kMiB;
  if (value > least || (value == least && version.at_least(2, 10))) return mebibytes(value);
  reader.refuse(std::string(name) + " is too small; the minimum is " + std::to_string(least));
  return std::nullopt;
}

bool read_max_split_size(ConfigReader& reader, AllocConfig& config, TorchVersion version) {
  const auto size = read_segment_limit(reader, config, version, "max_split_size_mb");
  if (size) config.max_split_size = *size;
  return size.has_value();
}

bool read_max_non_split_rounding(ConfigReader& reader, AllocConfig& config, TorchVersion version) {
  const auto size = read_segment_limit(reader, config, version, "max_non_split_rounding_mb");
  if (size) config.max_non_split_rounding_size = *size;
  return size.has_value();
}

bool read_garbage_collection_threshold(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  double value = 0;
  if (!reader.separator(':') || !reader.real(value)) return false;
  if (!(value > 0 && value < 1)) return reader.refuse("garbage_collection_threshold must lie between 0 and 1");
  config.garbage_collection_threshold = value;
  return true;
}

bool read_memory_fraction(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  double value = 0;
  if (!reader.separator(':') || !reader.real(value)) return false;
  if (!(value >= 0 && value <= 1)) return reader.refuse("per_process_memory_fraction must be between 0 and 1");
  config.per_process_memory_fraction = value;
  return true;
}

/// One "256:4" or ">:8" of a list; `last` is the interval named last, none before the first.
bool read_division(ConfigReader& reader, AllocConfig& config, std::optional<std::size_t>& last) {
  auto& divisions = config.roundup_power2_divisions;
  const bool is_rest = reader.part() == ">";
  const std::string interval = reader.part();
  std::uint64_t value = 0;
  if (!reader.separator(':') || !reader.number(value)) return false;
  if (value != 0 && !std::has_single_bit(value)) return reader.refuse("divisions must be a power of two, or 0");
  if (is_rest) {
    // Up to 2.9 the last interval named is overwritten too.
    const std::size_t from = last.value_or(0) + (reader.is_lenient() ? 1 : 0);
    std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(from), divisions.end(), value);
    return true;
  }
  std::uint64_t start = 0;
  if (!reader.number_in(interval, start)) return false;
  if (!std::has_single_bit(start)) return reader.refuse("the intervals of divisions must be powers of two");
  const auto index = std::min<std::size_t>(static_cast<std::size_t>(std::countr_zero(start)), divisions.size() - 1);
  if (!last) std::fill(divisions.begin(), divisions.begin() + static_cast<std::ptrdiff_t>(index), value);
  divisions[index] = value;
  last = index;
  return true;
}

bool read_division_list(ConfigReader& reader, AllocConfig& config) {
  std::optional<std::size_t> last;
  for (reader.step(); !reader.at_end() && reader.part() != "]"; reader.step()) {
    if (!read_division(reader, config, last)) return false;
    bool ends = false;
    if (!reader.is_next("]", ends)) return false;
    if (!ends && !reader.separator(',')) return false;
  }
  return !reader.at_end() || reader.refuse("a list has no closing bracket", "internal assert");
}

bool read_divisions(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  bool is_list = false;
  if (!reader.separator(':') || !reader.is_next("[", is_list)) return false;
  if (is_list) {
    reader.step();
    return read_division_list(reader, config);
  }
  std::uint64_t value = 0;
  if (!reader.number(value)) return false;
  if (!std::has_single_bit(value)) return reader.refuse("divisions must be a power of two");
  config.roundup_power2_divisions.fill(value);
  return true;
}

bool read_expandable_segments(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  return reader.separator(':') && reader.boolean(config.expandable_segments);
}

bool read_throw_on_oom(ConfigReader& reader, AllocConfig& config, TorchVersion) {
  return reader.separator(':') && reader.boolean(config.throw_on_cudamalloc_oom);
}

bool read_backend(ConfigReader& reader, AllocConfig&, TorchVersion) {
  if (!reader.separator(':')) return false;
  bool is_native = false;
  if (!reader.is_next("native", is_native)) return false;
  reader.step();
  if (is_native) return true;
  if (!reader.at_end() && reader.part() == "cudaMallocAsync") {
    return reader.not_modelled("backend cudaMallocAsync replaces PyTorch's allocator and is");
  }
  return reader.refuse("unknown backend");
}

bool read_register_threads(ConfigReader& reader, AllocConfig&, TorchVersion) {
  std::uint64_t value = 0;
  if (!reader.separator(':') || !reader.number(value)) return false;
  const bool good = std::has_single_bit(value) && value <= 128;
  return good || reader.refuse("pinned_num_register_threads must be a power of two up to 128");
}

bool read_ignored_number(ConfigReader& reader, AllocConfig&, TorchVersion) {
  std::uint64_t value = 0;
  return reader.separator(':') && reader.number(value);
}

bool read_ignored_boolean(ConfigReader& reader, AllocConfig&, TorchVersion) {
  bool value = false;
  return reader.separator(':') && reader.boolean(value);
}

bool refuse_reserve(ConfigReader& reader, AllocConfig&, TorchVersion) {
  return reader.not_modelled("reservations of expandable segments are");
}

// ---- the options

/// Since 2.10 the string is read twice: for what all accelerators share, then for what is CUDA's own.
enum class Reading { kShared, kCuda };

struct Option {
  std::string_view name;
  TorchVersion since;
  Reading reading;
  ReadOption read;
};

constexpr Option kOptions[] = {
    {"max_split_size_mb", {1, 13, 0}, Reading::kShared, read_max_split_size},
    {"garbage_collection_threshold", {1, 13, 0}, Reading::kShared, read_garbage_collection_threshold},
    {"roundup_power2_divisions", {1, 13, 0}, Reading::kShared, read_divisions},
    {"backend", {2, 0, 0}, Reading::kCuda, read_backend},
    {"expandable_segments", {2, 1, 0}, Reading::kShared, read_expandable_segments},
    {"release_lock_on_cudamalloc", {2, 1, 0}, Reading::kCuda, read_ignored_boolean},
    {"release_lock_on_hipmalloc", {2, 1, 0}, Reading::kCuda, read_ignored_boolean},
    {"pinned_use_cuda_host_register", {2, 1, 0}, Reading::kCuda, read_ignored_boolean},
    {"pinned_use_hip_host_register", {2, 1, 0}, Reading::kCuda, read_ignored_boolean},
    {"pinned_num_register_threads", {2, 1, 0}, Reading::kCuda, read_register_threads},
    {"max_non_split_rounding_mb", {2, 6, 0}, Reading::kShared, read_max_non_split_rounding},
    {"pinned_use_background_threads", {2, 6, 0}, Reading::kShared, read_ignored_boolean},
    {"graph_capture_record_stream_reuse", {2, 9, 0}, Reading::kCuda, read_ignored_boolean},
    {"per_process_memory_fraction", {2, 10, 0}, Reading::kCuda, read_memory_fraction},
    {"pinned_reserve_segment_size_mb", {2, 10, 0}, Reading::kCuda, read_ignored_number},
    {"large_segment_size_mb", {2, 11, 0}, Reading::kShared, read_ignored_number},
    {"pinned_max_round_threshold_mb", {2, 11, 0}, Reading::kShared, read_ignored_number},
    {"pinned_max_cached_size_mb", {2, 11, 0}, Reading::kShared, read_ignored_number},
    {"throw_on_cudamalloc_oom", {2, 12, 0}, Reading::kCuda, read_throw_on_oom},
    {"pinned_free_catch_all", {2, 15, 0}, Reading::kCuda, read_ignored_boolean},
    {"expandable_segments_reserve", {2, 15, 0}, Reading::kCuda, refuse_reserve},
    {"expandable_segments_reserve_by_class", {2, 15, 0}, Reading::kCuda, refuse_reserve},
};

const Option* find_option(std::string_view name, TorchVersion version) {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                  [&](const Option& option) { return option.name == name && version >= option.since; });
  return found == std::end(kOptions) ? nullptr : found;
}

/// Every "key:value" from the beginning; values of the other reading are skipped.
bool read_options(ConfigReader& reader, AllocConfig& config, TorchVersion version, std::optional<Reading> reading) {
  for (reader.rewind(); !reader.at_end(); reader.step()) {
    const Option* option = find_option(reader.part(), version);
    if (option == nullptr) return reader.refuse("unknown option '" + reader.part() + "'");
    const bool wanted = !reading || option->reading == *reading;
    if (!(wanted ? option->read(reader, config, version) : reader.skip_value())) return false;
    reader.step();
    if (reader.at_end()) break;
    if (!reader.is_lenient() && reader.part() != ",") return reader.refuse("',' is missing");
  }
  return true;
}

/// The size of large segments bounds other options, so it is read before them, wherever it is in the string.
bool read_large_segments_first(ConfigReader& reader, AllocConfig& config, TorchVersion version) {
  for (reader.rewind(); !reader.at_end(); reader.step()) {
    const bool is_it = reader.part() == "large_segment_size_mb";
    if (is_it && !read_large_segment_size(reader, config, version)) return false;
  }
  config.max_non_split_rounding_size = config.large_segment_size;
  return true;
}

bool read_all(ConfigReader& reader, AllocConfig& config, TorchVersion version) {
  if (!version.at_least(2, 10)) return read_options(reader, config, version, std::nullopt);
  if (version.at_least(2, 11) && !read_large_segments_first(reader, config, version)) return false;
  return read_options(reader, config, version, Reading::kShared) &&
         read_options(reader, config, version, Reading::kCuda);
}

// ---- torch 1.13: options between commas and blanks, and nothing is said about one without a value

Status read_old_option(std::string_view option, AllocConfig& config, TorchVersion version) {
  const std::size_t colon = option.find(':');
  if (colon == std::string_view::npos) return {};
  const std::size_t value = option.find_first_not_of(':', colon);
  if (value == std::string_view::npos) return {};
  const std::string_view name = option.substr(0, colon);
  const std::string_view rest = option.substr(value);
  ConfigReader reader("value:" + std::string(rest.substr(0, rest.find(':'))), version);
  if (name == "roundup_bypass_threshold_mb") {
    std::uint64_t threshold = 0;
    if (reader.separator(':') && reader.number(threshold)) config.roundup_bypass_threshold = mebibytes(threshold);
  } else if (const Option* known = find_option(name, version)) {
    known->read(reader, config, version);
  } else {
    reader.refuse("unknown option '" + std::string(name) + "'");
  }
  return reader.error() ? Status(*reader.error()) : Status();
}

Result<AllocConfig> parse_old(std::string_view text, TorchVersion version) {
  AllocConfig config;
  const auto is_between = [](char c) { return c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0; };
  auto begin = text.begin();
  while (begin != text.end()) {
    const auto end = std::find_if(begin, text.end(), is_between);
    if (Status status = read_old_option({begin, end}, config, version); !status) return status.error();
    begin = std::find_if_not(end, text.end(), is_between);
  }
  return config;
}

}  // namespace

Result<AllocConfig> parse_alloc_config(std::string_view text, TorchVersion version) {
  if (!version.at_least(2, 0)) return parse_old(text, version);
  ConfigReader reader(text, version);
  AllocConfig config;
  if (!read_all(reader, config, version)) return *reader.error();
  return config;
}

}  // namespace dryfit::simulator
