/// The encoding of a text, as the bytes at its beginning show it.
package struct EncodingEvidence: Sendable, Equatable {
  package let encoding: TextEncoding
  /// In words: `begins with a byte order mark`.
  package let reason: String
  /// Another encoding in which the text reads as well, but differently; nil if nothing else is likely.
  package let rival: TextEncoding?

  /// Judges a text by its beginning, which may end within a character.
  package init(_ bytes: UnsafeRawBufferPointer) {
    // UTF-32LE first: its mark begins with that of UTF-16LE.
    let marked: [TextEncoding] = [
      .utf32LittleEndian, .utf32BigEndian, .utf8, .utf16LittleEndian, .utf16BigEndian,
    ]
    if let encoding = marked.first(where: { bytes.starts(with: $0.mark) }) {
      self.init(encoding, "begins with a byte order mark")
    } else if let encoding = Self.wide(bytes) {
      self.init(encoding, "has a zero in each Latin letter")
    } else {
      self.init(ofBytes: bytes)
    }
  }

  private init(_ encoding: TextEncoding, _ reason: String, rival: TextEncoding? = nil) {
    (self.encoding, self.reason, self.rival) = (encoding, reason, rival)
  }

  private init(ofBytes bytes: UnsafeRawBufferPointer) {
    let count = UTF8Count(bytes)
    if count.invalid == 0 {
      self.init(.utf8, count.valid == 0 ? "has ASCII characters only" : "all characters are valid")
    } else if count.valid > 4 * count.invalid {
      self.init(.utf8, "\(count.valid) characters beyond ASCII are valid, \(count.invalid) are not")
    } else {
      self.init(byLanguage: bytes)
    }
  }

  /// The encoding with two or four bytes for each character, by the zeros in Latin letters, digits and separators.
  private static func wide(_ bytes: UnsafeRawBufferPointer) -> TextEncoding? {
    let sample = bytes.prefix(4096)
    guard sample.count >= 4 else { return nil }
    let isLittle = sample[1] == 0 && sample[0] != 0
    let isBig = sample[0] == 0 && (sample[1] != 0 || sample[2] == 0 && sample[3] != 0)
    var zeros = [0, 0, 0, 0]
    for (index, byte) in sample.enumerated() where byte == 0 { zeros[index % 4] += 1 }
    let quarter = sample.count / 4
    let isMostly = zeros.map { $0 > quarter / 2 }
    let isRarely = zeros.map { $0 <= quarter / 20 }
    switch (isMostly[0], isMostly[1], isMostly[2], isMostly[3]) {
    case (false, true, true, true): return isLittle && isRarely[0] ? .utf32LittleEndian : nil
    case (true, true, true, false): return isBig && isRarely[3] ? .utf32BigEndian : nil
    case (false, true, false, true): return isLittle && isRarely[0] && isRarely[2] ? .utf16LittleEndian : nil
    case (true, false, true, false): return isBig && isRarely[1] && isRarely[3] ? .utf16BigEndian : nil
    default: return nil
    }
  }

  /// Compares how well the text reads in each code page.
  private init(byLanguage bytes: UnsafeRawBufferPointer) {
    let sample = Array(bytes.prefix(64 << 10))
    let readings = Language.pages.compactMap { encoding in
      CodePage.of(encoding).map { Reading(sample, $0, encoding) }
    }
    // The first of equal readings counts: the pages are in the order of their use.
    let best = readings.reduce(readings[0]) { $1.score > $0.score ? $1 : $0 }
    // Control characters and missing ones are in no text.
    let rival = readings.filter {
      !$0.hasControls && $0.scalars != best.scalars && $0.score > best.score - 0.2 * abs(best.score)
    }.max { $0.score < $1.score }
    self.init(
      best.encoding, best.language.map { "reads as \($0)" } ?? "is not UTF-8, and fits best", rival: rival?.encoding)
  }
}

/// The characters beyond ASCII in a text.
private struct UTF8Count {
  var valid = 0
  var invalid = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let start = rest.firstIndex(where: { $0 >= 0x80 }) {
      let length = Self.length(rest[start...])
      // The text may end within a character.
      if length == nil { break }
      if length == 0 { invalid += 1 } else { valid += 1 }
      rest = rest[(start + max(1, length ?? 1))...]
    }
  }

  /// The length of the character at the beginning; 0 if it is invalid, nil if the text ends within it.
  private static func length(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let first = bytes[bytes.startIndex]
    let length = first >= 0xF5 || first < 0xC2 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let tail = bytes.dropFirst().prefix(max(0, length - 1))
    guard length > 0, tail.allSatisfy({ (0x80...0xBF).contains($0) }) else { return 0 }
    guard tail.count == length - 1 else { return nil }
    return String(validating: bytes.prefix(length), as: UTF8.self) == nil ? 0 : length
  }
}

