import Glibc

/// A folder of its own, gone with the test.
final class TemporaryFolder {
  private let root: String

  init() {
    var template = Array("/tmp/b2c-run-folder-XXXXXX".utf8CString)
    root = mkdtemp(&template).map { String(cString: $0) } ?? ""
    precondition(!root.isEmpty, "no temporary folder")
  }

  deinit {
    for name in names { unlink(path(name)) }
    rmdir(root)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  @discardableResult func write(_ text: String, to name: String) -> String {
    let file = fopen(path(name), "w")
    fputs(text, file)
    fclose(file)
    return path(name)
  }

  func read(_ name: String) -> String? {
    guard let file = fopen(path(name), "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The names in it, sorted.
  var names: [String] {
    guard let stream = opendir(root) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
