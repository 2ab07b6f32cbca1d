import Files
package import Glibc

/// A folder for one test. It is removed with this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    guard let path = try? TemporaryPlace.makeFolder("b2c-run-tests-") else {
      fatalError("no temporary folder: \(errno)")
    }
    self.path = path
  }

  deinit { TemporaryPlace.remove(path) }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, sorted.
  package var names: [String] { ((try? FileSystem.names(in: path)) ?? []).sorted() }

  /// Makes these bytes the contents of a file.
  /// - Returns: the path of the file.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String, mode: mode_t = 0o600) -> String {
    do {
      try OpenFile(path(name), Opening(O_WRONLY | O_CREAT | O_TRUNC, mode: mode)).write(Array(bytes))
    } catch { fatalError("cannot write \(path(name)): \(error.reason)") }
    chmod(path(name), mode)
    return path(name)
  }

  @discardableResult
  package func write(_ text: String, to name: String) -> String { write(text.utf8, to: name) }

  /// The bytes of a file; none if it is missing.
  package func contents(_ name: String) -> [UInt8] { (try? FileSystem.contents(of: path(name))) ?? [] }

  /// The text of a file; nil if it is missing.
  package func read(_ name: String) -> String? {
    FileSystem.exists(path(name)) ? String(decoding: contents(name), as: UTF8.self) : nil
  }
}
