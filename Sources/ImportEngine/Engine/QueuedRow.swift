import HostLoop
import ImportFormats
import JSON
import TaskAPI

@HostActor
final class QueuedRow {
  let record: SourceRecord
  var draft: TaskDraft
  private(set) var textHash: UInt64
  /// The hash with which it was journaled before it was last sent.
  var sentHash: UInt64
  var attempts = 0
  /// A request for it was not answered, in this run or an earlier one.
  var isUnknown = false
  /// The server may still add it at any time.
  var mayComeLater = false
  var search = Search()
  var parent = ParentLink()
  /// Nil while the row is not settled. Only rows with names of the source get it.
  var fate: ParentFate?
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

  var journalRow: JournalRow {
    JournalRow(row: record.number, fingerprint: record.fingerprint, textHash: textHash, sourceID: draft.sourceID)
  }

  /// The same for a row that no task is made of.
  var withheldRow: JournalRow {
    JournalRow(row: record.number, fingerprint: record.fingerprint, sourceID: draft.sourceID)
  }

  var number: Int { record.number }

  /// The row keeps its name: other rows may wait for it.
  func change(to draft: TaskDraft) {
    let name = self.draft.sourceID
    self.draft = draft
    self.draft.sourceID = name ?? draft.sourceID
    parent = ParentLink()
    textHash = StableHash.of(draft.text)
    sentHash = textHash
    changes += 1
    attempts = 0
    isUnknown = false
    mayComeLater = false
    search.isOnTrial = false
    search.isConfirmed = false
  }

  /// The task as the source has it, for a source that has no JSON.
  private var original: JSON {
    var draft = draft
    draft.fields[TaskField.parent.rawValue] = parent.name.map { .string($0) } ?? draft.fields[TaskField.parent.rawValue]
    return draft.original
  }

  func failure(code: String, reason: String, status: Int? = nil, isUnsettled: Bool = false) -> RowFailure {
    RowFailure(
      row: record.number, line: record.line, reason: reason, code: code, status: status, text: draft.text,
      isUnsettled: isUnsettled, original: record.original ?? original)
  }
}
