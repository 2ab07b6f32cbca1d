import Core
import Crypto
import Files
import Glibc
import Jobs

/// A file that a run has attached, as a browser gets it.
struct AttachedFile {
  let bytes: [UInt8]
  let type: String

  /// Throws `no_attachment` for a file of another machine, and for one that is not there as the run has attached it.
  /// - Parameter machine: the name of this machine; nil where there is only one.
  init(_ file: JobStore.Attachment, on machine: String?) throws(JobError) {
    let path = file.path
    func failure(_ problem: String, hint: String? = nil) -> JobError {
      JobError("no_attachment", "\(path.displayable): \(problem)", hint: hint)
    }
    guard file.machine == machine else {
      throw failure("the file is on the machine \((file.machine ?? "that served alone").displayable)")
    }
    guard let digest = file.digest else {
      throw failure("an earlier version has attached the file, and not stored its digest")
    }
    // The path is that of the database: nothing is read but what the run has attached.
    do {
      bytes = try OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .file)).contents(
        limit: JobStore.Attachment.most)
    } catch { throw failure("cannot read the file: \(error.reason)") }
    guard HMAC.areEqual(Array(SHA256.hash(bytes).hexadecimal.utf8), Array(digest.utf8)) else {
      throw failure(
        "the file is not the one that the run has attached", hint: "let the script attach a file when it is complete")
    }
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    type =
      ["html": "text/html; charset=utf-8", "json": "application/json", "har": "application/json"][ending]
      ?? "text/plain; charset=utf-8"
  }
}
