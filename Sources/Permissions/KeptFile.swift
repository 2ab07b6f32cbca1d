import Core
import Files
import Glibc

/// A file that is read in a run whose inputs are kept, or in a replay of it.
struct KeptFile {
  let file: Permissions.File
  let opening: Opening

  /// The first byte of what is kept says what follows.
  private enum Kind: UInt8 {
    case contents = 0
    /// The error number, as text.
    case failure = 1
    /// Nothing: the file is too large, or a device or a pipe. A replay reads it as it is then.
    case leftOut = 2
  }

  /// Larger files are not kept.
  private static let largest = 8 << 20

  func open(_ tape: any RunTape) throws(FileFailure) -> OpenFile {
    var opened: OpenFile?
    let kept: [UInt8]
    do {
      kept = try tape.input(.file, String(pathBytes: file.given)) {
        do throws(FileFailure) {
          let file = try file.openNow(opening)
          opened = file
          return try Self.contents(of: file).map { [Kind.contents.rawValue] + $0 } ?? [Kind.leftOut.rawValue]
        } catch { return [Kind.failure.rawValue] + Array(String(error.number).utf8) }
      }
    } catch { throw FileFailure(number: EIO, (error as? any Failure)?.message) }
    if let opened { return opened }
    switch kept.first.flatMap(Kind.init) {
    case .contents: return try Self.file(with: kept.dropFirst())
    case .failure: throw FileFailure(number: Int32(String(decoding: kept.dropFirst(), as: UTF8.self)) ?? EIO)
    case .leftOut, nil: return try file.openNow(opening)
    }
  }

  private static func contents(of file: OpenFile) throws(FileFailure) -> [UInt8]? {
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largest else { return nil }
    let contents = try file.contents()
    lseek(file.descriptor, 0, SEEK_SET)
    return contents
  }

  private static func file(with contents: some Collection<UInt8>) throws(FileFailure) -> OpenFile {
    let file = try OpenFile.inMemory()
    try file.write(contents)
    lseek(file.descriptor, 0, SEEK_SET)
    return file
  }
}
