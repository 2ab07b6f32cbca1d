import Automation
import CEditShims
import Core
import Files
import Glibc
import HostLoop
import Lua

/// Reads lines edited on the terminal, with the history on the arrow keys. The loop keeps running meanwhile.
@HostActor
final class LineReader: DescriptorHandler {
  enum Event: Sendable {
    case line(String)
    /// Ctrl-C: the typed text is discarded.
    case cleared
    /// Ctrl-D on an empty line, or the terminal was closed.
    case end
  }

  private let line: OpaquePointer
  private let completer: Completer
  private var wait: CancellableWait<Event>?

  @HostActor
  final class Completer {
    let complete: @HostActor (_ text: String) -> Completion
    init(_ complete: @escaping @HostActor (_ text: String) -> Completion) { self.complete = complete }
  }

  /// - Throws: `no_line_editing` if libedit is not installed.
  init(history: [String], _ complete: @escaping @HostActor (_ text: String) -> Completion) throws(LuaError) {
    if let failure = cedit_load() { throw Self.noEditing(String(cString: failure)) }
    completer = Completer(complete)
    // The completer lives as long as this object, which closes the line editor first.
    let context = Unmanaged.passUnretained(completer).toOpaque()
    let remembered = Int32(History.limit)
    guard let line = cedit_open(remembered, Self.onTab, context) else { throw Self.noEditing("no memory") }
    self.line = line
    for entry in history { cedit_remember(line, entry) }
  }

  private static func noEditing(_ reason: String) -> LuaError {
    LuaError(
      code: "no_line_editing",
      message: "the session on a terminal needs libedit, which could not be loaded: \(reason)",
      hint: "install the package libedit2, or run a script: b2c-run SCRIPT, b2c-run -e CHUNK")
  }

  isolated deinit { cedit_close(line) }

  /// Shows the prompt and waits for a line. The terminal's mode is restored when this function returns.
  func read(prompt: String) async throws -> Event {
    let wait = CancellableWait<Event>()
    self.wait = wait
    // libedit keeps the pointer.
    guard let text = strdup(prompt) else { return .end }
    defer { free(text) }
    cedit_begin(line, text)
    HostLoop.shared.watch(STDIN_FILENO, for: .read, by: self)
    defer {
      HostLoop.shared.unwatch(STDIN_FILENO)
      cedit_finish(line)
      self.wait = nil
    }
    return try await wait.value()
  }

  func remember(_ entry: String) { cedit_remember(line, entry) }

  /// Handles Ctrl-C while a line is read. Returns false if no line is read.
  func clear() -> Bool { wait?.finish(.success(.cleared)) ?? false }

  func ready(_ descriptor: Int32, for readiness: Readiness) {
    switch readiness.contains(.failure) ? Int(CEDIT_END) : Int(cedit_read(line)) {
    case Int(CEDIT_LINE):
      let text = Self.text(of: line).whole
      // No input is read until the next wait.
      HostLoop.shared.unwatch(STDIN_FILENO)
      wait?.finish(.success(.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)))
    case Int(CEDIT_END):
      HostLoop.shared.unwatch(STDIN_FILENO)
      wait?.finish(.success(.end))
    default: break
    }
  }

  private static func text(of line: OpaquePointer) -> (whole: String, beforeCursor: String) {
    var (length, cursor) = (0, 0)
    let bytes = UnsafeRawBufferPointer(start: cedit_text(line, &length, &cursor), count: length)
    return (String(decoding: bytes, as: UTF8.self), String(decoding: bytes.prefix(cursor), as: UTF8.self))
  }

  // Pointers are passed as numbers, because the compiler does not know that the thread stays the same.
  private nonisolated static let onTab: @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Bool = {
    line, context in
    let (line, context) = (Int(bitPattern: line), Int(bitPattern: context))
    // libedit calls this from `ready`, on the loop's thread.
    return HostActor.assumeIsolated { complete(line, context) }
  }

  private static func complete(_ line: Int, _ context: Int) -> Bool {
    guard let line = OpaquePointer(bitPattern: line), let context = UnsafeRawPointer(bitPattern: context) else {
      return false
    }
    let completer = Unmanaged<Completer>.fromOpaque(context).takeUnretainedValue()
    let completion = completer.complete(text(of: line).beforeCursor)
    if !completion.insertion.isEmpty { cedit_insert(line, completion.insertion) }
    guard !completion.choices.isEmpty else { return false }
    let columns = completion.columns(width: Console(descriptor: 1).width)
    try? OpenFile.write(Array("\n\(ScreenText.shown(columns))".utf8), to: STDOUT_FILENO)
    return true
  }
}
