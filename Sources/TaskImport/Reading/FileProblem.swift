/// Why a file cannot be read on. The reader adds its name, and how far it came.
struct FileProblem: Error {
  enum Place {
    /// The message goes on behind the name.
    case name
    /// It is about the file as a whole.
    case file
    /// It is about what stands behind the line reached.
    case line
  }

  var kind: ImportError.Kind
  var message: String
  var hint: String?
  var place = Place.name

  func error(_ name: String, line: Int) -> ImportError {
    switch place {
    case .name: ImportError(kind: kind, message: "\(name) \(message)", hint: hint)
    case .file: ImportError(kind: kind, message: "\(name): \(message)", hint: hint)
    case .line: ImportError(kind: kind, message: "\(name):\(line): \(message)", hint: hint, line: line)
    }
  }
}
