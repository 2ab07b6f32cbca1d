import Markup

/// The kinds of the numbers of a workbook, by their styles: a date is a number whose format has a day, a month or a year
/// (ECMA-376, part 1, 18.8.30).
struct NumberFormats: Sendable {
  enum Kind: Sendable { case number, day, instant, time }

  /// By the number of a cell's style.
  private var kinds: [Kind] = []
  /// True if dates count from 1904, as files from old Macs do.
  let startsIn1904: Bool

  init() { startsIn1904 = false }

  init(_ styles: XMLElement?, startsIn1904: Bool) {
    self.startsIn1904 = startsIn1904
    var own: [String: Kind] = [:]
    func part(_ name: String) -> [XMLElement] { styles?.children.first { $0.name == name }?.children ?? [] }
    for format in part("numFmts") {
      if let id = format.attributes["numFmtId"], let code = format.attributes["formatCode"] {
        own[id] = Self.kind(code)
      }
    }
    kinds = part("cellXfs").map { style in
      let id = style.attributes["numFmtId"] ?? "0"
      return own[id] ?? Self.builtIn(Int(id) ?? 0)
    }
  }

  func kind(_ style: Int) -> Kind { kinds.indices.contains(style) ? kinds[style] : .number }

  private static func builtIn(_ id: Int) -> Kind {
    switch id {
    case 14...17, 27...31, 36, 50...54, 57, 58: .day
    case 18...21, 32...35, 45...47, 55, 56: .time
    case 22: .instant
    default: .number
    }
  }

  /// The kind of a format such as `[$-407]d. mmmm yyyy;@`.
  static func kind(_ code: String) -> Kind {
    var (letters, isQuoted, isBracketed, isEscaped, hasElapsedTime) = (Set<Character>(), false, false, false, false)
    var bracket = ""
    // Behind the semicolon is the format of negative numbers.
    for character in code.lowercased() {
      if isEscaped {
        isEscaped = false
      } else if character == "\"" {
        isQuoted.toggle()
      } else if isQuoted {
        continue
      } else if character == "\\" || character == "_" || character == "*" {
        isEscaped = true
      } else if character == "[" {
        (isBracketed, bracket) = (true, "")
      } else if character == "]" {
        isBracketed = false
        hasElapsedTime = hasElapsedTime || !bracket.isEmpty && bracket.allSatisfy { "hms".contains($0) }
      } else if isBracketed {
        bracket.append(character)
      } else if character == ";" {
        break
      } else {
        letters.insert(character)
      }
    }
    if code.lowercased().hasPrefix("general") { return .number }
    let hasTime = letters.contains("h") || letters.contains("s") || hasElapsedTime
    // An m is a month without hours and seconds, else minutes.
    let hasDay = letters.contains("d") || letters.contains("y") || letters.contains("m") && !hasTime
    return hasDay ? hasTime ? .instant : .day : hasTime ? .time : .number
  }
}
