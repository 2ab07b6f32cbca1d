import Core
import Files

package struct JournalSummary: Sendable, Equatable {
  /// The journal's name for people: the beginning of its file's name; nil for a journal in memory.
  package var shortID: String?
  /// The file; nil for a journal in memory.
  package var path: String?
  /// Nil if the file cannot be read; see `trouble`.
  package var identity: ImportIdentity?
  /// Unix seconds.
  package var created: Int
  /// The time of the last change, in Unix seconds.
  package var updated: Int
  package var rows = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  package var unsettled = 0
  /// Rows of unknown fate.
  package var sent = 0
  /// True if the source was read to its end and each of its rows is settled.
  package var isFinished = false
  package var holder: JournalHolder?
  /// The reason why the file cannot be used, as a sentence and by the error's code.
  package var trouble: String?
  package var troubleCode: String?
  /// The machines and blocks of an import in a database; nil for a journal of this machine.
  package var shared: SharedSummary?
  /// The place of the file, to open it again.
  var place: OutputPlace?
}

extension JournalSummary {
  init(path: String?, record: JournalRecord, counts: JournalCounts, _ holder: JournalHolder? = nil) {
    self.init(
      shortID: path.map(Self.shortID), path: path, identity: record.identity, created: record.created,
      updated: record.updated)
    rows = counts.rows
    added = counts[.added]
    skipped = counts[.skipped]
    failed = counts[.failed]
    unsettled = counts[.unsettled]
    sent = counts[.sent]
    isFinished = record.finishedRows != nil
    self.holder = holder
  }

  /// The first eight characters of the file's name without `.sqlite`; the whole name of another file.
  static func shortID(_ path: String) -> String {
    let stem = stem(path)
    return path.hasSuffix(JournalFiles.suffix) ? String(stem.prefix(8)) : stem
  }

  static func stem(_ path: String) -> String {
    let name = path.lastName
    return name.hasSuffix(JournalFiles.suffix) ? String(name.dropLast(JournalFiles.suffix.count)) : name
  }

  /// The whole ID of an import in a database or of a file of the shelf: the file's name without `.sqlite`.
  var stem: String { shared?.id ?? path.map(Self.stem) ?? "" }
}
