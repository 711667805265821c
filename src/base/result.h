// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace dryfit {

/// What is wrong with some input, where, and what the user can do about it.
struct Error {
  std::string what;        ///< one clause without a full stop: "cards/x.toml:12: 'multiprocessors' is not a number"
  std::string hint;        ///< what to do next, in full sentences: "Run `dryfit gpus` to list them."; may be empty
  bool is_damage = false;  ///< a file of ours is not as it was written: there is no answer, rather than wrong usage
};

/// A value, or the Error that says why there is none. For wrong input; our own bugs use DRYFIT_CHECK.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the Error that says why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace dryfit
