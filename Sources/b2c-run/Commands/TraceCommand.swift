import Automation
import Core
import Files
import Glibc
import HostLoop
import Lua
import LuaKit
import Permissions
import Terminal
import TraceView

extension Command {
  static let trace = Command(
    "trace", "show a trace of --trace FILE.json, or compare two traces",
    flags: [
      Flag("--html OUT", "write a page to the file OUT (.html) instead of a table") { invocation, path in
        guard path?.isPagePath == true else {
          throw UsageError("--html: expected a file that ends in .html or .htm, got '\(path ?? "")'")
        }
        invocation.traceOutput = path
      }
    ],
    positions: [
      .init("ACTION", "show or compare", choices: TraceAction.allCases.map(\.rawValue)),
      .init("FILE…", "a trace; - is standard input"),
    ],
    usage: TraceAction.allCases.map { "\($0.form) [--html OUT]" }, fileEnding: ".json"
  ) { invocation, console in
    let words = invocation.arguments
    let action = TraceAction(rawValue: words[0]) ?? .show
    let files = words.dropFirst()
    guard files.count == action.fileCount else {
      throw UsageError(
        "trace \(action.rawValue): expected \(action.fileCount == 1 ? "one file" : "two files"), got \(files.count)",
        hint: TraceAction.usage)
    }
    switch action {
    case .show: try invocation.show(words[1], console)
    case .compare: try invocation.compare(words[1], words[2], console)
    }
    return .done
  }
}

private enum TraceAction: String, CaseIterable {
  case show, compare

  var fileCount: Int { self == .show ? 1 : 2 }
  var form: String { "\(rawValue) " + Array(repeating: "FILE", count: fileCount).joined(separator: " ") }
  static var usage: String { allCases.map { "b2c-run trace \($0.form)" }.joined(separator: ", or ") }
}

extension Invocation {
  @HostActor
  fileprivate func show(_ path: String, _ console: Console) throws {
    let input = try TraceInput(path)
    let trace = try RecordedTrace(input)
    warn(trace, console)
    guard let output = traceOutput else {
      return StandardOutput.write(OutputText(TraceTable(trace).text(width: screen?.columns, paint: paint)).text)
    }
    try withPage("--html", output, of: [path], console) {
      try TracePage.write(events: input.file, to: $0, name: input.name)
    }
  }

  @HostActor
  fileprivate func compare(_ first: String, _ second: String, _ console: Console) throws {
    guard first != "-" || second != "-" else {
      throw UsageError("trace compare: only one of the two can be standard input")
    }
    let inputs = (try TraceInput(first), try TraceInput(second))
    let (one, other) = (try RecordedTrace(inputs.0), try RecordedTrace(inputs.1))
    warn(one, console)
    warn(other, console)
    let comparison = TraceComparison(one, other)
    guard let output = traceOutput else {
      return StandardOutput.write(OutputText(comparison.text(width: screen?.columns, paint: paint)).text)
    }
    try withPage("--html", output, of: [first, second], console) { page in
      try ComparisonPage.write(comparison, events: (inputs.0.file, inputs.1.file), to: page)
    }
  }

  @HostActor
  private func warn(_ trace: RecordedTrace, _ console: Console) {
    if let warning = trace.warning { console.log(.warn, warning) }
  }

  private var screen: TerminalScreen? { TerminalScreen(of: STDOUT_FILENO) }

  private func paint(_ text: String, _ style: String) -> String {
    screen?.usesColor == true ? ScreenText.painted(text, style) : text
  }

  /// Only the owner of a run may read its page.
  @HostActor
  func withPage(
    _ option: String, _ path: String, of traces: [String], _ console: Console, _ body: (CInt) throws -> Void
  ) throws {
    guard !traces.contains(where: { ResolvedPath.areOneFile($0, path) }) else {
      throw UsageError(
        "\(option): \(path) is the trace itself, which would be lost", hint: "name another file for the page")
    }
    let file: OpenFile
    do throws(FileFailure) {
      file = try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600))
      guard fchmod(file.descriptor, 0o600) == 0 || errno == EPERM else { throw FileFailure(number: errno) }
    } catch {
      throw UsageError("cannot write \(path): \(error.reason)", hint: "name a folder that can be written to")
    }
    try body(file.descriptor)
    console.log(.info, "wrote \(path)")
  }
}
