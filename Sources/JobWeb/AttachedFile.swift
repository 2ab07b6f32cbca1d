import Files
import Glibc
import Jobs

/// A file that a run has attached, as a browser gets it.
struct AttachedFile {
  private static let most = 64 << 20
  let bytes: [UInt8]
  let type: String

  /// Throws `no_attachment` for a file that is gone, or is a link now.
  init(_ path: String) throws(JobError) {
    do {
      bytes = try OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .file)).contents(limit: Self.most)
    } catch { throw JobError("no_attachment", "cannot read \(path): \(error.reason)") }
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    type =
      ["html": "text/html; charset=utf-8", "json": "application/json", "har": "application/json"][ending]
      ?? "text/plain; charset=utf-8"
  }
}
