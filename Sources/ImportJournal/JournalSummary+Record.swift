import Core
import ImportEngine
import ImportFormats

extension JournalSummary {
  init(path: String?, record: JournalRecord, counts: JournalCounts, _ holder: JournalHolder? = nil) {
    self.init(
      shortID: path.map(Self.shortID), path: path, identity: record.identity, created: record.created,
      updated: record.updated)
    rows = counts.rows
    self.counts.added = counts[.added]
    self.counts.skipped = counts[.skipped]
    self.counts.failed = counts[.failed]
    self.counts.unsettled = counts[.unsettled]
    self.counts.unknown = counts[.sent]
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
