import Archives
import Compression
import Core
import Files
import Glibc

/// The bytes of a file, or of standard input for "-": decompressed, or those of the list inside of an archive or a workbook.
final class FileInput {
  private static let pieceSize = 64 << 10

  /// The compression, found by the content: no text begins like one of these formats.
  private(set) var compression: CompressionFormat?
  /// The size of a regular file when it was opened; nil for a pipe.
  let totalBytes: Int?
  /// The text inside of the file, if it is an archive or a workbook.
  private(set) var contained: (any ContainedText)?
  private var directBytes = 0
  /// The bytes of the file on disk that have been read.
  var bytesRead: Int { contained?.position ?? directBytes }
  /// The time of the last change of a regular file when it was opened.
  private let written: timespec
  private let descriptor: Int32
  /// Keeps the descriptor open; nil for standard input.
  private let file: OpenFile?
  /// The offset of the first byte: another program may have read a part of standard input before.
  private let startOffset: Int
  private var decompressor: Decompressor?
  /// Bytes of the file, and the place of those that were read and not handed out.
  private var piece: (memory: UnsafeMutableRawBufferPointer, start: Int, end: Int)
  private var isAtEnd = false

  init(_ source: SourceFile) throws(FileProblem) {
    file = source.file
    descriptor = source.file?.descriptor ?? STDIN_FILENO
    piece = (.allocate(byteCount: Self.pieceSize, alignment: 16), 0, 0)
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let isRegular = isKnown && status.st_mode & S_IFMT == S_IFREG
    written = status.st_mtim
    startOffset = isRegular && file == nil ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
    // Some of the kernel's files have no size.
    totalBytes = isRegular && status.st_size > 0 ? max(0, Int(status.st_size) - startOffset) : nil
    if isKnown, status.st_mode & S_IFMT == S_IFDIR {
      throw FileProblem(kind: .isDirectory, message: "is a directory, expected a file")
    }
    try findCompression(source.path)
    guard compression == nil, let kind = Containers.Kind(piece.memory[..<piece.end]) else { return }
    let whole: (file: OpenFile, size: Int)
    if let totalBytes, let file { whole = (file, totalBytes) } else { whole = try keepInMemory() }
    contained = try Containers.open(kind, whole.file, 0..<whole.size, part: source.part, book: source.book)
  }

  /// An archive has its directory at its end, so that one from a pipe is read as a whole first.
  private func keepInMemory() throws(FileProblem) -> (file: OpenFile, size: Int) {
    let memory = try FileProblem.memory { () throws(FileFailure) in try OpenFile.inMemory() }
    var size = 0
    while piece.end > 0 {
      try FileProblem.memory { () throws(FileFailure) in try memory.write(piece.memory[..<piece.end]) }
      size += piece.end
      guard size <= Self.mostInMemory else {
        throw FileProblem(
          kind: .unreadable, message: "is an archive of more than \(Self.mostInMemory >> 20) MiB from a pipe",
          hint: "save it as a file, and import that")
      }
      piece.end = try readFile(into: piece.memory)
    }
    return (memory, size)
  }

  private static let mostInMemory = 512 << 20

  deinit { piece.memory.deallocate() }

  /// The descriptor to wait for; nil for a regular file, which always has data.
  var pipe: Int32? { totalBytes == nil ? descriptor : nil }

  /// True if there are data, or the end.
  var isReadable: Bool {
    guard piece.start == piece.end, !isAtEnd, let pipe else { return true }
    var status = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    return poll(&status, 1, 0) != 0
  }

  /// Reads available bytes into `target`; 0 at the end of a complete file.
  func read(into target: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    if let contained { return try contained.read(into: target) }
    guard let decompressor else {
      guard piece.start == piece.end else { return copyPiece(to: target) }
      return try readFile(into: target)
    }
    while true {
      let input = UnsafeRawBufferPointer(rebasing: piece.memory[piece.start..<piece.end])
      do {
        let step = try decompressor.decompress(input, into: target)
        piece.start += step.taken
        if step.written > 0 { return step.written }
        guard piece.start == piece.end else { continue }
        if isAtEnd {
          try decompressor.finish()
          return 0
        }
      } catch { throw failure(error) }
      (piece.start, piece.end) = (0, 0)
      piece.end = try readFile(into: piece.memory)
      isAtEnd = piece.end == 0
    }
  }

  private func copyPiece(to target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(target.count, piece.end - piece.start)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece.memory[piece.start..<piece.start + count]))
    piece.start += count
    return count
  }

  /// Reads the bytes on disk, up to the file's size at the start.
  private func readFile(into target: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    let room = totalBytes.map { min(target.count, $0 - directBytes) } ?? target.count
    if room > 0 {
      let count: Int
      do { count = try OpenFile.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target[..<room])) } catch
      {
        throw FileProblem(kind: .unreadable, message: "cannot be read: \(error.reason)")
      }
      if count > 0 {
        try confirmContent()
        directBytes += count
        return count
      }
    }
    try confirmSize()
    return 0
  }

  /// Throws if the file's size is not that at the start. Called at the end of the file.
  func confirmSize() throws(FileProblem) {
    guard let totalBytes else { return }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let now = isKnown ? max(0, Int(status.st_size) - startOffset) : directBytes
    // An archive is read where its directory says.
    let read = contained == nil ? directBytes : totalBytes
    guard now != totalBytes || read != totalBytes else { return }
    let size = now != totalBytes ? now : read
    let change = size > totalBytes ? "grew" : "shrank"
    throw FileProblem(
      kind: .sourceChanged, message: "\(change) while it was read, from \(totalBytes) bytes to \(size)",
      hint: Self.changedHint)
  }

  /// Throws if the file was written to in place. A file that has grown can be read up to its earlier size, and
  /// `confirmSize` finds one that has shrunk.
  private func confirmContent() throws(FileProblem) {
    var status = stat()
    guard let totalBytes, fstat(descriptor, &status) == 0, Int(status.st_size) - startOffset == totalBytes,
      status.st_mtim.tv_sec != written.tv_sec || status.st_mtim.tv_nsec != written.tv_nsec
    else { return }
    throw FileProblem(kind: .sourceChanged, message: "was written to while it was read", hint: Self.changedHint)
  }

  private static let changedHint =
    "the rows read until then are in the journal: import it again when nothing writes to it any more"

  private func findCompression(_ path: String) throws(FileProblem) {
    while piece.end < 4 {
      let rest = UnsafeMutableRawBufferPointer(rebasing: piece.memory[piece.end...])
      let count = try readFile(into: rest)
      if count == 0 { break }
      piece.end += count
    }
    isAtEnd = piece.end == 0
    compression = CompressionFormat(magic: piece.memory[..<min(4, piece.end)])
    guard let format = compression ?? (piece.end > 0 ? CompressionFormat(path: path) : nil) else { return }
    compression = format
    do { decompressor = try Decompressor(format) } catch { throw failure(error) }
  }

  private func failure(_ error: CompressionError) -> FileProblem {
    FileProblem(
      kind: error.kind == .truncated ? .truncatedFile : .damagedFile, message: error.message, hint: error.hint,
      place: error.kind == .notCompressed ? .file : .line)
  }
}
