import Compression
import Encodings
import Glibc

/// A file read through a window: the text from the present row on, as much as fits, decompressed and in UTF-8. The file is not
/// mapped: a mapped file that another program cuts short ends the process with SIGBUS.
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
  /// The encoding of the text. A class: each row asks for faults, and an access to a part of a struct costs a check of the others.
  private final class Decoding {
    /// The text of another encoding, which is converted; nil for UTF-8.
    var converted: ConvertedText?
    /// The encoding, as the bytes at the beginning show it; nil if the caller has named it, or reads bytes.
    var evidence: EncodingEvidence?
    /// The lines behind the window's start that cannot be used as they are.
    var faults = LineFaults()
  }

  private let decoding = Decoding()

  init(_ source: SourceFile, checksText: Bool = true) throws(ImportError) {
    name = source.name
    self.checksText = checksText
    do { input = try FileInput(source) } catch { throw error.error(name, line: 1) }
    guard let memory = malloc(Self.initialSize + Self.slack) else { fatalError("no memory for a window of a file") }
    self.memory = UnsafeMutableRawBufferPointer(start: memory, count: Self.initialSize)
    while readEnd < 4, !inputHasEnded { try read(line: 1) }
    try refuseOtherKinds(UnsafeRawBufferPointer(start: base, count: readEnd))
    try findEncoding(source.encoding)
    try checkText(line: 1)
    if window.starts(with: [0xEF, 0xBB, 0xBF]) { consume(3) }
  }

  deinit { free(memory.baseAddress) }

  /// The compression or the archive, and the encoding if it is not UTF-8, in words; nil for a plain file.
  private var packing: String? {
    let words = [container, decoding.converted?.encoding.rawValue].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
  /// The compression or the archive in words; nil for a plain file.
  var container: String? {
    let words = [input.compression?.rawValue, input.contained?.summary].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
  var encoding: TextEncoding { decoding.converted?.encoding ?? .utf8 }
  /// True if the file may have several parts, of which one is read.
  var hasParts: Bool { input.contained != nil }
  /// The name of the list inside of an archive; nil for a plain file.
  var containedName: String? { input.contained?.name }
  /// The sheets of a workbook that could be read instead.
  var otherSheets: [String] { input.contained?.otherSheets ?? [] }
  /// True for the rows of a sheet; see `ContainedText`.
  var isSheet: Bool { input.contained?.isSheet ?? false }
  /// True if the bytes of the window are those of the file.
  var isDirect: Bool { input.compression == nil && input.contained == nil && decoding.converted == nil }
  /// The bytes of the file on disk that have been consumed.
  var bytesRead: Int { isDirect ? consumed : input.bytesRead }
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

  /// The lines behind the window's start that cannot be used as they are.
  var faults: LineFaults { decoding.faults }

  /// False if no line needs a look, which would cost time in each row.
  var hasFaults: Bool { !decoding.faults.isEmpty }

  /// Takes the reason why one of the lines cannot be used as it is; nil if all can.
  func takeFault(_ lines: ClosedRange<Int>) -> String? { decoding.faults.isEmpty ? nil : decoding.faults.take(lines) }

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
      let room = UnsafeMutableRawBufferPointer(rebasing: memory[readEnd...])
      let count = decoding.converted == nil ? try input.read(into: room) : try readConverted(into: room)
      readEnd += count
      inputHasEnded = count == 0
      decoding.faults.add(input.contained?.takeFaults() ?? [])
      decoding.faults.add(decoding.converted?.takeFaults() ?? [])
    } catch {
      problem = error
      throw error.error(name, line: line)
    }
  }

  private func readConverted(into room: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    try decoding.converted?.read(into: room, from: input) ?? 0
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

  /// Decides on the encoding by the bytes that were read, and converts them.
  private func findEncoding(_ given: TextEncoding?) throws(ImportError) {
    guard checksText else { return }
    let beginning = UnsafeRawBufferPointer(start: base, count: readEnd)
    let found = EncodingEvidence(beginning)
    // JSON is in no code page (RFC 8259, 8.1).
    let first = beginning.first { $0 > 0x20 }
    let isJSON = first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    if found.encoding.isOfBytes, Self.isBinary(beginning), let byte = beginning.first(where: { $0 >= 0x80 }) {
      throw notUTF8(byte, line: 1)
    }
    if given == nil, !(isJSON && found.encoding.isOfBytes) { decoding.evidence = found }
    guard let encoding = given ?? decoding.evidence?.encoding, encoding != .utf8 else { return }
    decoding.converted = ConvertedText(encoding, beginning: Array(UnsafeRawBufferPointer(start: base, count: readEnd)))
    readEnd = 0
    inputHasEnded = false
    try read(line: 1)
  }

  /// Moves `end` behind the bytes known to be UTF-8. A byte that is not becomes a question mark, and its line gets a fault.
  private func checkText(line: Int) throws(ImportError) {
    var isText = false
    while end < readEnd, checksText {
      end += UTF8Prefix.length(UnsafeRawBufferPointer(start: base + end, count: readEnd - end))
      guard end < readEnd else { break }
      let bytes = UnsafeRawBufferPointer(start: base + end, count: readEnd - end)
      do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
        end = readEnd
      } catch {
        end += error.byteOffsets.lowerBound
        let isCutOff = error.kind == .truncatedScalar && error.byteOffsets.upperBound == bytes.count
        if isCutOff, !inputHasEnded { return }
        let byte = memory[end]
        if !isText, Self.isBinary(UnsafeRawBufferPointer(start: base + start, count: readEnd - start)) {
          throw notUTF8(byte, line: line, " at offset \(consumed + end - start)")
        }
        isText = true
        let place = decoding.faults.line(of: consumed + end - start, from: consumed, line: line, window)
        decoding.faults.add([LineFault(line: place, reason: Self.utf8Fault(byte))])
        memory[end] = UInt8(ascii: "?")
      }
    }
    end = readEnd
  }

  /// The doubt about an encoding in which the text reads as well as in another one.
  var encodingDoubt: ReadingDoubt? {
    guard let evidence = decoding.evidence, let rival = evidence.rival else { return nil }
    let names = [evidence.encoding, rival].map(\.rawValue)
    return ReadingDoubt(
      "its characters beyond ASCII may be \(names[0]) or \(names[1])",
      names.map { "--encoding \($0) (encoding = \"\($0)\" in a script)" }.joined(separator: " or ") + " decides")
  }

  private static func utf8Fault(_ byte: UInt8) -> String {
    "byte 0x\(String(byte, radix: 16, uppercase: true)) is not UTF-8: --encoding NAME (encoding = NAME in a script) names another encoding"
  }

  /// True for bytes that no text has in any encoding of letters.
  private static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.prefix(4096).contains { $0 < 9 || (14...26).contains($0) }
  }

  func notUTF8(_ byte: UInt8, line: Int, _ place: String = "") -> ImportError {
    let digits = String(byte, radix: 16, uppercase: true)
    if Self.isBinary(UnsafeRawBufferPointer(start: base + start, count: readEnd - start)) {
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

  /// The format with the packing of the file; the packing alone for a nil format.
  func summary(_ format: String?) -> String { [format, packing].compactMap(\.self).joined(separator: ", ") }
}
