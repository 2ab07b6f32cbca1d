package import Files
package import HostLoop
package import TaskAPI

/// Writes the tasks of an account to a file.
@HostActor
package enum TaskExporter {
  /// Writes all tasks of the account of `client`, while they come in, to `place`.
  ///
  /// The file appears, or takes the place of the one that was there, when it is complete; an export that fails leaves
  /// nothing. What is imported from it is the same tasks: the same texts, completed or not.
  /// - Parameters:
  ///   - client: asked for when the format is known and the file is begun.
  ///   - place: compressed when it ends with `.gz` or `.zst`; `-` is standard output, where what was written before an
  ///     error cannot be taken back.
  ///   - format: by the path's extension when nil.
  ///   - separator: between the fields of a CSV file; a comma when nil.
  ///   - names: of the formats there are, for the message about a path that does not say one.
  /// - Throws: `ImportError` for a format that is not known, a task that the format cannot hold and a file that cannot be
  ///   written; else what `TaskAPIClient.each` throws.
  package static func export(
    client: @autoclosure () async throws -> TaskAPIClient, to place: OutputPlace, format: SourceFormat? = nil,
    separator: Character? = nil, names: [String] = SourceFormat.names
  ) async throws -> ExportReport {
    let clock = ContinuousClock()
    let start = clock.now
    guard let format = format ?? SourceFormat(path: place.path) else { throw unknownFormat(place.path, names) }
    let sink = try ExportSink(place, writer: try format.writer(separator: separator))
    try await client().each { try sink.add($0) }
    try sink.finish()
    return ExportReport(
      tasks: sink.tasks, bytes: sink.bytes, seconds: (clock.now - start) / .seconds(1), path: place.path,
      format: format, notes: sink.notes)
  }

  private static func unknownFormat(_ path: String, _ names: [String]) -> ImportError {
    let list = names.joined(separator: ", ")
    return path == "-"
      ? ImportError(
        kind: .unknownFormat, message: "the format of standard output is not known", hint: "give the format: \(list)")
      : ImportError(
        kind: .unknownFormat, message: "cannot tell the format of \(path) by its name",
        hint: "name it .csv, .tsv, .json, .ndjson, .jsonl, .txt, todo.txt or .todo.txt, each also with .gz or .zst; or "
          + "give the format: \(list)")
  }
}

/// Takes the tasks, and writes them to the file by the writer.
@HostActor
private final class ExportSink {
  private(set) var tasks = 0
  private var writer: any TaskWriter
  private let file: ExportFile
  private var text: [UInt8] = []

  private static let pieceSize = 64 << 10

  init(_ place: OutputPlace, writer: any TaskWriter) throws {
    self.writer = writer
    file = try ExportFile(place)
    self.writer.begin(&text)
  }

  var bytes: Int { file.bytes }
  var notes: [String] { writer.notes }

  func add(_ task: APITask) throws {
    try writer.add(task, to: &text)
    tasks += 1
    if text.count >= Self.pieceSize { try flush() }
  }

  func finish() throws {
    writer.end(&text)
    try flush()
    try file.finish()
  }

  private func flush() throws {
    try file.write(text)
    text.removeAll(keepingCapacity: true)
  }
}

/// The result of an export.
package struct ExportReport: Sendable, Equatable {
  package var tasks = 0
  /// As they lie on disk, so behind compression.
  package var bytes = 0
  package var seconds = 0.0
  /// `-` for standard output.
  package var path: String
  package var format: SourceFormat
  /// The facts about the tasks that the format does not hold, a sentence each, for the person.
  package var notes: [String] = []
}
