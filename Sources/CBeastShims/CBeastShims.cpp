#include "CBeastShims.h"

#if !__has_include(<boost/beast/http/basic_parser.hpp>)
#error "the headers of Boost.Beast are missing; install the package libboost-dev"
#endif
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// The shim is built without exceptions, and Beast reports errors by codes.
namespace boost {
void throw_exception(std::exception const &) { std::abort(); }
void throw_exception(std::exception const &, boost::source_location const &) { std::abort(); }
}  // namespace boost

namespace {

/// A longer head, or the head of a chunk, is none.
constexpr size_t most_head = 80 << 10;
/// The length of the shortest last chunk: 0 CR LF CR LF. Beast ends the program if it sees less of one for the second time.
constexpr size_t least_chunk = 5;

class Parser final : public http::basic_parser<false> {
 public:
  int status = 0;

  Parser(std::string &body, size_t most) : body(body) {
    header_limit(most_head);
    body_limit(most);
  }

 private:
  std::string &body;

  size_t append(string_view bytes) {
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_request_impl(http::verb, string_view, string_view, int, error_code &) override {}
  void on_response_impl(int code, string_view, int, error_code &) override { status = code; }
  void on_field_impl(http::field, string_view, string_view, error_code &) override {}
  void on_header_impl(error_code &) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const &, error_code &) override {}
  size_t on_body_impl(string_view bytes, error_code &) override { return append(bytes); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code &) override {}
  size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code &) override { return append(bytes); }
  void on_finish_impl(error_code &) override {}
};

}  // namespace

struct canswer {
  std::optional<Parser> parser;
  /// The status line and the field lines.
  std::string head;
  std::string body;
  /// The beginning of a line that Beast wants to have whole.
  std::string rest;
  size_t maximum_body = 0;
  bool has_begun = false;
  bool keeps_alive = false;

  void begin() {
    parser.emplace(body, maximum_body);
    head.clear();
    body.clear();
  }

  bool mend(const char *bytes, size_t count, std::string &mended) const;
  canswer_progress take(const char *bytes, size_t count);
  canswer_progress take_end();
};

/// Writes the lines of a head as the standard has them (RFC 9112, 2.2 and 4), and Beast wants them: with CR before LF, and
/// with a space behind the status. Some servers leave them out. False if there is nothing to mend.
bool canswer::mend(const char *bytes, size_t count, std::string &mended) const {
  std::string text;
  size_t copied = 0;
  const auto insert = [&](size_t place, char character) {
    text.append(bytes + copied, place - copied);
    text += character;
    copied = place;
  };
  // The status line is the first line.
  const bool ends_after_status = count > 12 && (bytes[12] == '\r' || bytes[12] == '\n') && !std::memchr(bytes, '\n', 12);
  if (head.empty() && ends_after_status) insert(12, ' ');
  for (size_t start = 0; start < count;) {
    const void *found = std::memchr(bytes + start, '\n', count - start);
    if (!found) break;
    const size_t end = static_cast<const char *>(found) - bytes;
    const bool has_return = end > 0 ? bytes[end - 1] == '\r' : !head.empty() && head.back() == '\r';
    if (!has_return) insert(end, '\r');
    // The body comes behind an empty line.
    if (end - start == (has_return ? 1 : 0)) break;
    start = end + 1;
  }
  if (text.empty()) return false;
  text.append(bytes + copied, count - copied);
  mended.swap(text);
  return true;
}

canswer_progress canswer::take(const char *bytes, size_t count) {
  has_begun = true;
  std::string joined;
  if (!rest.empty()) {
    joined.swap(rest);
    joined.append(bytes, count);
    bytes = joined.data();
    count = joined.size();
  }
  while (count > 0) {
    error_code error;
    const bool is_head = !parser->is_header_done();
    if (is_head && mend(bytes, count, joined)) {
      bytes = joined.data();
      count = joined.size();
    }
    // So many bytes follow in any case, because the last chunk is yet to come.
    if (!is_head && parser->chunked() && count < least_chunk) {
      rest.assign(bytes, count);
      return CANSWER_INCOMPLETE;
    }
    const size_t used = parser->put(boost::asio::const_buffer(bytes, count), error);
    if (is_head) head.append(bytes, used);
    bytes += used;
    count -= used;
    if (error == http::error::need_more) {
      if (count > most_head) return CANSWER_INVALID;
      rest.assign(bytes, count);
      return CANSWER_INCOMPLETE;
    }
    if (error == http::error::body_limit) return CANSWER_TOO_LARGE;
    if (error) return CANSWER_INVALID;
    if (!parser->is_done()) continue;
    // Informational answers (RFC 9110, 15.2) go before the final one.
    if (parser->status >= 100 && parser->status < 200 && parser->status != 101) {
      begin();
      continue;
    }
    // Bytes after the response belong to no request: such a connection is not reused.
    keeps_alive = count == 0 && parser->keep_alive();
    return CANSWER_COMPLETE;
  }
  return CANSWER_INCOMPLETE;
}

canswer_progress canswer::take_end() {
  error_code error;
  if (!parser->got_some()) return CANSWER_INVALID;
  parser->put_eof(error);
  return error || !parser->is_done() ? CANSWER_INVALID : CANSWER_COMPLETE;
}

canswer *canswer_make(void) { return new canswer; }
void canswer_free(canswer *answer) { delete answer; }

void canswer_begin(canswer *answer, size_t maximum_body) {
  answer->maximum_body = maximum_body;
  answer->has_begun = false;
  answer->keeps_alive = false;
  answer->rest.clear();
  answer->begin();
}

canswer_progress canswer_take(canswer *answer, const void *bytes, size_t count) {
  return count > 0 ? answer->take(static_cast<const char *>(bytes), count) : answer->take_end();
}

bool canswer_has_begun(const canswer *answer) { return answer->has_begun; }
bool canswer_keeps_alive(const canswer *answer) { return answer->keeps_alive; }
int canswer_status(const canswer *answer) { return answer->parser->status; }

static canswer_bytes bytes_of(const std::string &text, size_t start) {
  return {reinterpret_cast<const uint8_t *>(text.data()) + start, text.size() - start};
}

canswer_bytes canswer_fields(const canswer *answer) {
  const size_t end = answer->head.find('\n');
  return bytes_of(answer->head, end == std::string::npos ? answer->head.size() : end + 1);
}

canswer_bytes canswer_body(const canswer *answer) { return bytes_of(answer->body, 0); }
