import HostLoop
import ImportFormats
import TaskAPI

@HostActor
final class QueuedRow {
  let record: SourceRecord
  private(set) var draft: TaskDraft
  private(set) var textHash: UInt64
  /// The hash with which it was journaled before it was last sent.
  var sentHash: UInt64
  var attempts = 0
  /// A request for it was not answered, in this run or an earlier one.
  var isUnknown = false
  /// The server may still add it at any time.
  var mayComeLater = false
  var search = Search()
  var lastError: (any Error)?
  private(set) var changes = 0

  init(_ record: SourceRecord, _ draft: TaskDraft) {
    self.record = record
    self.draft = draft
    textHash = StableHash.of(draft.text)
    sentHash = textHash
  }

  /// The search for it in the list of tasks.
  struct Search {
    /// The number of times that it was sent after the list had not shown it.
    var timesMissed = 0
    /// The number of tasks in the first list without it since it was last sent.
    var missedAt: Int?
    /// It was sent again although the list may have been cut off before it: the list has to show it in the end.
    var isOnTrial = false
    var isConfirmed = false
  }

  var journalRow: JournalRow { JournalRow(row: record.number, fingerprint: record.fingerprint, textHash: textHash) }

  var number: Int { record.number }

  func change(to draft: TaskDraft) {
    self.draft = draft
    textHash = StableHash.of(draft.text)
    sentHash = textHash
    changes += 1
    attempts = 0
    isUnknown = false
    mayComeLater = false
    search.isOnTrial = false
    search.isConfirmed = false
  }

  func failure(code: String, reason: String, status: Int? = nil, isUnsettled: Bool = false) -> RowFailure {
    RowFailure(
      row: record.number, line: record.line, reason: reason, code: code, status: status, text: draft.text,
      isUnsettled: isUnsettled, original: record.original ?? draft.original)
  }
}
