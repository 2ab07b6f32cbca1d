import Glibc

/// A file that lives as long as the value, in a folder of its own.
package final class TemporaryFile: Sendable {
  package let path: String
  private let folder: String

  package init(_ bytes: [UInt8], name: String = "tasks.csv") {
    var template = Array("/tmp/task-import-XXXXXX".utf8CString)
    guard let folder = mkdtemp(&template) else { fatalError("mkdtemp failed: errno \(errno)") }
    self.folder = String(cString: folder)
    path = "\(self.folder)/\(name)"
    write(bytes)
  }

  package convenience init(_ text: String, name: String = "tasks.csv") { self.init(Array(text.utf8), name: name) }

  /// Makes these bytes all that is in the file.
  package func write(_ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "open failed: errno \(errno)")
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      precondition(count > 0, "write failed: errno \(errno)")
      written += count
    }
    close(descriptor)
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }
}
