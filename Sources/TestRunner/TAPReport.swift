import Core
package import HostLoop
import LocalTenant
import Lua
import LuaJobs

/// The Test Anything Protocol, version 14.
@HostActor
package final class TAPReport: TestReport {
  private let write: @HostActor (String) -> Void
  private var planned = 0
  private var number = 0

  package init(write: @escaping @HostActor (String) -> Void) { self.write = write }

  package func begin(_ count: Int) {
    planned = count
    write("TAP version 14\n1..\(count)\n")
  }

  package func add(_ outcome: TestOutcome) {
    number += 1
    let name = Self.escape("\(outcome.file): \(outcome.name)")
    switch outcome.status {
    case .passed: write("ok \(number) - \(name)\n")
    case .pending: write("ok \(number) - \(name) # SKIP pending\n")
    case .failed: write("not ok \(number) - \(name)\n" + diagnostics(outcome))
    }
  }

  package func end(_ totals: TestTotals) {
    if number < planned { write("Bail out! \(planned - number) tests were not run\n") }
  }

  /// A block of YAML. JSON strings are also YAML strings.
  private func diagnostics(_ outcome: TestOutcome) -> String {
    let failure = outcome.failure
    var fields = [
      ("message", failure?.message), ("code", failure?.code), ("hint", failure?.hint), ("at", outcome.place),
      ("source", outcome.sourceLine), ("expected", failure?.details["expected"]), ("got", failure?.details["got"]),
      ("differences", failure?.details["differences"]), ("output", outcome.output.isEmpty ? nil : outcome.output),
    ].compactMap { name, text in text.map { "  \(name): \(Self.quote($0))\n" } }
    if !outcome.scripts.isEmpty {
      fields.append("  scripts:\n")
      for script in outcome.scripts {
        let entries = [
          ("file", script.path), ("status", "\(script.status)"), ("error", script.error?.description),
          ("hint", script.error?.hint), ("source", script.sourceLine), ("log", script.log), ("output", script.output),
        ].compactMap { name, text in text.flatMap { $0.isEmpty ? nil : "\(name): \(Self.quote($0))" } }
        fields.append("    - " + entries.joined(separator: "\n      ") + "\n")
      }
    }
    if !outcome.requests.isEmpty {
      fields.append("  requests:\n")
      fields += outcome.requests.map { "    - \(Self.quote("\($0.method) \($0.path) \($0.status)"))\n" }
    }
    return "  ---\n" + fields.joined() + "  ...\n"
  }

  /// `#` would begin a directive.
  private static func escape(_ text: String) -> String {
    text.displayable.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  private static let escapes: [Unicode.Scalar: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t"]

  private static func quote(_ text: String) -> String {
    let characters = text.unicodeScalars.map { scalar in
      if let escape = escapes[scalar] { return escape }
      guard scalar.properties.generalCategory == .control else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(characters.joined())\""
  }
}
