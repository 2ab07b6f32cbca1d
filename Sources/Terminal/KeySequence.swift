/// The control sequences that keys send.
enum KeySequence {
  /// The beginning of a paste, which is no key.
  static let pasteStart = "paste-start"

  private static let byFinal: [UInt8: String] = [
    UInt8(ascii: "A"): "up", UInt8(ascii: "B"): "down", UInt8(ascii: "C"): "right", UInt8(ascii: "D"): "left",
    UInt8(ascii: "H"): "home", UInt8(ascii: "F"): "end", UInt8(ascii: "Z"): "shift-tab", UInt8(ascii: "M"): "enter",
    UInt8(ascii: "P"): "f1", UInt8(ascii: "Q"): "f2", UInt8(ascii: "R"): "f3", UInt8(ascii: "S"): "f4",
  ]

  private static let byNumber: [Int: String] = [
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end", 11: "f1",
    12: "f2",
    13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
    200: pasteStart,
  ]

  /// The key of a sequence.
  /// - Parameter bytes: the parameters and the final byte.
  static func key(_ bytes: ArraySlice<UInt8>) -> KeyPress? {
    guard let final = bytes.last else { return nil }
    let parameters = bytes.dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? 1 }
    let name = final == UInt8(ascii: "~") ? byNumber[parameters.first ?? 0] : byFinal[final]
    guard let name else { return nil }
    return KeyPress(modifiers(parameters.count > 1 ? parameters[1] : 1) + name)
  }

  /// xterm's second parameter is one more than the sum of the held modifiers.
  private static func modifiers(_ parameter: Int) -> String {
    let held = max(0, parameter - 1)
    return (held & 4 != 0 ? "ctrl-" : "") + (held & 2 != 0 ? "alt-" : "") + (held & 1 != 0 ? "shift-" : "")
  }
}
