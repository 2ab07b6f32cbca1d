import Files

@testable import ImportFormats

/// Files that a test names are opened as the system finds them.
extension SourceFile {
  init(path: String) throws(ImportError) {
    do { try self.init(path) { try OpenFile(path, $0) } } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError(kind: .unreadable, message: "\(error)")
    }
  }
}

extension RecordReaders {
  static func open(
    path: String, format: SourceFormat? = nil, separator: Character? = nil
  ) throws(ImportError) -> any RecordReader {
    try open(SourceFile(path: path), format: format, separator: separator)
  }
}

extension CSVReader {
  convenience init(path: String, separator: Character? = ",") throws(ImportError) {
    if let separator { _ = try Self.byte(of: separator) }
    try self.init(SourceFile(path: path), separator: separator)
  }
}
