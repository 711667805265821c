// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/alloc_config.h"

namespace dryfit::simulator {

/// Reads the parts of a config string one by one, as strictly as the given version does. After a failure it stays where
/// it is, and its functions return false.
///
/// Note [Strictness]
/// Up to 2.9 (torch `CUDAAllocatorConfig`) the separators must be where they belong, and numbers are C++ ints. Since
/// 2.10 (torch `ConfigTokenizer`) there must be something in the place of a separator, whatever it is, and numbers are
/// unsigned 64-bit. In both, a number may be followed by anything, and a negative one becomes a very large one.
class ConfigReader {
 public:
  ConfigReader(std::string_view text, TorchVersion version);

  bool at_end() const { return place_ >= parts_.size(); }
  /// The current part; there must be one.
  const std::string& part() const { return parts_[place_]; }
  void step() { ++place_; }
  void rewind() { place_ = 0; }

  /// Each of these advances by what it reads and stays on its last part.
  bool separator(char wanted);
  bool number(std::uint64_t& value);
  bool real(double& value);
  bool boolean(bool& value);
  /// An earlier part, as a number.
  bool number_in(const std::string& earlier, std::uint64_t& value);
  /// Skips a separator and a value that other code reads.
  bool skip_value();
  /// Sets `is` to whether the next part is this one; there must be a next part.
  bool is_next(std::string_view wanted, bool& is);

  bool is_lenient() const { return lenient_; }
  /// What is wrong, and how PyTorch reports it: "RuntimeError", "ValueError", "IndexError", "internal assert".
  bool refuse(std::string_view what, std::string_view kind);
  bool refuse(std::string_view what) { return refuse(what, lenient_ ? "ValueError" : "RuntimeError"); }
  /// PyTorch accepts it, but it is not modelled here.
  bool not_modelled(std::string_view what);
  const std::optional<Error>& error() const { return error_; }

 private:
  bool next_value();

  TorchVersion version_;
  bool lenient_;
  std::vector<std::string> parts_;
  std::size_t place_ = 0;
  std::optional<Error> error_;
};

}  // namespace dryfit::simulator
