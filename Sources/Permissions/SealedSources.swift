import Core
import Crypto
package import Files
import Glibc
package import HostLoop
package import JSON

/// The scripts and modules that a server has described to an agent, by their digests. A process of the server runs no other code
/// from their folder: each file is read once, and the bytes that are compared are those that run.
package struct SealedSources: Sendable, Equatable {
  /// The sources of this process; nil for a process that runs any code.
  package static let current = Locked<SealedSources?>(nil)
  /// The bytes of a file of code.
  private static let most = 64 << 20

  /// A real path.
  private let folder: String
  /// The SHA-256 digests, by real paths.
  private let digests: [String: String]

  package init(folder: String, digests: [String: String]) {
    (self.folder, self.digests) = (folder, digests)
  }

  /// Nil for JSON of another form.
  package init?(_ json: JSON) {
    guard let folder = json["folder"]?.string, let digests = json["digests"]?.object else { return nil }
    self.init(folder: folder, digests: digests.compactMapValues(\.string))
  }

  package var json: JSON {
    ["folder": .string(folder), "digests": .object(digests.mapValues { .string($0) })]
  }

  /// The code of an open file, which is read once.
  /// - Throws: EPERM for code that is not the code of the digests.
  package func contents(of file: OpenFile) throws(FileFailure) -> [UInt8] {
    let bytes = try file.contents(limit: Self.most)
    guard let path = FileSystem.target(ofLink: "/proc/self/fd/\(file.descriptor)").map({ String(pathBytes: $0) }) else {
      throw FileFailure(number: EPERM, "the system does not tell its path")
    }
    if let digest = digests[path] {
      guard SHA256.hash(bytes).hexadecimal == digest else { throw Self.changed }
    } else if path.hasPrefix("\(folder)/") {
      throw Self.changed
    }
    return bytes
  }

  /// The same as a file in memory.
  package func copy(of file: OpenFile) throws(FileFailure) -> OpenFile {
    let bytes = try contents(of: file)
    let copy = try OpenFile.inMemory()
    try copy.write(bytes)
    guard lseek(copy.descriptor, 0, SEEK_SET) == 0 else { throw FileFailure(number: errno) }
    return copy
  }

  private static let changed = FileFailure(
    number: EPERM, "it was changed after the server started; start the server again")
}
