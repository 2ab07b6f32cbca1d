package import HostLoop
import Lua

/// The JUnit XML report, which build servers read.
@HostActor
package final class JUnitReport: TestReport {
  private let write: @HostActor (String) -> Void
  private var outcomes: [TestOutcome] = []

  package init(write: @escaping @HostActor (String) -> Void) { self.write = write }

  package func begin(_ count: Int) {}

  package func add(_ outcome: TestOutcome) { outcomes.append(outcome) }

  package func end(_ totals: TestTotals) {
    var files: [String] = []
    for outcome in outcomes where !files.contains(outcome.file) { files.append(outcome.file) }
    let suites = files.map { file in suite(file, outcomes.filter { $0.file == file }) }
    write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="b2c-run test" \(Self.counts(outcomes)) time="\(Self.time(totals.seconds))">
      \(suites.joined())</testsuites>

      """)
  }

  private func suite(_ file: String, _ outcomes: [TestOutcome]) -> String {
    let time = Self.time(outcomes.map(\.seconds).reduce(0, +))
    return "  <testsuite name=\"\(Self.escape(file))\" \(Self.counts(outcomes)) time=\"\(time)\">\n"
      + outcomes.map(test).joined() + "  </testsuite>\n"
  }

  private func test(_ outcome: TestOutcome) -> String {
    let line = outcome.line > 0 ? " line=\"\(outcome.line)\"" : ""
    let start =
      "    <testcase classname=\"\(Self.escape(Self.className(of: outcome.file)))\" name=\"\(Self.escape(outcome.name))\""
      + " file=\"\(Self.escape(outcome.file))\"\(line) time=\"\(Self.time(outcome.seconds))\""
    if outcome.status == .passed { return start + "/>\n" }
    if outcome.status == .pending { return start + "><skipped/></testcase>\n" }
    let failure = outcome.failure
    let element = failure?.code == "expectation_failed" ? "failure" : "error"
    return """
      \(start)>
            <\(element) type="\(Self.escape(failure?.code ?? ""))" message="\(Self.escape(failure?.message ?? ""))">\
      \(Self.escape(FailureText(outcome).text))</\(element)>
          </testcase>

      """
  }

  private static func counts(_ outcomes: [TestOutcome]) -> String {
    let failed = outcomes.filter { $0.status == .failed }
    let failures = failed.count { $0.failure?.code == "expectation_failed" }
    let skipped = outcomes.count { $0.status == .pending }
    return
      "tests=\"\(outcomes.count)\" failures=\"\(failures)\" errors=\"\(failed.count - failures)\" skipped=\"\(skipped)\""
  }

  /// `tests.import_test`, which build servers show as a tree.
  private static func className(of file: String) -> String {
    let path = file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
    return path.split(separator: "/").filter { $0 != "." && $0 != ".." }.joined(separator: ".")
  }

  private static func time(_ seconds: Double) -> String {
    let thousandths = Int((seconds * 1000).rounded())
    return "\(thousandths / 1000).\(String(thousandths % 1000 + 1000).dropFirst())"
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "&#10;", "\t": "&#9;", "\u{FFFE}": "\u{FFFD}",
    "\u{FFFF}": "\u{FFFD}",
  ]

  /// Escapes texts and attributes, and replaces control characters, most of which XML 1.0 §2.2 forbids.
  private static func escape(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      escapes[scalar] ?? (scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar))
    }.joined()
  }
}
