import Glibc

/// A folder that is gone with its owner.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/b2c-run-tests-XXXXXX".utf8CString)
    _ = mkdtemp(&template)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for name in ["a.db", "a.db-wal", "a.db-shm"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var file: String { "\(path)/a.db" }
}
