// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/convolution_workspace.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <tuple>

#include "estimate/element_size.h"

namespace dryfit::estimate {
namespace {

/// Sizes in bytes of what a convolution works with.
struct Sizes {
  double input, output, weight, weight_per_image;
};

double extent(std::int64_t size, std::int64_t kernel, const Convolution& of) {
  const std::int64_t places = (size + 2 * of.padding - of.dilation * (kernel - 1) - 1) / of.stride + 1;
  return static_cast<double>(places);
}

Sizes sizes_of(const Convolution& c) {
  const auto element = static_cast<double>(element_size(c.type).value_or(4));
  const auto batch = static_cast<double>(c.batch);
  const double weight = element * static_cast<double>(c.out_channels) * static_cast<double>(c.in_channels) /
                        static_cast<double>(c.groups) * static_cast<double>(c.kernel_height * c.kernel_width);
  return {.input = element * batch * static_cast<double>(c.in_channels) * static_cast<double>(c.height * c.width),
          .output = element * batch * static_cast<double>(c.out_channels) * extent(c.height, c.kernel_height, c) *
                    extent(c.width, c.kernel_width, c),
          .weight = weight,
          .weight_per_image = weight * batch};
}

/// How a workspace is composed of such sizes.
struct Parts {
  bool input = false, output = false, weight_per_image = false;
  double weights = 0;
  double rest = 0;

