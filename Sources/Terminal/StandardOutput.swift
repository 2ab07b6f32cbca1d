import CLinuxShims
import Core
import Glibc
import HostLoop

/// Standard output, through the same buffer as Lua's own `print` and `io.write`, so that the order is kept.
package enum StandardOutput {
  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Puts a text for people into the buffer, without the control sequences of others (`ScreenText`).
  package static func write(_ text: String) { put(ScreenText.shown(text)) }

  /// The same for a text for programs, such as JSON, of which only a terminal gets no control sequences.
  package static func write(data text: String) { put(isTerminal ? ScreenText.shown(text) : text) }

  /// The same for JSON. On a terminal, characters that it must not get are escaped, so that the JSON stays the same (RFC 8259, 7).
  package static func write(json text: String) { put(isTerminal ? escaped(text) : text) }

  private static func escaped(_ json: String) -> String {
    json.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.utf8.allSatisfy({ $0 < 0x7F }) { return String(line) }
      return line.unicodeScalars.map { scalar in
        String(scalar).displayable.unicodeScalars.first == scalar
          ? String(scalar) : String(scalar).utf16.map { "\\u" + hexadecimal($0) }.joined()
      }.joined()
    }.joined(separator: "\n")
  }

  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func put(_ text: String) {
    var text = text
    text.withUTF8 { coutput_write($0.baseAddress, $0.count) }
  }

  /// Writes what is in the buffer. Returns 0 when all there was has been written, else an `errno` value.
  @discardableResult
  package static func flush() -> Int32 { coutput_flush() }

  /// From now on, each line is written when it ends. Called before anything is written.
  package static func flushLines() { coutput_flush_lines() }

  /// True if what has been written to the screen so far ends with a whole line.
  package static var isAtLineStart: Bool { coutput_is_at_line_start() }

  /// Returns what is written meanwhile, also by Lua states of `body`; bytes beyond `limit` are dropped.
  @HostActor package static func captured<T>(
    limit: Int, _ body: @HostActor () async throws -> T
  ) async rethrows -> (value: T, text: String) {
    var isOpen = coutput_capture(limit)
    defer { if isOpen { _ = endCapture() } }
    let value = try await body()
    guard isOpen else { return (value, "") }
    isOpen = false
    return (value, endCapture())
  }

  private static func endCapture() -> String {
    var count = 0
    guard let bytes = coutput_captured(&count) else { return "" }
    defer { free(bytes) }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Writes what is in the buffer, unless another thread is using it. For whoever ends the process while others run.
  package static func flushIfFree() { coutput_try_flush() }

  /// From now on, a write to a closed pipe or connection is an error to handle, not the end of the process; and when
  /// nobody reads standard output any more, the process gets `signal`.
  package static func whenClosed(send signal: Int32) { coutput_signal_closed(signal) }

  /// Keeps what is written to a terminal until `release`.
  package static func hold() {
    flush()
    coutput_hold_screen(true)
  }

  /// Writes what was kept.
  package static func release() {
    flush()
    coutput_hold_screen(false)
  }

  /// Opens standard input, output and error for C and Lua. A neighbor that makes their pipes non-blocking does not disturb
  /// them. Calls `body` before each write to a terminal, on the writing thread. Called before there is a `LuaState`.
  package static func open(beforeWritingToScreen body: @convention(c) () -> Void) {
    coutput_open_standard_streams(body)
  }
}
