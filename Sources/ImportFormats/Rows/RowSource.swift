import Core
package import HostLoop
package import TaskAPI

/// The source of an import's rows: a file, or a script.
@HostActor
package protocol RowSource: AnyObject {
  /// The next record; nil at the end. Not called again before it has returned. An error that it throws ends the import.
  func next() async throws -> SourceRecord?

  /// Makes a draft of `record`, which `next` returned last. Called at most once for a record; for a record whose fate
  /// is known from an earlier run, only if drafts depend on earlier records. An error that it throws ends the import.
  func draft(of record: SourceRecord) async throws -> RowDraft

  /// True if the draft of a record may depend on the records before it, as that of a script's function may.
  var draftsDependOnEarlier: Bool { get }

  /// The fate of a record from an earlier attempt; nil for a record that was never sent.
  func known(_ record: SourceRecord) -> KnownRow?
  /// False if `next` would have to wait for others. The rows that were read are then sent first.
  var isReady: Bool { get }

  /// The import ends early: a `next` that waits for others returns nil.
  func interrupt()

  /// The first records, which were read ahead; none if nothing can be read ahead, or no later run could know them again.
  var beginning: [SourceRecord] { get }
  /// The columns of a table; nil for another source.
  var table: SourceTable? { get }
  /// The fields that tasks may have; nil if only the tasks tell.
  var fields: [String]? { get }

  /// True if the rows have names of the source, in a column or a member that is known before the first row.
  var hasSourceIDs: Bool { get }
  /// The name that the source has for a record, also for one that no task can be made of; nil without one.
  func sourceID(of record: SourceRecord) -> String?

  /// The columns that no field comes from; nil without one, and if a script makes the tasks.
  var leftOut: LeftOut? { get }

  /// The bytes read so far, for the progress bar; 0 if that is not known.
  var bytesRead: Int { get }
  /// The length in bytes; nil if it is not known.
  var totalBytes: Int? { get }
}

extension RowSource {
  package var draftsDependOnEarlier: Bool { false }
  package var beginning: [SourceRecord] { [] }
  package var fields: [String]? { nil }
  package var table: SourceTable? { nil }
  package var leftOut: LeftOut? { nil }
  package var hasSourceIDs: Bool { false }
  package func sourceID(of record: SourceRecord) -> String? { nil }
  package func known(_ record: SourceRecord) -> KnownRow? { nil }
  package var isReady: Bool { true }
  package func interrupt() {}
}

/// The columns of a table, or members of objects, whose values an import does not take.
package struct LeftOut: Sendable {
  package let columns: [String]
  /// The names of the columns, the first ones if they are many.
  package var shown: String {
    let more = columns.count > Self.mostShown ? " and \(columns.count - Self.mostShown) more" : ""
    return columns.prefix(Self.mostShown).quotedList + more
  }

  private static let mostShown = 12

  /// The values in the columns of the rows that were read so far.
  package var values: [String: Int] = [:]

  /// The names of the columns with a value, and how many values each has; the first ones if they are many.
  package var shownWithCounts: String {
    let found = columns.compactMap { name in values[name].flatMap { $0 > 0 ? (name, $0) : nil } }
    guard !found.isEmpty else { return shown }
    let more = found.count > Self.mostShown ? " and \(found.count - Self.mostShown) more" : ""
    let parts = found.prefix(Self.mostShown).map { "\"\($0)\" (\(counted($1, "value")))" }
    return parts.joined(separator: ", ") + more
  }

  /// The option that takes those of them whose names are those of fields; nil if none has such a name.
  package let advice: String?

  init(columns: [String], advice: String?) { (self.columns, self.advice) = (columns, advice) }
}

/// A record as a task, or the reason why it is none.
package enum RowDraft: Sendable, Equatable {
  case task(TaskDraft)
  case skipped
  /// No task can be made of it; `code` is one of `ImportError.Kind` or `empty_text`.
  case unusable(code: String, reason: String, text: String)

  /// The task of that draft; unusable if its text is blank, because no server takes it.
  package init(_ draft: TaskDraft) {
    var draft = draft
    draft.takeListID()
    draft.takeSourceID()
    self =
      draft.text.isBlank ? .unusable(code: "empty_text", reason: "the text is empty", text: draft.text) : .task(draft)
  }
}

extension String {
  /// True if there is nothing to be seen. No server takes such a text, and a file of lines cannot show it.
  package var isBlank: Bool { utf8.allSatisfy { $0 == 0x20 || (9...13).contains($0) } }
}
