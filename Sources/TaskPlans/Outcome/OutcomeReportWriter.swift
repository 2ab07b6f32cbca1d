package import Files
import JSON

/// Writes the report of a plan that was applied, for programs: `{"id", "rows": [{"row", "task", "outcome", "reason"}],
/// "counts"}`, a row a line. The file is there in full after `finish`, or not at all.
package final class OutcomeReportWriter {
  private let file: AtomicFile
  /// The numbers of rows so far, by their outcome.
  package private(set) var counts: [PlanOutcome.Kind: Int] = [:]
  private var isFirst = true

  /// - Parameter id: that of the import or the undo, by which it can be taken back.
  package init(_ place: OutputPlace, id: String) throws(FileError) {
    file = try AtomicFile(place)
    try write("{\"id\": \(JSON.string(id).encoded()),\n\"rows\": [\n")
  }

  /// All members are there; those without a value are null.
  package func add(_ outcome: PlanOutcome) throws(FileError) {
    let row = PlanFormat.object([
      ("row", PlanFormat.text(outcome.row)), ("task", PlanFormat.text(outcome.task) ?? "null"),
      ("outcome", PlanFormat.text(outcome.kind.rawValue)), ("reason", PlanFormat.text(outcome.reason) ?? "null"),
    ])
    try write((isFirst ? "" : ",\n") + row)
    isFirst = false
    counts[outcome.kind, default: 0] += 1
  }

  /// Puts the file in place.
  package func finish() throws(FileError) {
    try write((isFirst ? "" : "\n") + "],\n\"counts\": \(PlanFormat.counts(counts))}\n")
    try file.commit()
  }

  private func write(_ text: String) throws(FileError) { try file.write(text.utf8) }
}
