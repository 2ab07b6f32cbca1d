/// A template's words in angle brackets, in place of a value.
enum SettingsPlaceholder {
  static func refuse(
    in text: String, _ key: SettingsKey, _ name: String, _ place: SettingsPlace
  ) throws(SettingsError) {
    if let placeholder = find(in: text) { throw error(placeholder, text, key, name, place) }
  }

  /// A placeholder that a template's reader left in the text of an XML property list, where it looks like an element and
  /// spoils the syntax: the error about it, in place of the XML parser's.
  static func find(inXML xml: String, file: String) -> SettingsError? {
    var rest = xml[...]
    while let start = rest.firstRange(of: "<string>") {
      let before = xml[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "</string>") else { return nil }
      let text = rest[..<end.lowerBound]
      rest = rest[end.upperBound...]
      guard !text.contains("<!"), let placeholder = find(in: String(text)) else { continue }
      let line = before.count { $0.isNewline } + text.prefix { $0 != "<" }.count { $0.isNewline } + 1
      let name = lastKey(before) ?? "a value"
      return error(placeholder, String(text), SettingsKey(name: name), name, SettingsPlace(file: file, line: line))
    }
    return nil
  }

  /// The first `<…>` that holds words.
  static func find(in text: String) -> String? {
    guard let start = text.firstIndex(of: "<"), let end = text[start...].firstIndex(of: ">") else { return nil }
    let words = text[text.index(after: start)..<end]
    return words.contains(where: \.isLetter) && !words.contains(where: \.isNewline) ? String(text[start...end]) : nil
  }

  private static func error(
    _ placeholder: String, _ text: String, _ key: SettingsKey?, _ name: String, _ place: SettingsPlace
  ) -> SettingsError {
    let state = text.trimmed == placeholder ? "is still the placeholder" : "still has the placeholder"
    let remedy = key.map { "put \($0.meaning) there" } ?? "put the value there"
    return SettingsError(.placeholder, at: place, key: name, "\(name) \(state) \"\(placeholder)\"; \(remedy)")
  }

  private static func lastKey(_ xml: Substring) -> String? {
    guard let start = xml.ranges(of: "<key>").last, let end = xml[start.upperBound...].firstRange(of: "</key>") else {
      return nil
    }
    return String(xml[start.upperBound..<end.lowerBound])
  }
}
