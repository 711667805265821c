// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/unpickler.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "snapshot/little_endian.h"

namespace dryfit::snapshot {
namespace {

constexpr std::uint64_t kNewestProtocol = 5;
constexpr std::uint64_t kFreeMemory = 64 * 1024;  ///< of the budget, however small the file is
constexpr const char* kWriteAgain = "Write it with torch.cuda.memory._dump_snapshot(\"file.pickle\").";

constexpr std::uint64_t tag_of(Kind kind) { return static_cast<std::uint64_t>(kind); }

template <class T>
std::uint64_t memory_of(const std::vector<T>& vector) {
  return vector.size() * sizeof(T);
}

}  // namespace

constexpr std::array<Unpickler::Handler, 256> Unpickler::make_handlers() {
  std::array<Handler, 256> table{};
  const auto set = [&](Opcode opcode, Handler handler) { table[static_cast<std::uint8_t>(opcode)] = handler; };
  set(Opcode::PROTO, &Unpickler::on_proto);
  set(Opcode::FRAME, &Unpickler::on_frame);
  set(Opcode::MARK, &Unpickler::on_mark);
  set(Opcode::STOP, &Unpickler::on_stop);
  set(Opcode::NONE, &Unpickler::on_none);
  set(Opcode::NEWTRUE, &Unpickler::on_true);
  set(Opcode::NEWFALSE, &Unpickler::on_false);
  set(Opcode::BININT, &Unpickler::on_binint);
  set(Opcode::BININT1, &Unpickler::on_small_integer<1>);
  set(Opcode::BININT2, &Unpickler::on_small_integer<2>);
  set(Opcode::LONG1, &Unpickler::on_long<1>);
  set(Opcode::LONG4, &Unpickler::on_long<4>);
  set(Opcode::BINFLOAT, &Unpickler::on_float);
  set(Opcode::SHORT_BINUNICODE, &Unpickler::on_text);
  set(Opcode::BINUNICODE, &Unpickler::on_text);
  set(Opcode::BINUNICODE8, &Unpickler::on_text);
  set(Opcode::EMPTY_DICT, &Unpickler::on_empty_dict);
  set(Opcode::EMPTY_LIST, &Unpickler::on_empty_list);
  set(Opcode::EMPTY_TUPLE, &Unpickler::on_empty_tuple);
  set(Opcode::TUPLE, &Unpickler::on_tuple);
  set(Opcode::TUPLE1, &Unpickler::on_short_tuple<1>);
  set(Opcode::TUPLE2, &Unpickler::on_short_tuple<2>);
  set(Opcode::TUPLE3, &Unpickler::on_short_tuple<3>);
  set(Opcode::APPEND, &Unpickler::on_append);
  set(Opcode::APPENDS, &Unpickler::on_appends);
  set(Opcode::SETITEM, &Unpickler::on_setitem);
  set(Opcode::SETITEMS, &Unpickler::on_setitems);
  set(Opcode::MEMOIZE, &Unpickler::on_memoize);
  set(Opcode::BINPUT, &Unpickler::on_put<1>);
  set(Opcode::LONG_BINPUT, &Unpickler::on_put<4>);
  set(Opcode::BINGET, &Unpickler::on_get<1>);
  set(Opcode::LONG_BINGET, &Unpickler::on_get<4>);
  return table;
}

constexpr std::array<Unpickler::Handler, 256> Unpickler::kHandlers = make_handlers();

Unpickler::Unpickler(std::string_view bytes) : bytes_(bytes), result_(bytes) {}

Result<Pickle> Unpickler::run() {
  if (bytes_.size() < 2 || static_cast<std::uint8_t>(bytes_[0]) != static_cast<std::uint8_t>(Opcode::PROTO)) {
    return Error{"not a memory snapshot: it doesn't start as a pickle of protocol 2 to 5", kWriteAgain};
  }
  while (!stopped_) {
    if (at_ >= bytes_.size()) {
      return Error{"byte " + std::to_string(at_) + ": the file ends before the pickle does",
                   "It was cut off while it was written or copied; write or copy it again."};
    }
    opcode_at_ = at_;
    const auto code = static_cast<std::uint8_t>(bytes_[at_++]);
    const auto handler = kHandlers[code];
    if (!handler) {
      refuse("memory snapshots don't contain such objects; no code was run", kWriteAgain);
      return error_;
    }
    if (!(this->*handler)()) return error_;
  }
  return std::move(result_);
}

bool Unpickler::refuse(std::string why, std::string hint) {
  const auto name = opcode_name(static_cast<std::uint8_t>(bytes_[opcode_at_]));
  error_ = {"byte " + std::to_string(opcode_at_) + ": " + name + " refused: " + why, std::move(hint)};
  return false;
}

bool Unpickler::take(std::size_t count, std::string_view& taken) {
  if (count > bytes_.size() - at_) {
    return refuse("its " + std::to_string(count) + " bytes extend beyond the end of the file",
                  "The file was cut off while it was written or copied; write or copy it again.");
  }
  taken = bytes_.substr(at_, count);
  at_ += count;
  return true;
}

bool Unpickler::take_number(std::size_t count, std::uint64_t& number) {
  std::string_view taken;
  if (!take(count, taken)) return false;
  number = little_endian(taken);
  return true;
}

bool Unpickler::within_budget() {
  const auto memory = memory_of(result_.nodes_) + memory_of(result_.items_) + memory_of(result_.wide_) +
                      memory_of(stack_) + memory_of(memo_);
  if (memory <= kFreeMemory || (memory - kFreeMemory) / Pickle::kMemoryPerByte <= bytes_.size()) return true;
  return refuse("the file would need more memory than any memory snapshot of its size", kWriteAgain);
}

bool Unpickler::push(Value value) {
  stack_.push_back(value);
  return within_budget();
}

bool Unpickler::on_proto() {
  std::uint64_t protocol = 0;
  if (!take_number(1, protocol)) return false;
  return protocol <= kNewestProtocol || refuse("unknown protocol " + std::to_string(protocol), kWriteAgain);
}

/// Frames only matter to readers that read in pieces.
bool Unpickler::on_frame() {
  std::string_view length;
  return take(8, length);
}

bool Unpickler::on_mark() {
  marks_.push_back(stack_.size());
  return marks_.size() <= kMostMarks || refuse("containers are nested too deeply");
}

bool Unpickler::on_none() { return push({tag_of(Kind::none), 0}); }
bool Unpickler::on_true() { return push({tag_of(Kind::boolean), 1}); }
bool Unpickler::on_false() { return push({tag_of(Kind::boolean), 0}); }

template <std::size_t size>
bool Unpickler::on_small_integer() {
  std::uint64_t number = 0;
  return take_number(size, number) && push_integer(static_cast<std::int64_t>(number));
}

bool Unpickler::on_binint() {
  std::string_view taken;
  return take(4, taken) && push_integer(signed_little_endian(taken));
}

template <std::size_t size>
bool Unpickler::on_long() {
  std::uint64_t length = 0;
  std::string_view taken;
  if (!take_number(size, length) || !take(length, taken)) return false;
  if (taken.size() <= 8) return push_integer(signed_little_endian(taken));
  const bool negative = (static_cast<std::uint8_t>(taken.back()) & 0x80) != 0;
  return push_integer(negative ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max());
}

bool Unpickler::push_integer(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  const bool fits = number >= -(std::int64_t{1} << 59) && number < std::int64_t{1} << 59;
  if (fits) return push({tag_of(Kind::integer), bits});
  result_.wide_.push_back(bits);
  return push({Value::kWideInteger, result_.wide_.size() - 1});
}

/// The only number that is written with its most significant byte first.
bool Unpickler::on_float() {
  std::string_view taken;
  if (!take(8, taken)) return false;
  std::string bytes(taken);
  std::ranges::reverse(bytes);
  result_.wide_.push_back(little_endian(bytes));
  return push({tag_of(Kind::real), result_.wide_.size() - 1});
}

bool Unpickler::on_text() {
  const auto opcode = static_cast<Opcode>(static_cast<std::uint8_t>(bytes_[opcode_at_]));
  std::uint64_t length = 0;
  std::string_view text;
  if (!take_number(text_length_bytes(opcode), length) || !take(length, text)) return false;
  return push({tag_of(Kind::text), opcode_at_});
}

bool Unpickler::push_container(Kind kind) {
  if (result_.nodes_.size() >= Pickle::kNoNode) return refuse("more than 4,294,967,294 containers");
  result_.nodes_.push_back({});
  return push({tag_of(kind), result_.nodes_.size() - 1});
}

bool Unpickler::on_empty_dict() { return push_container(Kind::dict); }
bool Unpickler::on_empty_list() { return push_container(Kind::list); }
bool Unpickler::on_empty_tuple() { return push_container(Kind::tuple); }

template <std::size_t count>
bool Unpickler::on_short_tuple() {
  const auto floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + count) return refuse("too few values on the stack");
  return make_tuple(stack_.size() - count);
}

