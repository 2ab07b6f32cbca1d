import Core

/// A reader of lines from a terminal in non-canonical mode. Text is typed, edited with a few keys, or pasted.
struct LineEditor {
  typealias Kind = ControllingTerminal.LineKind

  enum Event: Equatable {
    case line(String)
    /// Ctrl-D on an empty line.
    case end
  }

  private enum Mode {
    case text
    case escape
    /// Inside a control sequence (ECMA-48, 5.4).
    case sequence([UInt8])
  }

  private let kind: Kind
  private var line: [UInt8] = []
  private var mode = Mode.text
  private var isPasting = false
  /// True behind a line break in a pasted address: the following indentation is dropped.
  private var isWrapping = false
  /// The bytes to show. The terminal itself does not echo.
  private var echo: [UInt8] = []

  init(_ kind: Kind) { self.kind = kind }

  /// Takes bytes up to the end of the line.
  mutating func take(_ bytes: inout ArraySlice<UInt8>) -> Event? {
    while let byte = bytes.popFirst() {
      switch mode {
      case .escape: mode = byte == UInt8(ascii: "[") ? .sequence([]) : .text
      case .sequence(let parameters):
        if (0x40...0x7e).contains(byte) {
          mode = .text
          end(sequence: parameters + [byte])
        } else {
          mode = .sequence(parameters.count < 16 ? parameters + [byte] : parameters)
        }
      case .text:
        if let event = take(byte, more: !bytes.isEmpty) { return event }
      }
    }
    return nil
  }

  mutating func takeEcho() -> [UInt8] {
    defer { echo = [] }
    return kind == .secret ? echo.filter { $0 == 0x0a } : echo
  }

  private mutating func take(_ byte: UInt8, more: Bool) -> Event? {
    switch byte {
    case 0x1b: mode = .escape
    case 0x0a, 0x0d:
      // Terminals that do not mark pasted text also send it in one piece.
      if kind == .address, isPasting || more && (line.contains(UInt8(ascii: "=")) || line.contains(UInt8(ascii: "/"))) {
        isWrapping = true
      } else {
        defer { line = [] }
        echo.append(0x0a)
        return .line(String(decoding: line, as: UTF8.self))
      }
    case 0x04 where line.isEmpty: return .end
    case 0x08, 0x7f: erase()
    case 0x15, 0x17: while !line.isEmpty { erase() }
    case 0x20 where isWrapping: break
    case 0x00..<0x20: break
    default:
      isWrapping = false
      line.append(byte)
      echo.append(byte)
    }
    return nil
  }

  private mutating func end(sequence: [UInt8]) {
    if sequence == Array("200~".utf8) { isPasting = true }
    if sequence == Array("201~".utf8) { (isPasting, isWrapping) = (false, false) }
  }

  private mutating func erase() {
    guard !line.isEmpty else { return }
    var character = [UInt8]()
    while let last = line.popLast() {
      character.insert(last, at: 0)
      if last & 0xc0 != 0x80 { break }
    }
    for _ in 0..<String(decoding: character, as: UTF8.self).displayWidth { echo += Array("\u{8} \u{8}".utf8) }
  }
}
