import Core
package import HostLoop
import Lua

/// The report for people: one line for each test, then the failures.
@HostActor
package final class TextReport: TestReport {
  private let paint: @HostActor (_ text: String, _ color: String) -> String
  private let write: @HostActor (String) -> Void
  private var planned = 0
  private var file = ""
  private var failures: [TestOutcome] = []

  /// - Parameter write: receives text that includes its line ends.
  package init(
    paint: @escaping @HostActor (_ text: String, _ color: String) -> String,
    write: @escaping @HostActor (String) -> Void
  ) {
    self.paint = paint
    self.write = write
  }

  package func begin(_ count: Int) { planned = count }

  package func add(_ outcome: TestOutcome) {
    if outcome.file != file {
      file = outcome.file
      write("\(paint(file.displayable, "1"))\n")
    }
    let name = outcome.name.displayable
    switch outcome.status {
    case .passed: write("  \(paint("✓", "32")) \(name)  \(paint(Self.duration(outcome.seconds), "2"))\n")
    case .pending: write("  \(paint("–", "33")) \(name)  \(paint("pending", "2"))\n")
    case .failed:
      write("  \(paint("✗", "31")) \(name)  \(paint(Self.duration(outcome.seconds), "2"))\n")
      failures.append(outcome)
    }
  }

  package func end(_ totals: TestTotals) {
    for failure in failures { write("\n" + FailureText(failure, paint: paint).text) }
    let results = [(TestOutcome.Status.passed, "32"), (.failed, "31"), (.pending, "33")]
    var counts = results.compactMap { status, color in
      totals.counts[status].map { paint("\($0) \(status.rawValue)", color) }
    }
    let missing = planned - totals.counts.values.reduce(0, +)
    if missing > 0 { counts.append(paint("\(missing) not run", "33")) }
    let result = counts.isEmpty ? "no test was run" : counts.joined(separator: ", ")
    write("\n\(result) in \(Self.duration(totals.seconds))\n")
  }

  /// `31 ms`, `2.50 s`
  private static func duration(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    let hundredths = Int((seconds * 100).rounded())
    return "\(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst()) s"
  }
}
