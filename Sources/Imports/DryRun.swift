import Files
import HostLoop
import ImportEngine
import ImportFormats
import ImportJournal
import ImportReport
import JSON
import TaskExport

/// A dry run: the first tasks that it finds for its summary, and all of them for a file if the caller names one.
@HostActor
final class DryRun {
  private(set) var first: [CheckedTask] = []
  private let place: ImportPlace
  private var options: ImportOptions
  private let file: ExportFile?
  private var lines: [UInt8] = []

  private static let mostShown = 10
  private static let pieceSize = 1 << 16

  /// - Parameter file: nil for no file.
  init(to place: ImportPlace, _ options: ImportOptions, _ file: OutputPlace?) throws {
    (self.place, self.options) = (place, options)
    self.file = try file.map { try ExportFile($0) }
  }

  /// The work of a source that was compared with that journal.
  func work(matchedBy journal: ImportJournal, _ events: Events) -> JournaledImport {
    options.resume = .match
    return ImportRun.work(journal, place, options, events, self)
  }

  func add(_ record: SourceRecord, _ draft: RowDraft) throws {
    guard first.count < Self.mostShown || file != nil, case .task(let draft) = draft else { return }
    let task = CheckedTask(record, draft)
    if first.count < Self.mostShown { first.append(task) }
    guard let file else { return }
    lines += task.json.encoded().utf8
    lines.append(UInt8(ascii: "\n"))
    if lines.count >= Self.pieceSize { try write(file) }
  }

  /// Puts the file in its place.
  func finish() throws {
    guard let file else { return }
    try write(file)
    try file.finish()
  }

  private func write(_ file: ExportFile) throws {
    try file.write(lines)
    lines.removeAll(keepingCapacity: true)
  }
}
