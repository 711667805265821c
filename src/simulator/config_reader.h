// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/alloc_config.h"

namespace dryfit::simulator {

/// Reads the parts of a config string, one after the other, with the strictness of a version. A reader that has failed
/// stays where it is; its functions return false from then on.
///
/// Note [Strictness]
/// Up to 2.9 (torch `CUDAAllocatorConfig`) the separators must be where they belong, and numbers are C++ ints. Since
/// 2.10 (torch `ConfigTokenizer`) there must be something in the place of a separator, whatever it is, and numbers are
/// unsigned 64-bit. In both a number may be followed by anything, and a negative one becomes a very large one.
class ConfigReader {
 public:
  ConfigReader(std::string_view text, TorchVersion version);

  bool at_end() const { return place_ >= parts_.size(); }
  /// The part at hand; there must be one.
  const std::string& part() const { return parts_[place_]; }
  void step() { ++place_; }
  void rewind() { place_ = 0; }

  /// Each of these moves on by what it reads and stays on the last part of it.
  bool separator(char wanted);
  bool number(std::uint64_t& value);
  bool real(double& value);
  bool boolean(bool& value);
  /// A part seen earlier as a number.
  bool number_in(const std::string& earlier, std::uint64_t& value);
  /// Over a separator and a value that somebody else reads.
  bool skip_value();
  /// Whether the next part is this one; there must be a next part.
  bool is_next(std::string_view wanted, bool& is);

  bool is_lenient() const { return lenient_; }
  /// What is wrong, and how PyTorch says so: "RuntimeError", "ValueError", "IndexError", "internal assert".
  bool refuse(std::string_view what, std::string_view kind);
  bool refuse(std::string_view what) { return refuse(what, lenient_ ? "ValueError" : "RuntimeError"); }
  /// PyTorch takes it, and there is no model of it here.
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
