/// The numbers, the month and the time in a text that may be a date.
struct DateParts {
  struct Number {
    var value: Int
    var digits: Int
    /// The part behind the decimal point of a single number.
    var fraction = 0.0
  }

  private enum Token: Equatable {
    case number(Int, digits: Int)
    case word(String)
    case sign(Character)
  }

  private(set) var numbers: [Number] = []
  /// The signs between the numbers.
  private(set) var separators: [Character] = []
  private(set) var month: Int?
  /// True for 年, 月 and 日 behind the numbers.
  private(set) var isCJK = false
  /// `T15:30:00`, with the fraction and the offset that the text has; empty without a time.
  private(set) var time = ""

  /// Nil for a text with words or signs that a date does not have.
  init?(_ text: some StringProtocol) {
    guard var tokens = Self.tokens(text), tokens.contains(where: { if case .number = $0 { true } else { false } })
    else {
      return nil
    }
    if let serial = Self.serial(tokens) {
      numbers = [serial]
      return
    }
    guard let time = Self.takeTime(from: &tokens) else { return nil }
    self.time = time
    var pending: Character?
    for token in tokens {
      switch token {
      case .number(let value, let digits):
        if !numbers.isEmpty { separators.append(pending ?? " ") }
        numbers.append(Number(value: value, digits: digits))
        pending = nil
      case .word(let word): guard take(word) else { return nil }
      case .sign(let sign):
        guard "./-, ".contains(sign) else { return nil }
        if pending == nil || pending == " " { pending = sign }
      }
    }
    guard (1...3).contains(numbers.count) else { return nil }
  }

  /// Takes a word of a date: a month, a weekday, an article. False for others.
  private mutating func take(_ word: String) -> Bool {
    if month == nil, let number = MonthNames.month(word) {
      month = number
      return true
    }
    switch word {
    case "年", "月", "日", "년", "월", "일": isCJK = true
    // As in `1 de octubre de 2026`, `October 1st` and `am 1. Oktober um`.
    case "de", "del", "of", "the", "am", "den", "le", "st", "nd", "rd", "th", "er", "º", "at", "um", "à", "kl", "t":
      break
    default: return MonthNames.isWeekday(word)
    }
    return true
  }

  // MARK: Tokens

  private static func tokens(_ text: some StringProtocol) -> [Token]? {
    var tokens: [Token] = []
    var rest = text[...]
    while let character = rest.first {
      if character.isASCII, character.isNumber {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard digits.utf8.count <= 14, let value = Int(digits) else { return nil }
        tokens.append(.number(value, digits: digits.utf8.count))
        rest.removeFirst(digits.count)
      } else if character.isLetter {
        let letters = rest.prefix { $0.isLetter }
        tokens.append(.word(letters.lowercased()))
        rest.removeFirst(letters.count)
      } else {
        // A no-break space, as in times of French and of newer versions of CLDR.
        tokens.append(.sign(character.isWhitespace ? " " : character))
        rest.removeFirst()
      }
    }
    while tokens.first == .sign(" ") { tokens.removeFirst() }
    while tokens.last == .sign(" ") { tokens.removeLast() }
    return tokens
  }

  /// A number of five digits with a fraction, which is the time of a serial.
  private static func serial(_ tokens: [Token]) -> Number? {
    guard tokens.count == 3, case .number(let days, digits: 5) = tokens[0],
      tokens[1] == .sign(".") || tokens[1] == .sign(","),
      case .number(let part, let digits) = tokens[2]
    else { return nil }
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    return Number(value: days, digits: 5, fraction: Double(part) / scale)
  }

  // MARK: Time

