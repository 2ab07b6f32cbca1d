package import Automation
package import CommandLine
import Core
import Files
import Glibc
import HostLoop
import Permissions
import Terminal
import TraceView

/// `b2c-run trace`
package struct TraceCommand: Command {
  package static let form = CommandForm(
    "trace", "show a trace of --trace FILE.json, or compare two traces",
    positions: [
      .init("ACTION", "show or compare", choices: TraceAction.allCases.map(\.rawValue)),
      .init("FILE…", "a trace; - is standard input"),
    ],
    usage: TraceAction.allCases.map { "\($0.form) [--html OUT]" }, fileEnding: ".json")

  package static let flags: [Flag<Self>] = [
    Flag("--html OUT", "write a page to the file OUT (.html) instead of a table") { command, path in
      guard path?.isPagePath == true else {
        throw UsageError("--html: expected a file that ends in .html or .htm, got '\(path ?? "")'")
      }
      command.output = path
    }
  ]

  private var output: String?

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    let action = TraceAction(rawValue: words[0]) ?? .show
    let files = words.dropFirst()
    guard files.count == action.fileCount else {
      throw UsageError(
        "trace \(action.rawValue): expected \(action.fileCount == 1 ? "one file" : "two files"), got \(files.count)",
        hint: TraceAction.usage)
    }
    switch action {
    case .show: try show(words[1], console)
    case .compare: try compare(words[1], words[2], console)
    }
    return .done
  }

  @HostActor
  private func show(_ path: String, _ console: Console) throws {
    let input = try TraceInput(path)
    let trace = try RecordedTrace(input)
    warn(trace, console)
    guard let output = output else {
      return StandardOutput.write(OutputText(TraceTable(trace).text(width: screen?.columns, paint: paint)).text)
    }
    try PageFile.write("--html", output, of: [path], console) {
      try TracePage.write(events: input.file, to: $0, name: input.name)
    }
  }

  @HostActor
  private func compare(_ first: String, _ second: String, _ console: Console) throws {
    guard first != "-" || second != "-" else {
      throw UsageError("trace compare: only one of the two can be standard input")
    }
    let inputs = (try TraceInput(first), try TraceInput(second))
    let (one, other) = (try RecordedTrace(inputs.0), try RecordedTrace(inputs.1))
    warn(one, console)
    warn(other, console)
    let comparison = TraceComparison(one, other)
    guard let output = output else {
      return StandardOutput.write(OutputText(comparison.text(width: screen?.columns, paint: paint)).text)
    }
    try PageFile.write("--html", output, of: [first, second], console) { page in
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
}

private enum TraceAction: String, CaseIterable {
  case show, compare

  var fileCount: Int { self == .show ? 1 : 2 }
  var form: String { "\(rawValue) " + Array(repeating: "FILE", count: fileCount).joined(separator: " ") }
  static var usage: String { allCases.map { "b2c-run trace \($0.form)" }.joined(separator: ", or ") }
}
