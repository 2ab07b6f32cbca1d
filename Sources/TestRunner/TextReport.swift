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

  /// - Parameters:
  ///   - paint: applies an SGR color to a text, if colors are wanted.
  ///   - write: receives text that includes its line ends.
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
    let parts = [
      totals.passed > 0 ? paint("\(totals.passed) passed", "32") : "",
      totals.failed > 0 ? paint("\(totals.failed) failed", "31") : "",
      totals.pending > 0 ? paint("\(totals.pending) pending", "33") : "",
      totals.count < planned ? paint("\(planned - totals.count) not run", "33") : "",
    ]
    let counts = parts.filter { !$0.isEmpty }.joined(separator: ", ")
    write("\n\(counts.isEmpty ? "no test was run" : counts) in \(Self.duration(totals.seconds))\n")
  }

  /// `31 ms`, `2.50 s`
  private static func duration(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    let hundredths = Int((seconds * 100).rounded())
    let fraction = "\(hundredths % 100)"
    return "\(hundredths / 100).\(fraction.count == 1 ? "0" : "")\(fraction) s"
  }
}
