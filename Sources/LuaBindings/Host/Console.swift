import Glibc
package import HostLoop
import Secrets

/// Standard error: log lines, progress and messages. Known secrets never get out by it.
@HostActor
package final class Console {
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error

    package static func < (left: Level, right: Level) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
  }

  /// Log lines below this are left out.
  package var level: Level
  /// No progress lines, and log lines only from `warn` on.
  package let isQuiet: Bool
  /// Whether standard error is a terminal.
  package let isTerminal: Bool
  private let usesColor: Bool
  /// The progress line that is on the screen, to be drawn again below what is written.
  private var progress = ""

  private let descriptor: CInt

  /// - Parameter descriptor: where to write; standard error.
  package init(level: Level = .info, isQuiet: Bool = false, descriptor: CInt = 2) {
    self.descriptor = descriptor
    self.isQuiet = isQuiet
    self.level = isQuiet ? max(level, .warn) : level
    isTerminal = isatty(descriptor) == 1
    usesColor = isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
  }

  /// Columns of the terminal; 80 where that is not known.
  package var width: Int {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Writes a line.
  package func write(_ text: String) {
    let clean = Redaction.clean(text) + "\n"
    if progress.isEmpty { put(clean) } else { put("\r\u{1B}[K\(clean)\(progress)") }
  }

  /// Writes a log line: `warn  message  key=value`.
  package func log(_ level: Level, _ message: String, fields: [(name: String, value: String)] = []) {
    guard level >= self.level else { return }
    let fields = fields.map { "  \($0.name)=\(quotedIfNeeded($0.value))" }.joined()
    write("\(paint(level.rawValue.padded(to: 5), level.color)) \(message)\(paint(fields, "2"))")
  }

  /// Shows `line` as the progress line, in place of the last one; on a terminal only.
  package func show(progress line: String) {
    guard isTerminal, !isQuiet else { return }
    progress = Redaction.clean(line)
    put("\r\u{1B}[K\(progress)")
  }

  /// Ends the progress line, leaving `line` in its place if it is not empty.
  package func finish(progress line: String) {
    guard !isQuiet else { return }
    let had = !progress.isEmpty
    progress = ""
    if had { put("\r\u{1B}[K") }
    if !line.isEmpty { write(line) }
  }

  /// Writes a question, without an end of the line: the answer is typed behind it.
  package func ask(_ question: String) {
    if !progress.isEmpty { put("\r\u{1B}[K") }
    put(Redaction.clean(question))
  }

  /// `text` in an SGR color, where colors are wanted.
  package func paint(_ text: String, _ color: String) -> String {
    usesColor && !text.isEmpty ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }

  private func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR && errno != EAGAIN { return }
    }
  }

  private func quotedIfNeeded(_ value: String) -> String {
    value.contains { $0 == " " || $0 == "\"" || $0.isNewline } || value.isEmpty ? "\(value.debugDescription)" : value
  }
}

extension Console.Level {
  fileprivate var color: String {
    switch self {
    case .debug: "2"
    case .info: "36"
    case .warn: "33"
    case .error: "31"
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
