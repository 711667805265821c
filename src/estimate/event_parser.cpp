// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/event_parser.h"

#include <simdjson.h>

#include <charconv>
#include <limits>

namespace dryfit::estimate {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(simdjson::SIMDJSON_PADDING <= 64);

constexpr std::int64_t kLargestTime = std::numeric_limits<std::int64_t>::max() / 4;

/// Microseconds with up to three decimals, as nanoseconds: "4057534837055.451". As a number with a point it would lose
/// nanoseconds.
std::optional<Time> parse_microseconds(std::string_view text) {
  while (!text.empty() && (text.front() == '"' || text.front() == ' ')) text.remove_prefix(1);
  std::int64_t whole = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc{} || whole > kLargestTime / 1000 || whole < -kLargestTime / 1000) return std::nullopt;
  Time time = whole * 1000;
  if (rest == text.data() + text.size() || *rest != '.') return time;
  Time unit = 100;
  for (const char* digit = rest + 1; digit != text.data() + text.size() && unit > 0; ++digit, unit /= 10) {
    if (*digit < '0' || *digit > '9') break;
    time += (*digit - '0') * unit;
  }
  return time;
}

/// The fields of one event, of any kind.
struct Fields {
  std::string_view phase, category, name, inputs;
  std::optional<Time> start, duration;
  std::int64_t thread = 0;
  std::int64_t sequence = Span::kNoSequence;
  std::optional<std::int64_t> bytes;
  std::uint64_t address = 0;
  std::int64_t device_type = 0;
};

/// The members of a cpu_op's "args" that describe its inputs, in a normal form: equal inputs give equal text.
class InputsText {
 public:
  void clear() { text_.clear(); }
  void add(std::string_view key, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    text_.append("\"").append(key).append("\":").append(json);
  }
  std::string_view text() {
    if (!text_.empty()) text_ += '}';
    return text_;
  }

 private:
  std::string text_;
};

/// The raw text: no key that matters contains an escape sequence.
template <class Field>
bool raw_key(Field& field, std::string_view& key) {
  ondemand::raw_json_string raw;
  if (field.key().get(raw)) return false;
  const char* begin = raw.raw();
  const char* end = begin;
  while (*end != '"' && *end != '\0') ++end;
  key = {begin, static_cast<std::size_t>(end - begin)};
  return true;
}

bool tells_inputs(std::string_view key) {
  return key == "Input Dims" || key == "Input type" || key == "Input Strides" || key == "Concrete Inputs";
}

/// Python frames are most of a trace with stacks, but only modules matter. Recognises the others without parsing.
bool is_idle_frame(std::string_view json) {
  const auto head = json.substr(0, 160);
  return head.find("python_function") != std::string_view::npos && head.find("nn.Module: ") == std::string_view::npos;
}

constexpr std::string_view kMemoryEvent = "[memory]";

/// c10::DeviceType
constexpr std::int64_t kHost = 0;
constexpr std::int64_t kCuda = 1;

/// More than any host or GPU has: 16 TiB.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 44;

bool is_plausible(std::int64_t bytes) { return bytes >= -kMostBytes && bytes <= kMostBytes; }

}  // namespace

class EventParser::Impl {
 public:
  explicit Impl(Profile& profile) : profile_(profile) {}

  void add(std::string_view json) {
    if (is_idle_frame(json)) return;
    Fields fields;
    inputs_.clear();
    if (!read(json, fields)) {
      profile_.diagnostics.add("estimate.damaged_events");
      if (json.find(kMemoryEvent) != std::string_view::npos) note_damage("a [memory] event that can't be read");
      return;
    }
    if (fields.phase == "X") return add_span(fields);
    if (fields.phase == "i" && fields.name == kMemoryEvent) return add_memory(fields);
  }

 private:
  bool read(std::string_view json, Fields& fields) {
    ondemand::document document;
    if (parser_.iterate(json.data(), json.size(), json.size() + simdjson::SIMDJSON_PADDING).get(document)) return false;
    ondemand::object object;
    if (document.get_object().get(object)) return false;
    for (auto field : object) {
      std::string_view key;
      if (!raw_key(field, key)) return false;
      ondemand::value value;
      if (field.value().get(value)) return false;
      if (!take(key, value, fields)) return false;
    }
    return true;
  }

