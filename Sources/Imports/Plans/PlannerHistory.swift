import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import TaskAPI

/// The tasks that earlier imports of a source have made, as the journals of this machine know them.
struct PlannerHistory {
  /// The fate of a row of an earlier import.
  enum Fate {
    /// Nil if the ID of the task is not known.
    case added(TaskReference?)
    case unknown
  }

  /// The rows by their fingerprints, in the order of the source.
  private var rows: [UInt64: ArraySlice<Fate>] = [:]
  /// The tasks by the names that the source has for them.
  private var names: [String: TaskReference] = [:]
  /// True if the fingerprints are those of a journal without lengths; see `StableHash`.
  private(set) var hasOldHashes = false
  /// The number of rows that were added.
  private(set) var added = 0

  /// Reads the journals of ordinary imports.
  init(_ journals: [JournalSummary], _ shelf: JournalShelf) throws(ImportError) {
    // The last import comes first; what it says of a row counts.
    for journal in journals {
      var own: [UInt64: ArraySlice<Fate>] = [:]
      let isOld = try shelf.eachRow(of: journal) { row, name, task in
        switch row.state {
        case .added:
          added += 1
          own[row.fingerprint, default: []].append(.added(task))
          if let name, let task, names[name] == nil { names[name] = task }
        case .unsettled, .sent: own[row.fingerprint, default: []].append(.unknown)
        case .pending, .skipped, .failed: break
        }
      }
      if isOld { hasOldHashes = true }
      rows.merge(own) { earlier, _ in earlier }
    }
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The fate of the next row with that fingerprint; nil for a row that no import knows.
  mutating func take(_ fingerprint: UInt64) -> Fate? { rows[fingerprint]?.popFirst() }

  func task(named name: String) -> TaskReference? { names[name] }
}
