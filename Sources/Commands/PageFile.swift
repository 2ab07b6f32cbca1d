package import Automation
import CommandLine
import Files
import Glibc
import HostLoop
import Permissions

/// The file of a page about runs.
package enum PageFile {
  /// Only the owner of a run may read its page.
  /// - Parameters:
  ///   - option: the option that names the page.
  ///   - traces: files that the page must not replace.
  @HostActor
  package static func write(
    _ option: String, _ path: String, of traces: [String], _ console: Console, _ body: (CInt) throws -> Void
  ) throws {
    guard !traces.contains(where: { ResolvedPath.areOneFile($0, path) }) else {
      throw UsageError(
        "\(option): \(path) is the trace itself, which would be lost", hint: "name another file for the page")
    }
    let file: OpenFile
    do throws(FileFailure) {
      file = try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600))
      guard fchmod(file.descriptor, 0o600) == 0 || errno == EPERM else { throw FileFailure(number: errno) }
    } catch {
      throw UsageError("cannot write \(path): \(error.reason)", hint: "name a folder that can be written to")
    }
    try body(file.descriptor)
    console.log(.info, "wrote \(path)")
  }
}
