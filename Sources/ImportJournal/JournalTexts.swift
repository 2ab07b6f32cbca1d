import TaskAPI

/// Short texts of the rows of a chunk, such as the IDs of their tasks; an empty text for a row without one. Neighbors often begin
/// alike, so each text is stored without the bytes that it shares with the one before. Stored texts are taken apart for
/// the first reader: most runs only need the states of the rows.
struct JournalTexts {
  /// A longer text is not kept, in bytes: it is no ID.
  static let longest = 1024

  private var stored: [UInt8] = []
  private var texts: [String] = []

  init() {}

  /// Nil for bytes that are not the texts of so many rows at most.
  init?(_ bytes: ArraySlice<UInt8>, most: Int) {
    var position = bytes.startIndex
    var (count, previous) = (0, 0)
    while position < bytes.endIndex {
      guard let (shared, length) = Self.lengths(bytes, &position), shared <= previous, shared + length <= Self.longest,
        length <= bytes.endIndex - position, count < most
      else { return nil }
      position += length
      count += 1
      if shared + length > 0 { previous = shared + length }
    }
    stored = Array(bytes)
  }

  var isEmpty: Bool { stored.isEmpty && texts.isEmpty }

  /// The text of a row by its place in the chunk.
  subscript(slot: Int) -> String {
    mutating get {
      unpack()
      return slot < texts.count ? texts[slot] : ""
    }
    set {
      unpack()
      let text = newValue.utf8.count <= Self.longest ? newValue : ""
      if slot >= texts.count {
        guard !text.isEmpty else { return }
        texts += repeatElement("", count: slot + 1 - texts.count)
      }
      texts[slot] = text
    }
  }

  /// The texts as they are stored; nothing if all are empty.
  var bytes: [UInt8] {
    guard stored.isEmpty else { return stored }
    guard let last = texts.lastIndex(where: { !$0.isEmpty }) else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * (last + 1))
    var previous = ""
    for text in texts[...last] {
      let shared = zip(previous.utf8, text.utf8).prefix { $0 == $1 }.count
      Self.append(shared, to: &bytes)
      Self.append(text.utf8.count - shared, to: &bytes)
      bytes.append(contentsOf: text.utf8.dropFirst(shared))
      if !text.isEmpty { previous = text }
    }
    return bytes
  }

  private mutating func unpack() {
    guard !stored.isEmpty else { return }
    var (position, previous) = (0, [UInt8]())
    while position < stored.count, let (shared, length) = Self.lengths(stored[...], &position) {
      let text = previous.prefix(shared) + stored[position..<position + length]
      texts.append(String(decoding: text, as: UTF8.self))
      position += length
      if !text.isEmpty { previous = Array(text) }
    }
    stored = []
  }

  /// Writes a number in one byte, or in two from 128 on.
  static func append(_ number: Int, to bytes: inout [UInt8]) {
    if number >= 0x80 { bytes.append(UInt8(number >> 7) | 0x80) }
    bytes.append(UInt8(number & 0x7f))
  }

  private static func lengths(_ bytes: ArraySlice<UInt8>, _ position: inout Int) -> (shared: Int, length: Int)? {
    guard let shared = number(bytes, &position), let length = number(bytes, &position) else { return nil }
    return (shared, length)
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ position: inout Int) -> Int? {
    var value = 0
    for _ in 0..<2 where position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      value = value << 7 | Int(byte & 0x7f)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}

/// The tasks of the rows of a chunk: the IDs, the entity tags and the lists, each as `JournalTexts`.
struct JournalTasks {
  private var parts = [JournalTexts](repeating: JournalTexts(), count: 3)

  init() {}

  /// Nil for bytes that are not the tasks of so many rows at most.
  init?(_ bytes: [UInt8], most: Int) {
    var rest = bytes[...]
    for part in parts.indices where !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard count <= rest.count, let texts = JournalTexts(rest.prefix(count), most: most) else { return nil }
      parts[part] = texts
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty else { return nil }
  }

  /// Nothing if no row has a task with an ID.
  var bytes: [UInt8] {
    let parts = parts.map(\.bytes)
    guard let last = parts.lastIndex(where: { !$0.isEmpty }) else { return [] }
    return parts[...last].flatMap { part in
      withUnsafeBytes(of: UInt32(part.count).littleEndian) { Array($0) } + part
    }
  }

  /// The task of a row by its place in the chunk; nil for a row without an ID of a task.
  subscript(slot: Int) -> TaskReference? {
    mutating get {
      let texts = parts.indices.map { parts[$0][slot] }
      guard !texts[0].isEmpty else { return nil }
      return TaskReference(
        id: texts[0], entityTag: texts[1].isEmpty ? nil : texts[1], list: texts[2].isEmpty ? nil : texts[2])
    }
    set {
      parts[0][slot] = newValue?.id ?? ""
      parts[1][slot] = newValue?.entityTag ?? ""
      parts[2][slot] = newValue?.list ?? ""
    }
  }
}
