import Core
import Files
import Glibc

/// The end of the log of a run, which a database keeps for other machines.
struct LogTail: Sendable {
  /// Bytes.
  static let most = 64 << 10
  let text: String
  /// True if the beginning is left out.
  let isCut: Bool

  init(text: String, isCut: Bool) { (self.text, self.isCut) = (text, isCut) }

  /// Nil if the run has no log here.
  init?(of run: Int64, in folder: String) {
    do {
      let file = try OpenFile(
        ScriptLauncher.logPath(of: run, in: folder), Opening(O_RDONLY | O_NOFOLLOW, expecting: .file))
      let size = Int(try file.status().st_size)
      isCut = size > Self.most
      if isCut { lseek(file.descriptor, off_t(size - Self.most), SEEK_SET) }
      var bytes = try file.contents()[...]
      // Not from the middle of a line.
      if isCut, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) { bytes = bytes[(end + 1)...] }
      // PostgreSQL stores no NUL.
      text = OutputText(String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)).text
    } catch {
      // The log may have been removed by hand. It stays where it is.
      return nil
    }
  }
}
