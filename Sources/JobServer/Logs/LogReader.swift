import Compression
import Core
import Files
import Glibc
import JobLogs
package import Jobs

/// Reads the log of a run, also while it grows.
package final class LogReader {
  private static let most = 64 << 20
  private let path: String
  private let compressed: String
  /// The bytes that were read.
  private var position = 0

  package init(run: Int64, in folder: String) {
    path = LogFile.path(of: run, in: folder)
    compressed = LogFile.compressedPath(of: run, in: folder)
  }

  /// True if this machine has a log of the run.
  package static func exists(_ run: Int64, in folder: String) -> Bool {
    FileSystem.exists(LogFile.path(of: run, in: folder))
      || FileSystem.exists(LogFile.compressedPath(of: run, in: folder))
  }

  /// The text since the last call. Empty for a run that has written nothing.
  package func rest() throws(JobError) -> String {
    let bytes: ArraySlice<UInt8>
    do {
      if let plain = try read(path) {
        bytes = plain.dropFirst(position)
      } else if let packed = try read(compressed) {
        bytes = try decompress(packed).dropFirst(position)
      } else {
        return ""
      }
    } catch let error as FileFailure {
      throw JobError("no_log", "cannot read the log \(path): \(error.reason)")
    } catch { throw JobError("no_log", "cannot read the log \(compressed): \(error)") }
    position += bytes.count
    return OutputText(String(decoding: bytes, as: UTF8.self)).text
  }

  /// Nil if there is no such file.
  private func read(_ path: String) throws(FileFailure) -> [UInt8]? {
    do { return try OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .file)).contents(limit: Self.most) } catch
    {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  private func decompress(_ packed: [UInt8]) throws -> [UInt8] {
    let decompressor = try Decompressor(.gzip)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var taken = 0
    while text.count < Self.most {
      let step = try packed.withUnsafeBytes { input in
        try buffer.withUnsafeMutableBytes { output in
          try decompressor.decompress(UnsafeRawBufferPointer(rebasing: input[taken...]), into: output)
        }
      }
      text += buffer[..<step.written]
      taken += step.taken
      if step.written == 0, taken == packed.count || step.taken == 0 { break }
    }
    return text
  }
}
