import Glibc
import Markup

/// The cells of a sheet of Office Open XML (ECMA-376, part 1, 18.3).
final class OfficeSheet: XMLStream.Handler {
  private enum CellType { case number, shared, text, boolean, date, error }

  private let rows: SheetRows
  private let strings: SharedStrings
  private let formats: NumberFormats
  private var column = -1
  private var type = CellType.number
  private var style = 0
  private var value: [UInt8] = []
  private var isInValue = false
  private var isFormula = false
  private var phonetics = 0

  init(_ rows: SheetRows, _ strings: SharedStrings, _ formats: NumberFormats) {
    (self.rows, self.strings, self.formats) = (rows, strings, formats)
  }

  func start(_ name: XMLStream.Name, _ attributes: XMLStream.Attributes) {
    switch name {
    case "c":
      // The reference tells the column: empty cells are left out.
      column = attributes["r"].flatMap(Self.column) ?? column + 1
      type = attributes["t"].map(Self.type) ?? .number
      style = attributes["s"].flatMap(Self.number) ?? 0
      value.removeAll(keepingCapacity: true)
      isFormula = false
    case "v": isInValue = true
    case "t": isInValue = phonetics == 0
    case "f": isFormula = true
    case "rPh": phonetics += 1
    case "row":
      column = -1
      if let row = attributes["r"].flatMap(Self.number) { rows.move(to: row) }
    default: break
    }
  }

  func end(_ name: XMLStream.Name) {
    switch name {
    case "v", "t": isInValue = false
    case "rPh": phonetics -= 1
    case "c": endCell()
    case "row": rows.endRow()
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) { if isInValue { value += bytes } }

  private func endCell() {
    if value.isEmpty {
      if isFormula {
        rows.refuse("the formula in cell \(place) has no value: save the workbook in a spreadsheet program")
      }
      return
    }
    switch type {
    case .text: addText(value[...])
    case .error: rows.add(value, column: column)
    case .boolean: rows.add((value == [0x30] ? "FALSE" : "TRUE").utf8, column: column)
    case .date: rows.add(Self.withoutMidnight(value), column: column)
    case .shared:
      guard let text = Self.number(value).flatMap({ strings[$0] }) else {
        rows.refuse("the text of cell \(place) is not in the workbook")
        return
      }
      addText(text)
    case .number: addNumber()
    }
  }

  private func addNumber() {
    let kind = formats.kind(style)
    // Whole numbers below 10^15 stand as they are.
    if kind == .number, value.count <= 15, value.allSatisfy({ (0x30...0x39).contains($0) }) {
      rows.add(value, column: column)
      return
    }
    let text = String(decoding: value, as: UTF8.self)
    guard let number = Double(text) else {
      rows.refuse("the number of cell \(place) cannot be read: \(text)")
      return
    }
    if kind == .number {
      rows.add(Self.shown(number).utf8, column: column)
    } else if let date = SerialDate.text(number, kind, startsIn1904: formats.startsIn1904) {
      rows.add(date.utf8, column: column)
    } else {
      rows.refuse("the date in cell \(place) is before 1900, or no day: \(text)")
    }
  }

  /// A number with the 15 digits that spreadsheets show.
  private static func shown(_ number: Double) -> String {
    var text = [CChar](repeating: 0, count: 40)
    let count = withVaList([number]) { vsnprintf(&text, text.count, "%.15G", $0) }
    return String(decoding: text.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Adds a text, in which `_x000D_` stands for a character that XML cannot hold (18.4.12).
  private func addText(_ text: ArraySlice<UInt8>) {
    guard text.contains(UInt8(ascii: "_")) else {
      rows.add(text, column: column)
      return
    }
    var output: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      if byte == UInt8(ascii: "_"), rest.count >= 7, rest[rest.startIndex + 1] == UInt8(ascii: "x"),
        rest[rest.startIndex + 6] == UInt8(ascii: "_"),
        let code = UInt32(
          String(decoding: rest[(rest.startIndex + 2)..<(rest.startIndex + 6)], as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(code)
      {
        output += Array(String(scalar).utf8)
        rest = rest.dropFirst(7)
      } else {
        output.append(byte)
        rest = rest.dropFirst()
      }
    }
    rows.add(output, column: column)
  }

  private static func withoutMidnight(_ value: [UInt8]) -> [UInt8] {
    let midnight = Array("T00:00:00".utf8)
    let time = value.dropFirst(10)
    return time.starts(with: midnight) && time.dropFirst(midnight.count).allSatisfy({ ".0Z".utf8.contains($0) })
      ? Array(value.prefix(10)) : value
  }

  private static func type(_ name: UnsafeBufferPointer<UInt8>) -> CellType {
    switch String(decoding: name, as: UTF8.self) {
    case "s": .shared
    case "str", "inlineStr": .text
    case "b": .boolean
    case "d": .date
    case "e": .error
    default: .number
    }
  }

  /// The column of a reference such as `C7`, counting from 0.
  private static func column(_ reference: UnsafeBufferPointer<UInt8>) -> Int? {
    var column = 0
    for byte in reference.prefix(4) {
      guard (0x41...0x5A).contains(byte) else { break }
      column = column * 26 + Int(byte) - 0x40
    }
    return column == 0 ? nil : column - 1
  }

  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 12 else { return nil }
    var number = 0
    for byte in digits {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int(byte) - 0x30
    }
    return number
  }

  /// The reference of the present cell.
  private var place: String {
    var (letters, rest) = ("", column + 1)
    while rest > 0 {
      letters = String(UnicodeScalar(UInt8(0x41 + (rest - 1) % 26))) + letters
      rest = (rest - 1) / 26
    }
    return "\(letters)\(rows.count + 1)"
  }
}