  double of(const Sizes& sizes) const {
    return (input ? sizes.input : 0) + (output ? sizes.output : 0) + (weight_per_image ? sizes.weight_per_image : 0) +
           weights * sizes.weight + rest;
  }
  /// The same plan, as far as this can show.
  bool is_like(const Parts& other) const {
    return input == other.input && output == other.output && weight_per_image == other.weight_per_image;
  }
};

/// Below this a workspace does not depend on sizes.
constexpr double kSmall = 64 << 10;
constexpr int kMostWeights = 3;

/// The parts that leave the smallest rest. The rest is copies of the weight if it is as large as one.
Parts parts_of(double bytes, const Sizes& sizes) {
  Parts best{.rest = bytes};
  if (bytes < kSmall) return best;
  for (int choice = 0; choice < 8; ++choice) {
    for (int weights = 0; weights <= kMostWeights; ++weights) {
      Parts parts{.input = (choice & 1) != 0,
                  .output = (choice & 2) != 0,
                  .weight_per_image = (choice & 4) != 0,
                  .weights = static_cast<double>(weights)};
      parts.rest = bytes - parts.of(sizes);
      if (parts.rest >= 0 && parts.rest < best.rest) best = parts;
    }
  }
  if (sizes.weight > 0 && best.rest >= sizes.weight / 2) {
    best.weights += best.rest / sizes.weight;
    best.rest = 0;
  }
  return best;
}

/// The class of a convolution's layout and grouping: plans for one class never serve another.
auto layout_of(const Convolution& c) {
  return std::tuple(c.channels_last, c.groups == 1 ? 0 : c.groups == c.in_channels ? 2 : 1);
}

/// The kind of a convolution: within one kind, only sizes differ.
auto kind_of(const Convolution& c) {
  return std::tuple_cat(layout_of(c), std::tuple(c.kernel_height, c.kernel_width, c.stride, c.dilation));
}

double difference(std::int64_t a, std::int64_t b) {
  return std::abs(
      std::log2(static_cast<double>(std::max<std::int64_t>(a, 1)) / static_cast<double>(std::max<std::int64_t>(b, 1))));
}

/// Some plans serve only batches that are divisible by up to 16.
double distance_of_batches(std::int64_t a, std::int64_t b) {
  const auto alignment = [](std::int64_t batch) {
    return std::min(std::countr_zero(static_cast<std::uint64_t>(batch)), 4);
  };
  return difference(a, b) + (alignment(a) == alignment(b) ? 0 : 0.5);
}

template <class Row>
const Row* nearer(const Row* below, const Row* above, std::int64_t batch) {
  const auto far = [&](const Row* row) { return distance_of_batches(row->first.batch, batch); };
  return far(above) < far(below) ? above : below;
}

/// The distance of two shapes. Channels matter most for the choice of a plan.
double distance(const Convolution& a, const Convolution& b) {
  return 3 * difference(a.in_channels, b.in_channels) + 3 * difference(a.out_channels, b.out_channels) +
         2 * difference(a.height * a.width, b.height * b.width) + (a.type == b.type ? 0 : 20) +
         (a.padding == b.padding ? 0 : 2);
}

/// More than any difference of sizes.
double difference_of_kind(const Convolution& a, const Convolution& b) {
  if (kind_of(a) == kind_of(b)) return 0;
  return 1000 + 100 * (difference(a.kernel_height * a.kernel_width, b.kernel_height * b.kernel_width) +
                       difference(a.stride, b.stride) + difference(a.dilation, b.dilation));
}

// ---- reading

constexpr std::size_t kColumns = 16;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Number>
bool parse_list(std::string_view text, std::vector<Number>& numbers) {
  for (const auto part : split(text, ' ')) {
    if (!parse_number(part, numbers.emplace_back())) return false;
  }
  return true;
}

/// type,layout,in_channels,…,groups and four lists: batches, and the bytes of each pass.
struct Line {
  Convolution convolution;
  std::vector<std::int64_t> batches;
  std::array<std::vector<std::uint64_t>, 3> bytes;
};

bool parse_line(std::string_view text, Line& line) {
  const auto columns = split(text, ',');
  if (columns.size() != kColumns) return false;
  auto& c = line.convolution;
  c.type = columns[0];
  c.channels_last = columns[1] == "channels_last";
  std::int64_t* const numbers[] = {&c.in_channels,  &c.height, &c.width,   &c.out_channels, &c.kernel_height,
                                   &c.kernel_width, &c.stride, &c.padding, &c.dilation,     &c.groups};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    if (!parse_number(columns[i + 2], *numbers[i])) return false;
  }
  if (c.stride < 1 || c.groups < 1 || !parse_list(columns[12], line.batches)) return false;
  for (std::size_t pass = 0; pass < 3; ++pass) {
    if (!parse_list(columns[13 + pass], line.bytes[pass]) || line.bytes[pass].size() != line.batches.size())
      return false;
  }
  return true;
}

/// The chip of "…/8.6.csv"; none: another file.
std::optional<ComputeCapability> chip_of(const std::filesystem::path& file) {
  ComputeCapability chip;
  const auto stem = file.stem().string();
  const auto point = stem.find('.');
  if (file.extension() != ".csv" || point == std::string::npos) return std::nullopt;
  const std::string_view text(stem);
  if (!parse_number(text.substr(0, point), chip.major) || !parse_number(text.substr(point + 1), chip.minor)) {
    return std::nullopt;
  }
  return chip;
}

/// The chip's own entry, else that of the next older one, else of the oldest.
template <class Map>
auto nearest(const Map& by_chip, ComputeCapability chip) {
  const auto next = by_chip.upper_bound(chip);
  return next == by_chip.begin() ? next : std::prev(next);
}

}  // namespace

bool is_native_depthwise(const Convolution& convolution) {
  const bool is_depthwise = convolution.groups > 1 && convolution.groups == convolution.in_channels;
  return is_depthwise && !convolution.channels_last && convolution.type == "float";
}

Result<WorkspaceTable> WorkspaceTable::parse(std::string_view text, const std::string& name) {
  WorkspaceTable table;
  std::size_t number = 0;
  for (const auto row : split(text, '\n')) {
    if (++number == 1 || row.empty()) continue;
    Line line;
    if (!parse_line(row, line)) {
      return Error{name + ":" + std::to_string(number) + ": not a row of a workspace table",
                   "Reinstall Dryfit, or regenerate the table with tools/convolution_workspaces."};
    }
    if (line.batches.empty()) continue;
    table.shapes_.push_back(line.convolution);
    table.kinds_.insert(kind_of(line.convolution));
    for (std::size_t i = 0; i < line.batches.size(); ++i) {
      line.convolution.batch = line.batches[i];
      table.exact_.emplace(line.convolution, Answers{line.bytes[0][i], line.bytes[1][i], line.bytes[2][i]});
    }
  }
  return table;
}

