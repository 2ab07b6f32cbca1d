import Core

/// Finds secrets in text by their form and by the names in front of them: JWTs, `name=value`, `"name": "value"`, fields
/// of HTML forms, credentials in headers and addresses. A value that was cut off ends with the text.
struct SecretScan {
  private let bytes: [UInt8]
  private var found: [(range: Range<Int>, kind: SecretLabels.Kind)] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func replaced(_ label: (String, SecretLabels.Kind) -> String) -> String {
    findInputs()
    findWords()
    guard !found.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var position = 0
    for (range, kind) in found.sorted(by: {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }) {
      // One that lies in another is gone with it.
      guard range.lowerBound >= position, !range.isEmpty else { continue }
      result += bytes[position..<range.lowerBound]
      result += label(String(decoding: bytes[range], as: UTF8.self), kind).utf8
      position = range.upperBound
    }
    return String(decoding: result + bytes[position...], as: UTF8.self)
  }

  // MARK: Words and what follows them

  private mutating func findWords() {
    var position = 0
    while position < bytes.count {
      guard Self.isWord(bytes[position]) else {
        position += 1
        continue
      }
      let start = position
      while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
      if isToken(start..<position) {
        found.append((start..<position, .token))
      } else if let value = value(behind: start..<position) {
        found.append(value)
        position = max(position, value.range.upperBound)
      }
    }
  }

  /// A JWS or JWE in compact form: its header, a JSON object, begins with `{"`.
  private func isToken(_ word: Range<Int>) -> Bool {
    word.count >= 20 && bytes[word].starts(with: "eyJ".utf8) && bytes[word].contains(UInt8(ascii: "."))
  }

  private func value(behind word: Range<Int>) -> (range: Range<Int>, kind: SecretLabels.Kind)? {
    var position = word.upperBound
    if let kind = scheme(word) {
      guard at(position) == UInt8(ascii: " ") else { return nil }
      let end = end(of: position + 1) { Self.isWord($0) || "+/=~".utf8.contains($0) }
      return end - position > 8 ? (position + 1..<end, kind) : nil
    }
    let quote = at(position).flatMap { "\"'".utf8.contains($0) ? $0 : nil }
    if quote != nil { position += 1 }
    position = skipSpace(position)
    guard let sign = at(position), sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":") else { return nil }
    // Last, for it costs most, and few words get here.
    let name = String(decoding: bytes[word].suffix(64), as: UTF8.self)
    guard let kind = SecretName.kind(name.split(separator: ".").last.map(String.init) ?? name) else { return nil }
    position = skipSpace(position + 1)
    if let open = at(position), "\"'".utf8.contains(open) {
      let end = closing(open, from: position + 1)
      let range = position + 1..<end
      return kind == .code && sign == UInt8(ascii: ":") && !Self.looksSecret(bytes[range]) ? nil : (range, kind)
    }
    guard sign == UInt8(ascii: "=") else { return nil }
    let end = end(of: position) { !"&;, \t\r\n\"'<>()[]{}".utf8.contains($0) }
    return (position..<end, kind)
  }

  private func scheme(_ word: Range<Int>) -> SecretLabels.Kind? {
    switch bytes[word].count {
    case 6 where bytes[word].elementsEqual("Bearer".utf8): .accessToken
    case 5 where bytes[word].elementsEqual("Basic".utf8): .credentials
    default: nil
    }
  }

  /// Tells a code to be redeemed from the code of an error, which is in words.
  static func looksSecret(_ code: some Collection<UInt8>) -> Bool {
    code.count >= 20 && code.contains { (0x30...0x39).contains($0) } && !code.contains(0x20)
      && !code.starts(with: "AADB2C".utf8)
  }

  // MARK: HTML

  /// Finds the values of fields that hold secrets, and of hidden fields. Addresses stay, and so do the fields of a response
  /// in a form (`response_mode=form_post`) that a query would show.
  private mutating func findInputs() {
    var position = 0
    while let tag = next("<input", from: position) {
      let end = end(of: tag) { $0 != UInt8(ascii: ">") }
      position = end
      guard let value = attribute("value", in: tag..<end), !value.isEmpty else { continue }
      let name = attribute("name", in: tag..<end).map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
      let type = attribute("type", in: tag..<end).map { String(decoding: bytes[$0], as: UTF8.self).lowercased() }
      if let kind = SecretName.kind(name) {
        found.append((value, kind))
      } else if type == "password" {
        found.append((value, .password))
      } else if type == "hidden", value.count >= 16, !bytes[value].contains(0x20), !SecretName.isPublic(name),
        !bytes[value].contains(UInt8(ascii: ":"))
      {
        found.append((value, .formToken))
      }
    }
  }

  private func attribute(_ name: String, in tag: Range<Int>) -> Range<Int>? {
    var position = tag.lowerBound
    while let start = next(name + "=", from: position), start < tag.upperBound {
      position = start + name.utf8.count + 1
      guard let before = at(start - 1), before <= 0x20 || before == UInt8(ascii: "\"") || before == UInt8(ascii: "'")
      else { continue }
      guard let open = at(position), "\"'".utf8.contains(open) else {
        return position..<min(tag.upperBound, end(of: position) { $0 > 0x20 && $0 != UInt8(ascii: ">") })
      }
      return position + 1..<min(max(tag.upperBound, position + 1), closing(open, from: position + 1))
    }
    return nil
  }

  // MARK: Bytes

  private func at(_ position: Int) -> UInt8? { bytes.indices.contains(position) ? bytes[position] : nil }

  private func end(of start: Int, while isPart: (UInt8) -> Bool) -> Int {
    var position = start
    while position < bytes.count, isPart(bytes[position]) { position += 1 }
    return min(position, bytes.count)
  }

  private func skipSpace(_ start: Int) -> Int { end(of: start) { $0 == 0x20 || $0 == 0x09 } }

  /// The end of the quotation, by a quote without a backslash before it.
  private func closing(_ quote: UInt8, from start: Int) -> Int {
    var position = start
    while position < bytes.count, bytes[position] != quote { position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(position, bytes.count)
  }

  private func next(_ text: String, from start: Int) -> Int? { bytes.start(of: Array(text.utf8)[...], from: start) }

  private static func isWord(_ byte: UInt8) -> Bool { byte.isWordPart || byte >= 0x80 }
}
