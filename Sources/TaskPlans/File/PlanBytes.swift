import Core
import Crypto
import Files
import Glibc

/// The bytes of a plan's file, which is opened once and must not change from the check of its digest to its last row.
final class PlanBytes {
  private static let blockSize = 256 << 10

  private let file: OpenFile
  private let name: String
  private let size: Int
  private let stamp: Stamp
  private var buffer: [UInt8] = []
  /// The beginning of the next line in the buffer.
  private var start = 0
  /// The number of the last line that was read.
  private(set) var line = 0

  /// A file with the same stamp has not been written to.
  private struct Stamp: Equatable {
    let size: Int
    let times: [Int]

    init(_ status: stat) {
      size = Int(status.st_size)
      times = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
  }

  init(_ file: OpenFile, name: String) throws(PlanError) {
    self.file = file
    self.name = name
    let status: stat
    do { status = try file.status() } catch { throw .unreadable(name, error.reason) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .unreadable(name, isFolder ? "it is a folder" : "it is not a file, and a plan is read twice")
    }
    stamp = Stamp(status)
    size = stamp.size
  }

  /// The bytes at the beginning and at the end of the file, at most so many of each.
  func ends(_ most: Int) throws(PlanError) -> (first: [UInt8], last: [UInt8]) {
    (try bytes(from: 0, most), try bytes(from: max(0, size - most), most))
  }

  /// The digest of all bytes but the last ones.
  func digest(besides count: Int) throws(PlanError) -> [UInt8] {
    let hash = StreamedHash()
    let next = try blocks(besides: count)
    while let block = try next() { block.withUnsafeBytes { hash.add($0) } }
    return hash.end()
  }

  /// Returns a function that reads all bytes but the last ones, block by block; its answer is nil at the end.
  func blocks(besides count: Int = 0) throws(PlanError) -> () throws(PlanError) -> [UInt8]? {
    try seek(to: 0)
    var rest = size - count
    return { () throws(PlanError) in
      guard rest > 0 else { return nil }
      let block = try self.block(min(rest, Self.blockSize))
      guard !block.isEmpty else { throw self.changedMeanwhile }
      rest -= block.count
      return block
    }
  }

  /// Begins with the first line again.
  func rewind() throws(PlanError) {
    try seek(to: 0)
    (buffer, start, line) = ([], 0, 0)
  }

  /// The next line without its line feed; nil at the end.
  func nextLine() throws(PlanError) -> [UInt8]? {
    var searched = start
    while true {
      if let end = lineFeed(from: searched) {
        defer { start = end + 1 }
        line += 1
        return Array(buffer[start..<end])
      }
      searched = buffer.count - start
      buffer.removeFirst(start)
      start = 0
      let block = try block(Self.blockSize)
      guard !block.isEmpty else { return nil }
      buffer += block
    }
  }

  private func lineFeed(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base + index, 0x0A, bytes.count - index) else {
        return nil
      }
      return UnsafeRawPointer(found) - base
    }
  }

  private func bytes(from offset: Int, _ most: Int) throws(PlanError) -> [UInt8] {
    try seek(to: offset)
    return try block(most)
  }

  /// The next bytes, as many as asked for but at the end of the file.
  private func block(_ most: Int) throws(PlanError) -> [UInt8] {
    var block: [UInt8] = []
    do {
      while block.count < most {
        var piece = [UInt8](repeating: 0, count: most - block.count)
        let count = try file.read(into: &piece)
        if count == 0 { break }
        block += piece[..<count]
      }
      guard Stamp(try file.status()) == stamp else { throw changedMeanwhile }
      return block
    } catch let failure as FileFailure { throw .unreadable(name, failure.reason) } catch { throw changedMeanwhile }
  }

  private func seek(to offset: Int) throws(PlanError) {
    guard lseek(file.descriptor, off_t(offset), SEEK_SET) >= 0 else {
      throw .unreadable(name, FileFailure(number: errno).reason)
    }
  }

  private var changedMeanwhile: PlanError { .changed(name, "it was written to while it was being read") }
}
