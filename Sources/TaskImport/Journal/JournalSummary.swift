import Files

/// A journal in brief.
package struct JournalSummary: Sendable, Equatable {
  /// By which people name the journal: the beginning of its file's name; nil for a journal in memory.
  package var shortID: String?
  /// The file; nil for a journal in memory.
  package var path: String?
  /// Nil when the file cannot be read; `trouble` says why.
  package var identity: ImportIdentity?
  /// Unix seconds.
  package var created: Int
  /// When something was last written, in Unix seconds.
  package var updated: Int
  /// Rows the journal knows.
  package var rows = 0
  package var added = 0
  package var skipped = 0
  package var failed = 0
  package var unsettled = 0
  /// Rows that were sent and whose fate is to be found out.
  package var sent = 0
  /// True if the source was read to its end and each of its rows is settled.
  package var isFinished = false
  /// The process that imports right now.
  package var holder: JournalHolder?
  /// Why the file cannot be used, as a sentence and by the error's code.
  package var trouble: String?
  package var troubleCode: String?
  /// The place where the file was found, and is opened again.
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
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.hasSuffix(JournalFiles.suffix) ? String(name.dropLast(JournalFiles.suffix.count)) : name
  }
}
