/// The reason why a file cannot be read. The reader adds its name and the line.
struct FileProblem: Error {
  enum Place {
    /// The message continues behind the name.
    case name
    case file
    /// It is about the bytes behind the present line.
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
