import Core
import Files
import Glibc

/// Reads the log of a run, also while it grows.
package final class LogReader {
  private let path: String
  private var position: off_t = 0

  package init(run: Int64, in folder: String) { path = ScriptLauncher.logPath(of: run, in: folder) }

  /// The text since the last call. Empty for a run that has written nothing.
  package func rest() throws(JobError) -> String {
    let file: OpenFile
    do { file = try OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .file)) } catch {
      if error.number == ENOENT { return "" }
      throw JobError("no_log", "cannot read the log \(path): \(error.reason)")
    }
    lseek(file.descriptor, position, SEEK_SET)
    do {
      let bytes = try file.contents(limit: 64 << 20)
      position += off_t(bytes.count)
      return OutputText(String(decoding: bytes, as: UTF8.self)).text
    } catch { throw JobError("no_log", "cannot read the log \(path): \(error.reason)") }
  }
}
