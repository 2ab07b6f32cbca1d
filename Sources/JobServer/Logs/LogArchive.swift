import Compression
import Files
import Glibc
import HostLoop
import JobLogs
import Jobs

/// The logs of runs: plain while a run goes on, compressed afterwards.
package struct LogArchive: Sendable {
  /// A smaller file takes the same room on the disk.
  private static let least: Int64 = 4096
  private let folder: String

  /// - Parameter folder: the folder of the logs.
  package init(_ folder: String) { self.folder = folder }

  /// Compresses the log of a run that has ended, on a thread of its own. A log that cannot be compressed stays as it is.
  package func compress(_ run: Int64) {
    let path = LogFile.path(of: run, in: folder)
    guard let size = FileSystem.status(of: path)?.st_size, Int64(size) > Self.least else { return }
    let target = LogFile.compressedPath(of: run, in: folder)
    _ = SystemThread.start {
      do {
        let compressor = try Compressor(.gzip)
        var output: [UInt8] = []
        try FileSystem.contents(of: path).withUnsafeBytes { try compressor.add($0, to: &output) }
        try compressor.finish(to: &output)
        let part = "\(target).part"
        try OpenFile(part, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)).write(output)
        if FileSystem.rename(part, target) == 0 { FileSystem.unlink(path) }
      } catch {
        // The log is still there as text.
        FileSystem.unlink("\(target).part")
      }
    }
  }

  package func remove(_ run: Int64) {
    FileSystem.unlink(LogFile.path(of: run, in: folder))
    FileSystem.unlink(LogFile.compressedPath(of: run, in: folder))
  }
}
