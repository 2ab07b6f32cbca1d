/// What an export wrote.
package struct ExportReport: Sendable, Equatable {
  package var tasks = 0
  /// As they lie on disk, so behind compression.
  package var bytes = 0
  package var seconds = 0.0
  /// `-` for standard output.
  package var path: String
  package var format: SourceFormat
  /// What the format does not hold although the tasks had it, a sentence each, for the person.
  package var notes: [String] = []
}
