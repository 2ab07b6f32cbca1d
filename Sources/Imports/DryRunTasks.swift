import Files
import HostLoop
import ImportFormats
import ImportReport
import JSON

/// The tasks that a dry run finds: the first ones for its summary, and all of them for a file if the caller names one.
@HostActor
final class DryRunTasks {
  private(set) var first: [CheckedTask] = []
  private let file: ExportFile?
  private var lines: [UInt8] = []

  private static let mostShown = 10
  private static let pieceSize = 1 << 16

  /// - Parameter place: nil for no file.
  init(_ place: OutputPlace?) throws { file = try place.map { try ExportFile($0) } }

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
