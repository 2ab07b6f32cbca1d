/// Reads the records of a file of some format, one after the other. Memory is bounded by the longest record.
package protocol RecordReader: AnyObject {
  var format: SourceFormat { get }
  /// The name of the file, for messages: a path, or "standard input".
  var name: String { get }
  /// The format in words: "CSV separated by ';', gzip". Shown to the person if it was guessed.
  var summary: String { get }
  /// The names of the columns, where the format has a header.
  var columns: [String]? { get }
  /// The next record; nil at the end. Throws what makes everything behind it a guess.
  func next() throws(ImportError) -> SourceRecord?
  /// How much of the file has been handed out, and how much there is, as it lies on disk; nil for a pipe.
  var bytesRead: Int { get }
  var totalBytes: Int? { get }
}

/// A reader that can go on after its buffer had nothing to read.
protocol BufferedReader: RecordReader { var buffer: FileBuffer { get } }

extension BufferedReader {
  package var name: String { buffer.name }
  package var columns: [String]? { nil }
  package var bytesRead: Int { buffer.bytesRead }
  package var totalBytes: Int? { buffer.totalBytes }
}
