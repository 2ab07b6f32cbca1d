import Glibc

/// A file that lives as long as the value.
final class TemporaryFile: Sendable {
  let path: String

  init(_ bytes: [UInt8]) {
    var template = Array("/tmp/task-import-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    precondition(descriptor >= 0, "mkstemp failed: errno \(errno)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      precondition(count > 0, "write failed: errno \(errno)")
      written += count
    }
    close(descriptor)
  }

  convenience init(_ text: String) { self.init(Array(text.utf8)) }

  deinit { unlink(path) }
}