bool Unpickler::on_tuple() {
  std::size_t begin = 0;
  return take_mark(begin) && make_tuple(begin);
}

bool Unpickler::make_tuple(std::size_t begin) {
  if (!push_container(Kind::tuple)) return false;
  const auto tuple = stack_.back();
  stack_.pop_back();
  if (!add_items(static_cast<std::uint32_t>(tuple.payload()), begin)) return false;
  return push(tuple);
}

bool Unpickler::take_mark(std::size_t& begin) {
  if (marks_.empty()) return refuse("missing mark");
  begin = marks_.back();
  marks_.pop_back();
  return true;
}

bool Unpickler::fill(std::size_t begin, Kind kind) {
  const auto floor = marks_.empty() ? 0 : marks_.back();
  if (begin <= floor) return refuse("no container to add to");
  const auto container = stack_[begin - 1];
  if (container.tag() != tag_of(kind)) return refuse("it adds to a value of another kind");
  if (kind == Kind::dict && (stack_.size() - begin) % 2 != 0) return refuse("a key has no value");
  return add_items(static_cast<std::uint32_t>(container.payload()), begin);
}

bool Unpickler::on_append() {
  return stack_.empty() ? refuse("the stack is empty") : fill(stack_.size() - 1, Kind::list);
}
bool Unpickler::on_setitem() {
  return stack_.size() < 2 ? refuse("too few values on the stack") : fill(stack_.size() - 2, Kind::dict);
}
bool Unpickler::on_appends() {
  std::size_t begin = 0;
  return take_mark(begin) && fill(begin, Kind::list);
}
bool Unpickler::on_setitems() {
  std::size_t begin = 0;
  return take_mark(begin) && fill(begin, Kind::dict);
}