std::optional<Bytes> WorkspaceTable::workspace(const Convolution& convolution, Pass pass) const {
  const auto index = static_cast<std::size_t>(pass);
  if (const auto known = exact_.find(convolution); known != exact_.end()) return Bytes{known->second[index]};
  const auto parts = [&](const Row& row) {
    return parts_of(static_cast<double>(row.second[index]), sizes_of(row.first));
  };
  const auto as_with = [&](const Row& row) {
    return Bytes{static_cast<std::uint64_t>(parts(row).of(sizes_of(convolution)))};
  };
  const auto [below, above] = neighbours(convolution);
  if (below && above && parts(*below).is_like(parts(*above))) {
    const double share = static_cast<double>(convolution.batch - below->first.batch) /
                         static_cast<double>(above->first.batch - below->first.batch);
    const auto low = static_cast<double>(below->second[index]);
    const auto high = static_cast<double>(above->second[index]);
    return Bytes{static_cast<std::uint64_t>(low + share * (high - low))};
  }
  if (below && above) return as_with(*nearer(below, above, convolution.batch));
  const auto* like = most_like(convolution);
  if (!like) return std::nullopt;
  return as_with(*like);
}

std::pair<const WorkspaceTable::Row*, const WorkspaceTable::Row*> WorkspaceTable::neighbours(
    const Convolution& convolution) const {
  auto shape = convolution;
  shape.batch = std::numeric_limits<std::int64_t>::min();
  const Row* below = nullptr;
  const Row* above = nullptr;
  for (auto row = exact_.lower_bound(shape); row != exact_.end(); ++row) {
    auto other = row->first;
    other.batch = convolution.batch;
    if (other != convolution) break;
    auto& best = row->first.batch < convolution.batch ? below : above;
    if (!best || distance_of_batches(row->first.batch, convolution.batch) <
                     distance_of_batches(best->first.batch, convolution.batch)) {
      best = &*row;
    }
  }
  return {below, above};
}

bool WorkspaceTable::knows_kind_of(const Convolution& convolution) const {
  return kinds_.contains(kind_of(convolution));
}

const WorkspaceTable::Row* WorkspaceTable::most_like(const Convolution& convolution) const {
  const Convolution* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& shape : shapes_) {
    if (layout_of(shape) != layout_of(convolution)) continue;
    const double far = distance(shape, convolution) + difference_of_kind(shape, convolution);
    if (far < least) {
      least = far;
      best = &shape;
    }
  }
  if (!best) return nullptr;
  auto requested = *best;
  requested.batch = convolution.batch;
  const auto [below, above] = neighbours(requested);
  if (!below || !above) return below ? below : above;
  return nearer(below, above, convolution.batch);
}

Result<Workspaces> Workspaces::load(const std::filesystem::path& folder, std::span<const ComputeCapability> chips) {
  std::map<ComputeCapability, std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (const auto chip = chip_of(entry.path())) files.emplace(*chip, entry.path());
  }
  Workspaces workspaces;
  for (const auto chip : chips) {
    const auto file = nearest(files, chip);
    if (file == files.end() || workspaces.tables_.contains(file->first)) continue;
    std::ifstream stream(file->second);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    auto table = WorkspaceTable::parse(text, file->second.string());
    if (!table) return table.error();
    workspaces.add(file->first, std::move(table).value());
  }
  return workspaces;
}

const WorkspaceTable* Workspaces::of(ComputeCapability chip) const {
  const auto found = nearest(tables_, chip);
  return found == tables_.end() ? nullptr : &found->second;
}

}  // namespace dryfit::estimate
