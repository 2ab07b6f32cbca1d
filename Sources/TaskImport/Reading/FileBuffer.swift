import Compression
import Glibc

/// A file read through a window: the text from the row under way onwards, as much as fits. What stands in the window is
/// UTF-8 and not compressed.
///
/// The window is memory of its own rather than a mapping of the file: a file that another program cuts short while it
/// is mapped ends the process with SIGBUS.
final class FileBuffer {
  private static let initialSize = 256 << 10
  /// So many bytes behind the window may be read, whatever they are: who looks at eight at once needs no care at its end.
  private static let slack = 16
  /// No row may be longer. What is longer comes from a quote that is not closed, or is no list of tasks.
  static let maximumRowSize = 16 << 20

  /// The path, or "standard input".
  let name: String
  private let input: FileInput
  private var memory: UnsafeMutableRawBufferPointer
  /// The first byte still needed, and the end of those known to be UTF-8, in `memory`.
  private(set) var start = 0
  private(set) var end = 0
  /// The end of the bytes read: behind `end` are the beginning of a character, or what is not UTF-8.
  private var readEnd = 0
  private var inputHasEnded = false
  /// True if to wait for a pipe that has nothing to read yet; else that is an error, after which one can go on.
  var waits = true
  /// Why no more can be read. What was read before can be used.
  private var problem: FileProblem?
  /// How many bytes of the text lie before `start`.
  private(set) var consumed = 0

  init(_ source: SourceFile) throws(ImportError) {
    name = source.name
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

  /// How it is compressed, in words; nil when it is not.
  var compression: String? { input.compression?.rawValue }
  /// How much of the file has been consumed, as it lies on disk.
  var bytesRead: Int { input.compression == nil ? consumed : input.bytesRead }
  var totalBytes: Int? { input.totalBytes }
  /// The descriptor to wait for; nil for a regular file.
  var pipe: Int32? { input.pipe }
  /// True if the window reaches to the end of the file.
  var isAtEnd: Bool { inputHasEnded && end == readEnd }

  /// The window's memory; what counts is in `start..<end`.
  var base: UnsafeRawPointer { UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped) }

  /// The text from `start` onwards.
  var window: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + start, count: end - start) }

  /// Gives up the next `count` bytes of the window.
  func consume(_ count: Int) {
    start += count
    consumed += count
  }

  /// Reads on; the window moves to the front of its memory, which grows when it is full. Indices from before are void.
  /// - Parameter line: the one on which `start` is, for errors.
  func fill(line: Int) throws(ImportError) {
    try read(line: line)
    try checkText(line: line)
  }

  /// Throws when the file changed since its end was read. To be called before what stands last is taken for whole: when
  /// no line break ends it, somebody may be about to write on.
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

  func rowTooLong(_ line: Int) -> ImportError {
    ImportError(
      kind: .rowTooLong, message: "\(name):\(line): this row is longer than \(Self.maximumRowSize >> 20) MiB",
      hint: "is the format right?", line: line)
  }

  /// Moves `end` behind what is known to be UTF-8. Throws only when it cannot move: what stands before comes first.
  private func checkText(line: Int) throws(ImportError) {
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
}

extension FileBuffer {
  /// The beginning of the text, `size` bytes of it or more if there are as many. Of a pipe, so many lines do: whoever
  /// writes to it may wait for what becomes of them. Where less can be read than there is, what could be.
  func sample(_ size: Int, lines: Int = 2) throws(ImportError) -> UnsafeRawBufferPointer {
    while window.count < size, !isAtEnd, totalBytes != nil || lineBreaks(in: window) < lines {
      do { try fill(line: 1) } catch {
        guard !window.isEmpty else { throw error }
        // It comes again from whoever gets there.
        break
      }
    }
    return window
  }

  /// `format`, and how it is compressed.
  func summary(_ format: String) -> String { compression.map { "\(format), \($0)" } ?? format }
}
