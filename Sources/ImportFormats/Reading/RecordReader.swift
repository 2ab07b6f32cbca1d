/// Reads the records of a file of some format, one after the other. Memory is bounded by the longest record.
package protocol RecordReader: AnyObject {
  var format: SourceFormat { get }
  /// The name of the file, for messages: a path, or "standard input".
  var name: String { get }
  /// The format in words: "CSV separated by ';', gzip". Shown to the person if it was guessed.
  var summary: String { get }
  /// The names of the columns; nil for a format without a header.
  var columns: [String]? { get }
  /// The next record; nil at the end. Throws if the records behind it would be guesses.
  func next() throws(ImportError) -> SourceRecord?
  /// The bytes of the file on disk that were handed out, and all of them; nil for a pipe.
  var bytesRead: Int { get }
  var totalBytes: Int? { get }
}

/// A reader that can continue after its buffer had no data.
protocol BufferedReader: RecordReader { var buffer: FileBuffer { get } }

extension BufferedReader {
  package var name: String { buffer.name }
  package var columns: [String]? { nil }
  package var bytesRead: Int { buffer.bytesRead }
  package var totalBytes: Int? { buffer.totalBytes }
}
