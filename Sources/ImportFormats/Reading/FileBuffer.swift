import Compression
import Glibc

/// A file read through a window: the text from the present row on, as much as fits, decompressed and valid UTF-8. It is
/// no mapping of the file: a mapped file that another program cuts short ends the process with SIGBUS.
final class FileBuffer {
  private static let initialSize = 256 << 10
  /// The readable bytes behind the window: code that looks at eight bytes at once needs no care at its end.
  private static let slack = 16
  /// The longest row. A longer one comes from a quote that is not closed, or is no list of tasks.
  static let maximumRowSize = 16 << 20

  /// The path, or "standard input".
  let name: String
  private let input: FileInput
  private var memory: UnsafeMutableRawBufferPointer
  /// The first byte that is still needed, and the end of the bytes known to be UTF-8, in `memory`.
  private(set) var start = 0
  private(set) var end = 0
  /// The end of the bytes read. Behind `end` there may be a part of a character, or other bytes than UTF-8.
  private var readEnd = 0
  private var inputHasEnded = false
  /// True to wait for a pipe without data; otherwise that is an error, after which reading can continue.
  var waits = true
  /// The reason why no more can be read. The bytes before it can be used.
  private var problem: FileProblem?
  /// The number of bytes of the text before `start`.
  private(set) var consumed = 0

  /// False if whoever reads it checks that it is UTF-8.
  private let checksText: Bool

  init(_ source: SourceFile, checksText: Bool = true) throws(ImportError) {
    name = source.name
    self.checksText = checksText
    do { input = try FileInput(source) } catch { throw error.error(name, line: 1) }
    guard let memory = malloc(Self.initialSize + Self.slack) else { fatalError("no memory for a window of a file") }
    self.memory = UnsafeMutableRawBufferPointer(start: memory, count: Self.initialSize)
    while readEnd < 4, !inputHasEnded { try read(line: 1) }
    try refuseOtherKinds(UnsafeRawBufferPointer(start: base, count: readEnd))
    try refuseOtherEncodings(UnsafeRawBufferPointer(start: base, count: min(4, readEnd)))
    try checkText(line: 1)
    if window.starts(with: [0xEF, 0xBB, 0xBF]) { consume(3) }
  }

  deinit { free(memory.baseAddress) }

  var compression: String? { input.compression?.rawValue }
  /// The bytes of the file on disk that have been consumed.
  var bytesRead: Int { input.compression == nil ? consumed : input.bytesRead }
  var totalBytes: Int? { input.totalBytes }
  var pipe: Int32? { input.pipe }
  var isAtEnd: Bool { inputHasEnded && end == readEnd }

  /// The window's memory, used in `start..<end`.
  var base: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped) }

  var window: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

  func consume(_ count: Int) {
    start += count
    consumed += count
  }

  /// Reads more and moves the window in its memory: earlier indices become invalid. `line` is that of `start`.
  func fill(line: Int) throws(ImportError) {
    try read(line: line)
    try checkText(line: line)
  }

  /// Throws if the file changed since its end was read. Called before the last line is used: without a line break,
  /// somebody may still write to it.
  func confirmEnd() throws(ImportError) { do { try input.confirmSize() } catch { throw error.error(name, line: 1) } }

  private func read(line: Int) throws(ImportError) {
    if start > 0 {
      let target = memory.baseAddress.unsafelyUnwrapped
      memmove(target, target + start, readEnd - start)
      end -= start
      readEnd -= start
      start = 0
    }
    guard !inputHasEnded else { return }
    if let problem { throw problem.error(name, line: line) }
    if readEnd == memory.count { try grow(line: line) }
    guard waits || input.isReadable else {
      throw ImportError(kind: .wouldBlock, message: "\(name) has nothing to read yet")
    }
    do {
      let count = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[readEnd...]))
      readEnd += count
      inputHasEnded = count == 0
    } catch {
      problem = error
      throw error.error(name, line: line)
    }
  }

  private func grow(line: Int) throws(ImportError) {
    let size = min(2 * memory.count, Self.maximumRowSize)
    guard memory.count < size, let larger = realloc(memory.baseAddress, size + Self.slack) else {
      throw rowTooLong(line)
    }
    memory = UnsafeMutableRawBufferPointer(start: larger, count: size)
  }

  func lengthReason(_ noun: String) -> String { "this \(noun) is longer than \(Self.maximumRowSize >> 20) MiB" }

  func rowTooLong(_ line: Int) -> ImportError {
    ImportError(
      kind: .rowTooLong, message: "\(name):\(line): \(lengthReason("row"))",
      hint: "is the format right?", line: line)
  }

  /// Moves `end` behind the bytes known to be UTF-8. Throws only if it cannot move: the bytes before come first.
  private func checkText(line: Int) throws(ImportError) {
    guard checksText else {
      end = readEnd
      return
    }
    let bytes = UnsafeRawBufferPointer(start: base + end, count: readEnd - end)
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
      end = readEnd
    } catch {
      end += error.byteOffsets.lowerBound
      let isCutOff = error.kind == .truncatedScalar && error.byteOffsets.upperBound == bytes.count
      guard error.byteOffsets.lowerBound == 0, !isCutOff || inputHasEnded else { return }
      throw invalidUTF8(bytes[0], line: line)
    }
  }

  /// The error for a byte behind the window that is not UTF-8. The window begins on the line `first`.
  private func invalidUTF8(_ byte: UInt8, line first: Int) -> ImportError {
    notUTF8(byte, line: first + lineBreaks(in: window), " at offset \(consumed + end - start)")
  }

  func notUTF8(_ byte: UInt8, line: Int, _ place: String = "") -> ImportError {
    let digits = String(byte, radix: 16, uppercase: true)
    // Bytes that no text has in any encoding of letters.
    let unread = UnsafeRawBufferPointer(start: base + start, count: readEnd - start)
    if unread.prefix(4096).contains(where: { $0 < 9 || (14...26).contains($0) }) {
      return ImportError(
        kind: .notText, message: "\(name) is not text: byte 0x\(digits)\(place), expected a list of tasks as text",
        hint: KindRecognition.list, line: line)
    }
    return ImportError(
      kind: .invalidUTF8, message: "\(name):\(line): the file is not UTF-8: byte 0x\(digits)\(place)",
      hint: "convert it: iconv -f WINDOWS-1252 -t UTF-8", line: line)
  }

  /// The beginning of the text: at least `size` bytes, if there are so many. For a pipe, so many lines are enough: its
  /// writer may wait for their outcome. After an error, only the bytes before it.
  func sample(_ size: Int, lines: Int = 2) throws(ImportError) -> UnsafeRawBufferPointer {
    while window.count < size, !isAtEnd, totalBytes != nil || lineBreaks(in: window) < lines {
      do { try fill(line: 1) } catch {
        guard !window.isEmpty else { throw error }
        // The error comes again when reading gets there.
        break
      }
    }
    return window
  }

  func summary(_ format: String) -> String { compression.map { "\(format), \($0)" } ?? format }
}
