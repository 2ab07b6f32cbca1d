import Core
package import Files
package import HostLoop
package import ImportFormats
package import TaskAPI

@HostActor
package enum TaskExporter {
  private static let pieceSize = 64 << 10

  /// Writes all tasks of `service`, while they come in, to `place`. The file appears, or replaces the old
  /// file, when it is complete; a failed export leaves nothing. Its import gives the same tasks: the same texts,
  /// completed or not.
  /// - Parameters:
  ///   - service: evaluated when the format is known and the file is begun.
  ///   - format: nil for the format of the path's extension.
  ///   - separator: between the fields of a CSV file; nil for a comma.
  ///   - isForSpreadsheet: true to guard the cells of a table that a spreadsheet would run.
  ///   - names: of all formats, for the message about a path without one.
  /// - Throws: `ImportError` for an unknown format, a task that the format cannot hold and a file that cannot be
  ///   written; errors of `TaskService.each`.
  package static func export(
    service: @autoclosure () async throws -> any TaskService, to place: OutputPlace, format: SourceFormat? = nil,
    separator: Character? = nil, isForSpreadsheet: Bool = false, names: [String] = SourceFormat.names
  ) async throws -> ExportReport {
    let clock = ContinuousClock()
    let start = clock.now
    guard let format = format ?? SourceFormat(path: place.path) else { throw unknownFormat(place.path, names) }
    var writer = try format.writer(separator: separator, isForSpreadsheet: isForSpreadsheet)
    let file = try ExportFile(place)
    var text: [UInt8] = []
    var tasks = 0
    var lost = LostFields(format)
    writer.begin(&text)
    let service = try await service()
    let lists = try await service.listNames()
    try await service.each(list: nil) { task in
      let task = task.named(by: lists)
      try writer.add(task, to: &text)
      tasks += 1
      lost.add(task)
      guard text.count >= pieceSize else { return }
      try file.write(text)
      text.removeAll(keepingCapacity: true)
    }
    writer.end(&text)
    try file.write(text)
    try file.finish()
    return ExportReport(
      tasks: tasks, bytes: file.bytes, seconds: (clock.now - start) / .seconds(1), path: place.path, format: format,
      notes: writer.notes + lost.notes)
  }

  private static func unknownFormat(_ path: String, _ names: [String]) -> ImportError {
    let list = names.joined(separator: ", ")
    return path == "-"
      ? ImportError(
        kind: .unknownFormat, message: "the format of standard output is not known",
        hint: "give the format with --format, or format = in a script: \(list)")
      : ImportError(
        kind: .unknownFormat, message: "cannot tell the format of \(path) by its name",
        hint:
          "name it .csv, .tsv, .json, .ndjson, .jsonl, .ics, .txt, todo.txt or .todo.txt, each also with .gz or .zst; "
          + "or give the format with --format, or format = in a script: \(list)"
          + (["xlsx", "xls", "ods"].contains(path.fileEnding) ? "; a spreadsheet opens a .csv" : ""))
  }
}

package struct ExportReport: Sendable, Equatable {
  package var tasks = 0
  /// As they are on disk, after compression.
  package var bytes = 0
  package var seconds = 0.0
  /// `-` for standard output.
  package var path: String
  package var format: SourceFormat
  /// The facts that the format does not hold, a sentence each, for people.
  package var notes: [String] = []
}