bool Unpickler::deepen(std::uint32_t container, std::size_t begin) {
  auto& depth = result_.nodes_[container].depth;
  for (std::size_t i = begin; i < stack_.size(); ++i) {
    if (!is_container(stack_[i])) continue;
    const auto inner = result_.nodes_[stack_[i].payload()].depth;
    depth = std::max<std::uint8_t>(depth, static_cast<std::uint8_t>(inner + 1));
  }
  return depth <= kMostDepth || refuse("containers are nested too deeply");
}

bool Unpickler::add_items(std::uint32_t container, std::size_t begin) {
  auto& nodes = result_.nodes_;
  auto& items = result_.items_;
  if (nodes[container].shared) return refuse("it adds to a container that is already used elsewhere");
  if (!deepen(container, begin)) return false;
  const auto count = stack_.size() - begin;
  auto last = nodes[container].last == Pickle::kNoNode ? container : nodes[container].last;
  const bool adjacent = nodes[last].first + nodes[last].count == items.size();
  if (nodes[last].count > 0 && (!adjacent || nodes[last].count + count >= Pickle::kNoNode)) {
    if (nodes.size() >= Pickle::kNoNode) return refuse("more than 4,294,967,294 containers");
    nodes[last].next = nodes[container].last = static_cast<std::uint32_t>(nodes.size());
    last = nodes[container].last;
    nodes.push_back({});
  }
  if (count >= Pickle::kNoNode) return refuse("a container has more than 4,294,967,294 elements");
  if (nodes[last].count == 0) nodes[last].first = items.size();
  nodes[last].count += static_cast<std::uint32_t>(count);
  items.insert(items.end(), stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end());
  stack_.resize(begin);
  return within_budget();
}

bool Unpickler::put(std::uint64_t index) {
  if (stack_.empty()) return refuse("the stack is empty");
  if (index > memo_.size()) return refuse("memo entry " + std::to_string(index) + " comes before the ones below it");
  if (index == memo_.size()) {
    memo_.push_back(stack_.back());
  } else {
    memo_[index] = stack_.back();
  }
  return within_budget();
}

bool Unpickler::on_memoize() { return put(memo_.size()); }

template <std::size_t size>
bool Unpickler::on_put() {
  std::uint64_t index = 0;
  return take_number(size, index) && put(index);
}

template <std::size_t size>
bool Unpickler::on_get() {
  std::uint64_t index = 0;
  if (!take_number(size, index)) return false;
  if (index >= memo_.size()) return refuse("missing memo entry " + std::to_string(index));
  const auto value = memo_[index];
  if (is_container(value)) result_.nodes_[value.payload()].shared = true;
  return push(value);
}

bool Unpickler::on_stop() {
  if (stack_.size() != 1 || !marks_.empty()) return refuse("the stack doesn't hold exactly one value");
  result_.root_ = stack_.front();
  stopped_ = true;
  return true;
}

}  // namespace dryfit::snapshot
