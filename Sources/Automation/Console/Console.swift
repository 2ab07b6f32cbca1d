package import Core
import Files
import Glibc
package import HostLoop
import JSON
import Synchronization
import Terminal

/// Standard error: log lines, progress and messages. Known secrets are replaced.
@HostActor
package final class Console {
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case debug, info, warn, error

    package static func < (left: Level, right: Level) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }

    fileprivate var color: String {
      switch self {
      case .debug: "2"
      case .info: "36"
      case .warn: "33"
      case .error: "31"
      }
    }
  }

  /// The form of log lines.
  package enum Format: String, CaseIterable, Sendable { case text, json }

  /// The column of the message in a log line.
  private static let margin = 6
  /// The lowest level of log lines that are written.
  package var level: Level
  /// True if progress lines and log lines below `warn` are left out.
  package let isQuiet: Bool
  private let format: Format
  /// Get every log line, also one below the level.
  package var events: Events?
  /// True if standard error is a terminal.
  package let isTerminal: Bool
  private let usesColor: Bool
  /// True if the terminal has no control sequences.
  let isDumb: Bool
  /// The progress line, which is drawn again below new lines.
  private var progress = ""
  /// True if the screen shows a question. The progress line must not overwrite the question.
  private var isAsking = false
  /// The lines written while a script has the screen; nil without one.
  private var held: [String]?

  /// Log lines of other threads that have not been written yet.
  private let posted = Locked<[(level: Level, message: String)]>([])

  private let descriptor: CInt
  /// Gets the lines in place of the descriptor.
  private let sink: (@HostActor (String) -> Void)?
  /// True if a script gets the lines. Then only the secrets that the script may read are replaced.
  private let isForScript: Bool

  /// `descriptor` is standard error if not given. `sink` gets the lines of a console without a terminal. `isForScript`
  /// is true if a script gets the lines.
  package init(
    level: Level = .info, isQuiet: Bool = false, format: Format = .text, descriptor: CInt = 2,
    isForScript: Bool = false,
    _ sink: (@HostActor (String) -> Void)? = nil
  ) {
    self.descriptor = sink == nil ? descriptor : -1
    self.isForScript = isForScript
    self.sink = sink
    self.isQuiet = isQuiet
    self.format = format
    self.level = isQuiet ? max(level, .warn) : level
    isTerminal = isatty(self.descriptor) == 1
    isDumb = sink != nil || TerminalScreen.isDumb
    usesColor = isTerminal && TerminalScreen.isColorWanted
  }

  /// Columns of the terminal; 80 if that is not known.
  package var width: Int {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Writes a line.
  package func write(_ text: String) {
    writePosted()
    write(clean: clean(format == .json ? json(.info, text, []) : text))
  }

  /// Writes a line in which `decision` is shown as it is.
  package func write(_ beginning: String, _ decision: DecisionText) {
    writePosted()
    write(clean: clean(beginning) + decision.text.displayableLines)
  }

  private func clean(_ text: String) -> String { isForScript ? Redaction.forScripts(text) : OutputText(text).text }

  private func write(clean text: String) {
    let line = (format == .text || isTerminal ? ScreenText.shown(text) : text) + "\n"
    if held != nil, isTerminal {
      held?.append(line)
    } else if progress.isEmpty || isAsking {
      put(line)
    } else {
      draw(above: line)
    }
  }

  /// Writes a log line: `warn  message  key=value`; for a file, a pipe or a journal, with the time in front.
  /// - Parameter time: when it happened; now if not given.
  package func log(
    _ level: Level, _ message: String, fields: [(name: String, value: String)] = [], at time: UnixTime? = nil
  ) {
    events?.emit(RunEvent.log(level: level.rawValue, message, fields: fields))
    guard level >= self.level else { return }
    if format == .json { return write(clean: clean(json(level, message, fields, at: time))) }
    let fields = fields.map { "  \($0.name.displayable)=\(quotedIfNeeded($0.value).displayable)" }.joined()
    write("\(line(level, message, at: time))\(paint(fields, "2"))")
  }

  /// Writes a log line for another thread, which does not wait for it: soon, and before all that is written or asked here
  /// from now on. The line is for people who read it now, so `events` do not get it.
  package nonisolated func post(_ level: Level, _ message: String) {
    // The secrets are replaced now: a one-time code is a secret from the moment it is typed.
    let clean = OutputText(message).text
    posted.withLock { $0.append((level, clean)) }
    HostActor.task { self.writePosted() }
  }

  private func writePosted() {
    let lines = posted.withLock { posted in
      defer { posted = [] }
      return posted
    }
    for (level, message) in lines where level >= self.level {
      write(clean: format == .json ? json(level, message, []) : line(level, message))
    }
  }

  /// A log line for programs: `time`, `level`, `message`, and the fields as `fields`.
  private func json(
    _ level: Level, _ message: String, _ fields: [(name: String, value: String)], at time: UnixTime? = nil
  ) -> String {
    var members: [String: JSON] = [
      "time": .string((time ?? .now).iso(fractionDigits: 3)), "level": .string(level.rawValue),
      "message": .string(message),
    ]
    if !fields.isEmpty {
      members["fields"] = .object(Dictionary(fields.map { ($0.name, .string($0.value)) }) { $1 })
    }
    return JSON.object(members).encoded()
  }

  private func line(_ level: Level, _ message: String, at time: UnixTime? = nil) -> String {
    // Further lines are indented, so that none looks like a message of its own.
    let lines = message.displayableLines.replacing("\n", with: "\n" + String(repeating: " ", count: Self.margin))
    let time = isTerminal || sink != nil ? "" : "\((time ?? .now).iso(fractionDigits: 3)) "
    let name = level.rawValue.fitted(to: Self.margin - 1)
    return "\(time)\(paint(name, level.color)) \(lines)"
  }

  /// Shows `line` as the progress line, in place of the last one; on a terminal only.
  package func show(progress line: String) {
    guard canShowProgress else { return }
    progress = ScreenText.shown(OutputText(line).text)
    if !isAsking { draw(above: "") }
  }

  /// True if there is a screen for a progress line.
  package var canShowProgress: Bool { isTerminal && !isQuiet && !isDumb }

  /// Ends the progress line, leaving `line` in its place if it is not empty.
  package func finish(progress line: String) {
    guard !isQuiet else { return }
    progress = ""
    if !isAsking { Self.clearProgress() }
    if !line.isEmpty { write(line) }
  }

  /// Draws the progress line over the last one, below `text`. The cursor goes back to its beginning: if the terminal becomes
  /// narrower and breaks the line, the part to erase still begins there. The terminal does not break the line while it is
  /// drawn (DECAWM): some, like tmux, report a new width late.
  private func draw(above text: String) {
    guard held == nil else { return }
    _ = Self.atExit
    let line = progress.displayWidth < width ? "\u{1B}[?7l\(progress)\u{1B}[?7h" : ""
    Self.shownOn.store(descriptor, ordering: .relaxed)
    put(text.isEmpty ? "\r\(line)\u{1B}[J\r" : "\r\u{1B}[J\(text)\(line)\r")
  }

  /// The descriptor that shows the progress line; -1 for none.
  private nonisolated static let shownOn = Atomic<CInt>(-1)
  /// For scripts that end the process with `os.exit`.
  private nonisolated static let atExit: Void = { atexit { Console.clearProgress() } }()

  /// Erases the progress line. Also for code that ends the process without running deferred statements.
  package nonisolated static func clearProgress() {
    let descriptor = shownOn.exchange(-1, ordering: .relaxed)
    if descriptor >= 0 { try? OpenFile.write(Array("\r\u{1B}[J".utf8), to: descriptor) }
  }

  /// Writes a question as it is, without a line end: the answer is typed behind it. No progress shows until `asked()`.
  /// - Parameter terminal: the descriptor of a terminal, for a console without one.
  package func ask(_ question: DecisionText, on terminal: CInt) {
    writePosted()
    isAsking = true
    Self.clearProgress()
    put(question.text, to: isTerminal ? nil : terminal)
  }

  /// The question has been answered, or given up.
  package func asked() { isAsking = false }

  /// `text` in an SGR color, if colors are wanted.
  package func paint(_ text: String, _ color: String) -> String {
    usesColor ? ScreenText.painted(text, color) : text
  }

  /// Holds lines back until `release`, while the terminal shows a screen of the script.
  package func hold() {
    Self.clearProgress()
    held = held ?? []
  }

  /// Writes the lines that were held back.
  package func release() {
    let lines = held ?? []
    held = nil
    for line in lines { put(line) }
  }

  private func put(_ text: String, to terminal: CInt? = nil) {
    if let sink { return sink(text) }
    // The end of the process tells that a line got lost.
    try? OpenFile.write(Array(text.utf8), to: terminal ?? descriptor)
  }

  private func quotedIfNeeded(_ value: String) -> String {
    value.contains { $0 == " " || $0 == "\"" || $0.isNewline } || value.isEmpty ? "\(value.debugDescription)" : value
  }
}