/// A text as one code page reads it.
private struct Reading {
  let encoding: TextEncoding
  let scalars: [Unicode.Scalar]
  let language: String?
  let score: Double
  /// True if it has a control character, or a byte without a character.
  var hasControls: Bool { scalars.contains { $0 == "\u{FFFD}" || (0x80..<0xA0).contains($0.value) } }

  init(_ bytes: [UInt8], _ page: CodePage, _ encoding: TextEncoding) {
    self.encoding = encoding
    let text = bytes.flatMap { page.characters[Int($0)].isEmpty ? [0xEF, 0xBF, 0xBD] : page.characters[Int($0)] }
    scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    var letters: [Unicode.Scalar: Int] = [:]
    var signs = 0.0
    for (index, scalar) in scalars.enumerated() where scalar.value >= 0x80 {
      let before = index > 0 ? scalars[index - 1] : " "
      let after = index + 1 < scalars.count ? scalars[index + 1] : " "
      if scalar.properties.isAlphabetic {
        letters[scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar, default: 0] += 1
        if scalar.properties.isUppercase, before.properties.isLowercase { signs -= 2 }
        // No word has Latin and Cyrillic letters.
        if scalar.value >= 0x400, Self.isLatin(before) || Self.isLatin(after) { signs -= 5 }
      } else if !Language.signs.contains(scalar) {
        signs -= scalar.value < 0xA0 ? 20 : 3
      } else if scalar != "’", before.properties.isAlphabetic, after.properties.isAlphabetic {
        signs -= 3
      } else {
        signs += 0.5
      }
    }
    let scores = Language.all.filter { $0.pages.contains(encoding) }.map { language in
      let known = letters.reduce(0) { $0 + (language.letters.contains($1.key) ? $1.value : -3 * $1.value) }
      return (language.name, Double(known))
    }
    let best = scores.max { $0.1 < $1.1 }
    language = letters.isEmpty || (best?.1 ?? 0) <= 0 ? nil : best?.0
    score = signs + (best?.1 ?? 0)
  }

  private static func isLatin(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.properties.isAlphabetic }
}

/// The letters beyond ASCII of a language, and the code pages that have them.
private struct Language {
  let name: String
  let letters: Set<Unicode.Scalar>
  let pages: [TextEncoding]

  private init(_ name: String, _ letters: String, _ pages: [TextEncoding]) {
    self.name = name
    self.letters = Set(letters.unicodeScalars)
    self.pages = pages
  }

  /// The code pages in the order of their use.
  static let pages: [TextEncoding] = [.windows1252, .windows1250, .windows1251, .latin9, .macRoman, .latin1]
  private static let western: [TextEncoding] = [.windows1252, .latin9, .macRoman, .latin1]

  /// The signs beyond ASCII that texts have.
  static let signs = Set("“”„‘’‚«»‹›–—…€£§°•©®·¿¡№™µ½¼¾×\u{A0}".unicodeScalars)

  static let all = [
    Language("German", "äöüß", western), Language("French", "àâæçéèêëîïôœùûüÿ", western),
    Language("Spanish", "áéíñóúüªº", western), Language("Portuguese", "áâãàçéêíóôõúüªº", western),
    Language("Italian", "àèéìíîòóùú", western), Language("Danish or Norwegian", "æøåéäöü", western),
    Language("Swedish or Finnish", "åäöéüšž", western), Language("Dutch", "éëïóöüèêç", western),
    Language("Icelandic", "áéíóúýþæöð", western), Language("Polish", "ąćęłńóśźż", [.windows1250]),
    Language("Czech", "áčďéěíňóřšťúůýžöü", [.windows1250]), Language("Slovak", "áäčďéíĺľňóôŕšťúýž", [.windows1250]),
    Language("Hungarian", "áéíóöőúüű", [.windows1250]), Language("Croatian or Slovenian", "čćđšž", [.windows1250]),
    Language("Romanian", "ăâîşţ", [.windows1250]),
    Language("Russian", "абвгдежзийклмнопрстуфхцчшщъыьэюяё", [.windows1251]),
    Language("Ukrainian", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", [.windows1251]),
    Language("Serbian", "абвгдђежзијклљмнњопрстћуфхцчџш", [.windows1251]),
  ]
}
