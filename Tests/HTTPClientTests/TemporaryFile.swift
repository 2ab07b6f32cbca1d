import Glibc
import Testing

/// A file with `text` that lives until its last reference is gone.
final class TemporaryFile {
  let path: String

  init(_ text: String) throws {
    var template = Array("/tmp/http-client-tests-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bytes = Array(text.utf8)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  deinit { unlink(path) }
}
