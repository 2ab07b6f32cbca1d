import Core
import HostLoop
import LocalTenant
import Lua
import LuaJobs

@HostActor
struct FailureText {
  /// The maximum number of requests shown; the last ones are shown.
  private static let shownRequests = 20
  /// The maximum number of output lines shown; the last ones are shown.
  private static let shownLines = 40
  /// The maximum number of scripts of `test.run` shown; the last ones are shown.
  private static let shownScripts = 3

  /// The codes that say nothing beside the message.
  private static let plainCodes: Set = ["script_error", "expectation_failed", "syntax_error"]

  private let outcome: TestOutcome
  private let paint: @HostActor (_ text: String, _ color: String) -> String

  init(
    _ outcome: TestOutcome,
    paint: @escaping @HostActor (_ text: String, _ color: String) -> String = { text, _ in text }
  ) {
    self.outcome = outcome
    self.paint = paint
  }

  /// Several lines that begin with the name of the test.
  var text: String {
    var lines = [paint("✗ \(outcome.name.displayable)", "1;31")]
    if let place = outcome.place {
      lines.append("  \(place.displayable)" + (outcome.sourceLine.map { ":  \(paint($0.displayable, "36"))" } ?? ""))
    }
    if let caller = outcome.caller { lines.append("  \(caller.displayable):  called it") }
    lines += details
    lines += scripts
    lines += requests
    lines += output
    return lines.map { $0 + "\n" }.joined()
  }

  var details: [String] {
    guard let failure = outcome.failure else { return [] }
    guard let expected = failure.details["expected"], let got = failure.details["got"] else {
      let isPlain = Self.plainCodes.contains(failure.code)
      let hint = failure.hint.map { ["    \(paint("hint:", "36")) \($0.displayable)"] } ?? []
      return Self.indented("\(isPlain ? "" : "\(failure.code): ")\(failure.message)", by: 4) + hint + traceback(failure)
    }
    var lines = Self.labeled("expected", expected).map { paint($0, "32") }
    lines += Self.labeled("got", got).map { paint($0, "31") }
    if let differences = failure.details["differences"], !differences.isEmpty {
      lines += ["    differs at"] + Self.indented(differences, by: 6)
    }
    return lines
  }

  /// The traceback of an error of the script. Errors of the host are clear without one.
  private func traceback(_ failure: LuaError) -> [String] {
    guard failure.code == "script_error" || failure.code == "host_error", let traceback = failure.traceback else {
      return []
    }
    // Lines of C functions and of the host are left out, because they do not help the user.
    let lines = traceback.replacing("\t", with: "  ").split(separator: "\n").filter { !$0.contains("[C]: ") }
    guard lines.count > 2 else { return [] }
    return lines.map { paint("    \(String($0).displayable)", "2") }
  }

  private var requests: [String] {
    let requests = outcome.requests
    guard !requests.isEmpty else { return [] }
    let left = requests.count - Self.shownRequests
    return ["    requests" + (left > 0 ? ", the last \(Self.shownRequests) of \(requests.count)" : "")]
      + requests.suffix(Self.shownRequests).map { request in
        "      " + paint("\(request.status)", request.status >= 400 ? "31" : "2")
          + " \(request.method) \(request.path)".displayable
      }
  }

  private var output: [String] { Self.block("printed", outcome.output, by: 4) }

  /// The scripts that the test ran, with their errors, their log lines and their output.
  private var scripts: [String] {
    outcome.scripts.suffix(Self.shownScripts).flatMap { script in
      ["    \(script.path.displayable) ended with status \(script.status)"] + error(of: script)
        + Self.block("logged", script.log, by: 6) + Self.block("printed", script.output, by: 6)
    }
  }

  private func error(of script: TestedRun) -> [String] {
    guard let error = script.error else { return [] }
    var lines: [String] = []
    if let place = error.location {
      lines.append("      \(place.displayable)" + (script.sourceLine.map { ":  \(paint($0.displayable, "36"))" } ?? ""))
    }
    let code = Self.plainCodes.contains(error.code) ? "" : "\(error.code): "
    lines += Self.indented("\(code)\(error.message)", by: 8).map { paint($0, "31") }
    if let hint = error.hint { lines.append("        \(paint("hint:", "36")) \(hint.displayable)") }
    return lines
  }

  /// A text with the label in front; nothing for an empty text.
  private static func block(_ label: String, _ text: String, by width: Int) -> [String] {
    guard !text.isEmpty else { return [] }
    let margin = String(repeating: " ", count: width)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = text.hasSuffix("\n") ? lines.dropLast() : lines[...]
    let left = shown.count - shownLines
    return [margin + label + (left > 0 ? ", the last \(shownLines) of \(shown.count) lines" : "")]
      + shown.suffix(shownLines).map { margin + "  " + String($0).displayableLines.replacing("\n", with: "⏎") }
  }

  private static func labeled(_ label: String, _ text: String) -> [String] {
    var lines = indented(text, by: 14)
    lines[0] = "    " + label + lines[0].dropFirst(4 + label.count)
    return lines
  }

  private static func indented(_ text: String, by width: Int) -> [String] {
    text.displayableLines.split(separator: "\n", omittingEmptySubsequences: false).map {
      String(repeating: " ", count: width) + $0
    }
  }
}
