import HostLoop
import TaskAPI

/// A row on its way to the server.
@HostActor
final class QueuedRow {
  let record: SourceRecord
  private(set) var draft: TaskDraft
  /// See `StableHash`.
  private(set) var textHash: UInt64
  /// The one it was journalled with when it was last sent.
  var sentHash: UInt64
  /// Requests that were made for it.
  var attempts = 0
  /// A request for it went out and was not answered, in this run or an earlier one.
  var isUnknown = false
  /// The server may still add it, however late.
  var mayComeLater = false
  /// How often the list said that it had not been added after all.
  var timesMissed = 0
  /// How many tasks the list had when it first said so since the row was last sent.
  var missedAt: Int?
  /// It was sent again although the list may have been cut off before it: the list has to show it in the end.
  var isOnTrial = false
  /// The server has confirmed it since.
  var isConfirmed = false
  var lastError: (any Error)?
  /// How often it was changed after it had failed.
  private(set) var changes = 0

  init(_ record: SourceRecord, _ draft: TaskDraft) {
    self.record = record
    self.draft = draft
    textHash = StableHash.of(draft.text)
    sentHash = textHash
  }

  /// As it was journalled.
  var journalRow: JournalRow { JournalRow(row: record.number, fingerprint: record.fingerprint, textHash: textHash) }

  var number: Int { record.number }

  /// It goes as something else from now on.
  func change(to draft: TaskDraft) {
    self.draft = draft
    textHash = StableHash.of(draft.text)
    sentHash = textHash
    changes += 1
    attempts = 0
    isUnknown = false
    mayComeLater = false
    isOnTrial = false
    isConfirmed = false
  }

  func failure(code: String, reason: String, status: Int? = nil, isUnsettled: Bool = false) -> RowFailure {
    RowFailure(
      row: record.number, line: record.line, reason: reason, code: code, status: status, text: draft.text,
      isUnsettled: isUnsettled, original: record.original ?? draft.original)
  }
}

extension SourceRecord {
  /// As it is journalled when no task was made of it.
  var journalRow: JournalRow { JournalRow(row: number, fingerprint: fingerprint) }
}
