/// The names of the members in the beginning of a JSON document, by their paths: `lists`, `data[].gid`, `[].uuid`. Of each
/// array, the first element counts. The document need not be whole, and it is not checked.
package struct JSONOutline: Sendable, Equatable {
  package private(set) var paths: Set<String> = []
  package private(set) var isArray = false

  /// Deeper members are left out.
  private static let deepest = 5

  private struct Frame {
    let isArray: Bool
    /// The path of the members or elements; nil for what is left out.
    let path: String?
    var isFirst = true
    var expectsName = true
  }

  /// Nil for a text that begins with neither an object nor an array.
  init?(_ text: UnsafeRawBufferPointer) {
    guard let start = text.firstIndex(where: { !JSONRecord.isBlank($0) }) else { return nil }
    guard text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") else { return nil }
    isArray = text[start] == UInt8(ascii: "[")
    var frames: [Frame] = []
    var name: String?
    var index = start
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isList = text[index] == UInt8(ascii: "[")
        frames.append(Frame(isArray: isList, path: Self.path(in: frames.last, name, of: frames.count)))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        frames.removeLast()
        guard let last = frames.last else { return }
        // The other elements are like the first one.
        if frames.count == 1, last.isArray { return }
      case UInt8(ascii: ","):
        guard let last = frames.indices.last else { return }
        frames[last].isFirst = false
        frames[last].expectsName = true
      case UInt8(ascii: ":"): if let last = frames.indices.last { frames[last].expectsName = false }
      case UInt8(ascii: "\""):
        let end = Self.end(ofTextAt: index, text)
        if let last = frames.last, !last.isArray, last.expectsName {
          name = String(decoding: UnsafeRawBufferPointer(rebasing: text[min(index + 1, end)..<end]), as: UTF8.self)
          if let path = last.path, let name { paths.insert(path.isEmpty ? name : "\(path).\(name)") }
        }
        index = end
      default: break
      }
      index += 1
    }
  }

  /// The path of the members of a value in that frame.
  private static func path(in frame: Frame?, _ name: String?, of depth: Int) -> String? {
    guard let frame else { return "" }
    guard depth < deepest, let path = frame.path else { return nil }
    if frame.isArray { return frame.isFirst ? "\(path)[]" : nil }
    return name.map { path.isEmpty ? $0 : "\(path).\($0)" }
  }

  /// The index of the quote that ends a text.
  private static func end(ofTextAt start: Int, _ text: UnsafeRawBufferPointer) -> Int {
    var index = start + 1
    while index < text.count, text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(index, text.count)
  }
}
