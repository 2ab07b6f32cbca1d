import Core
import Files
import Glibc

/// The files with the logs of runs.
package enum LogFile {
  /// The log of a run; each try of it writes on.
  package static func path(of run: Int64, in folder: String) -> String { "\(folder)/\(run).log" }

  /// The log of a run that has ended, if it is long.
  package static func compressedPath(of run: Int64, in folder: String) -> String { path(of: run, in: folder) + ".gz" }
}

/// The end of the log of a run, which a database keeps for other machines.
package struct LogTail: Sendable {
  /// Bytes.
  package static let most = 64 << 10
  package let text: String
  /// True if the beginning is left out.
  package let isCut: Bool

  package init(text: String, isCut: Bool) { (self.text, self.isCut) = (text, isCut) }

  /// Nil if the run has no log here.
  package init?(of run: Int64, in folder: String) {
    do {
      let file = try OpenFile(
        LogFile.path(of: run, in: folder), Opening(O_RDONLY | O_NOFOLLOW, expecting: .file))
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