  /// Takes the time and its offset out of the tokens. Nil for a time that does not exist; empty without one.
  private static func takeTime(from tokens: inout [Token]) -> String? {
    if let compact = takeCompactTime(from: &tokens) { return compact }
    guard let colon = tokens.firstIndex(of: .sign(":")), colon > 0, colon + 1 < tokens.count,
      case .number(var hour, let hourDigits) = tokens[colon - 1],
      case .number(let minute, digits: 2) = tokens[colon + 1],
      hourDigits <= 2
    else { return "" }
    var end = colon + 2
    var second = 0
    var fraction = ""
    if end + 1 < tokens.count, tokens[end] == .sign(":"), case .number(let value, digits: 2) = tokens[end + 1] {
      second = value
      end += 2
      if end + 1 < tokens.count, tokens[end] == .sign(".") || tokens[end] == .sign(","),
        case .number(let value, let digits) = tokens[end + 1]
      {
        // Zeros say nothing more than the second does.
        fraction = value == 0 ? "" : "." + padded(value, min(digits, 9))
        end += 2
      }
    }
    if let half = takeHalf(of: tokens, from: &end) {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + half
    }
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let zone = takeZone(of: tokens, from: &end)
    var start = colon - 1
    // The T of ISO 8601, and the blank or the comma before the time.
    while start > 0,
      tokens[start - 1] == .word("t") || tokens[start - 1] == .sign(" ") || tokens[start - 1] == .sign(",")
    {
      start -= 1
    }
    tokens.removeSubrange(start..<end)
    while tokens.first == .sign(" ") { tokens.removeFirst() }
    return "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))\(fraction)\(zone)"
  }

  /// The time of `20261001T080000Z`.
  private static func takeCompactTime(from tokens: inout [Token]) -> String? {
    guard tokens.count >= 3, case .number(_, digits: 8) = tokens[0], tokens[1] == .word("t"),
      case .number(let clock, digits: 6) = tokens[2]
    else { return nil }
    var end = 3
    let zone = takeZone(of: tokens, from: &end)
    tokens.removeSubrange(1..<end)
    return "T\(padded(clock / 10_000, 2)):\(padded(clock / 100 % 100, 2)):\(padded(clock % 100, 2))\(zone)"
  }

  /// The hours that AM or PM adds; nil without either.
  private static func takeHalf(of tokens: [Token], from end: inout Int) -> Int? {
    var index = end
    if index < tokens.count, tokens[index] == .sign(" ") { index += 1 }
    guard index < tokens.count, case .word(let word) = tokens[index] else { return nil }
    let halves = ["am": 0, "pm": 12]
    if let half = halves[word] {
      end = index + 1
      return half
    }
    // `a.m.`
    guard index + 2 < tokens.count, let half = halves[word + "m"], tokens[index + 1] == .sign("."),
      tokens[index + 2] == .word("m")
    else { return nil }
    end = index + (index + 3 < tokens.count && tokens[index + 3] == .sign(".") ? 4 : 3)
    return half
  }

  /// The offset behind a time: `Z` or `+01:00`; empty without one.
  private static func takeZone(of tokens: [Token], from end: inout Int) -> String {
    var index = end
    if index < tokens.count, tokens[index] == .sign(" ") { index += 1 }
    guard index < tokens.count else { return "" }
    if case .word(let word) = tokens[index] {
      guard let offset = ZoneNames.offset(word) else { return "" }
      end = index + 1
      // `GMT+2`, `UTC +01:00`
      let behind = offset == "Z" ? takeZone(of: tokens, from: &end) : ""
      return behind.isEmpty ? offset : behind
    }
    guard case .sign(let sign) = tokens[index], sign == "+" || sign == "-", index + 1 < tokens.count,
      case .number(let value, let digits) = tokens[index + 1]
    else { return "" }
    if digits == 4 {
      end = index + 2
      return "\(sign)\(padded(value / 100, 2)):\(padded(value % 100, 2))"
    }
    guard digits <= 2 else { return "" }
    end = index + 2
    guard end + 1 < tokens.count, tokens[end] == .sign(":"), case .number(let minutes, digits: 2) = tokens[end + 1]
    else {
      return "\(sign)\(padded(value, 2)):00"
    }
    end += 2
    return "\(sign)\(padded(value, 2)):\(padded(minutes, 2))"
  }

  static func padded(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