  bool take(std::string_view key, ondemand::value value, Fields& fields) {
    if (key == "ph") return !value.get_string().get(fields.phase);
    if (key == "cat") return !value.get_string().get(fields.category);
    if (key == "name") return !value.get_string().get(fields.name);
    if (key == "ts") return (fields.start = parse_microseconds(value.raw_json_token())).has_value();
    if (key == "dur") return (fields.duration = parse_microseconds(value.raw_json_token())).has_value();
    if (key == "tid") {
      // Kineto writes strings for some threads of its own; they have no operators.
      std::int64_t thread = 0;
      if (!value.get_int64().get(thread)) fields.thread = thread;
      return true;
    }
    if (key == "args") return take_arguments(value, fields);
    return true;
  }

  bool take_arguments(ondemand::value value, Fields& fields) {
    ondemand::object arguments;
    if (value.get_object().get(arguments)) return true;
    for (auto field : arguments) {
      std::string_view key;
      if (!raw_key(field, key)) return false;
      ondemand::value argument;
      if (field.value().get(argument)) return false;
      if (tells_inputs(key)) {
        ondemand::array list;
        std::string_view json;
        if (argument.get_array().get(list) || list.raw_json().get(json)) return false;
        inputs_.add(key, json);
      } else if (key == "Bytes") {
        std::int64_t bytes = 0;
        if (argument.get_int64().get(bytes)) return false;
        fields.bytes = bytes;
      } else if (key == "Addr") {
        if (argument.get_uint64().get(fields.address)) return false;
      } else if (key == "Device Type") {
        if (argument.get_int64().get(fields.device_type)) return false;
      } else if (key == "Sequence number") {
        if (argument.get_int64().get(fields.sequence)) return false;
      }
    }
    return true;
  }

  void add_span(const Fields& fields) {
    auto kind = Span::Kind::op;
    if (fields.category == "user_annotation" || fields.name.starts_with("dryfit::")) {
      kind = Span::Kind::annotation;
    } else if (fields.category == "python_function") {
      if (!fields.name.starts_with("nn.Module: ")) return;
      kind = Span::Kind::module;
    } else if (fields.category != "cpu_op" && fields.category != "Operator") {
      return;
    }
    if (!fields.start || !fields.duration || *fields.duration < 0)
      return profile_.diagnostics.add("estimate.damaged_events");
    const auto inputs = inputs_.text();
    profile_.has_shapes = profile_.has_shapes || !inputs.empty();
    profile_.spans.push_back({.start = *fields.start,
                              .end = *fields.start + *fields.duration,
                              .name = profile_.names.id_of(fields.name),
                              .inputs = profile_.inputs.id_of(inputs),
                              .thread = thread_of(fields.thread),
                              .sequence = static_cast<std::int32_t>(fields.sequence),
                              .kind = kind});
  }

  /// What one of these events would have said is not in the answer, so there is none.
  void add_memory(const Fields& fields) {
    if (!fields.start || !fields.bytes || fields.address == 0 || !is_plausible(*fields.bytes)) {
      profile_.diagnostics.add("estimate.damaged_events");
      return note_damage("a [memory] event without a time, an address or a plausible size");
    }
    if (*fields.bytes == 0) return;
    if (fields.device_type != kHost && fields.device_type != kCuda) {
      profile_.diagnostics.add("estimate.foreign_device");
      return note_damage("memory of a device that is neither the host nor a CUDA GPU (Device Type " +
                         std::to_string(fields.device_type) + ")");
    }
    profile_.memory.push_back({.time = *fields.start,
                               .address = fields.address,
                               .bytes = *fields.bytes,
                               .thread = thread_of(fields.thread),
                               .on_gpu = fields.device_type == kCuda});
  }

  /// The first is shown.
  void note_damage(const std::string& what) {
    if (profile_.damage.empty()) profile_.damage = what;
  }

  std::uint32_t thread_of(std::int64_t id) {
    return threads_.try_emplace(id, static_cast<std::uint32_t>(threads_.size())).first->second;
  }

  Profile& profile_;
  ondemand::parser parser_;
  InputsText inputs_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
};

EventParser::EventParser(Profile& profile) : impl_(std::make_unique<Impl>(profile)) {}
EventParser::~EventParser() = default;
void EventParser::add(std::string_view json) { impl_->add(json); }

}  // namespace dryfit::estimate
