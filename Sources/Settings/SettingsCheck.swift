import JSON

/// The check of one value that stands in one place.
struct SettingsCheck {
  var key: SettingsKey
  /// The name it was given under.
  var name: String
  var place: SettingsPlace

  /// The value in its canonical form; nil when it is empty.
  func value(_ value: JSON) throws(SettingsError) -> JSON? {
    switch key.kind {
    case .words: try words(value)
    case .strings: try strings(value)
    default: try text(value).map(canonical).map(JSON.string)
    }
  }

  /// The text of a value in its canonical form.
  private func canonical(_ text: String) throws(SettingsError) -> String {
    switch key.kind {
    case .text, .secret, .words, .strings: break
    case .endpoint: try checkEndpoint(text)
    case .redirect: try checkRedirect(text)
    case .path: return text.hasPrefix("/") ? text : "/" + text
    case .choice(let known):
      guard !known.contains(text) else { break }
      let isKnown = key == .clientAuthentication && SettingsKey.unsupportedClientAuthentication.contains(text)
      throw invalid("is \"\(text)\"\(isKnown ? ", which this program does not support" : "")", key.remedy)
    case .mediaType:
      let known = ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"]
      let type = text.split(separator: ";").first.map { $0.lowercased().filter { !$0.isWhitespace } } ?? ""
      guard known.contains(type) else { throw invalid("is \"\(text)\"", key.remedy) }
      return type
    }
    return text
  }

  /// A string without white space around it; nil when nothing remains.
  func text(_ value: JSON) throws(SettingsError) -> String? {
    if value == .null { return nil }
    guard let string = value.string else { throw invalid("must be a string, not \(value.settingsKind)", key.remedy) }
    try SettingsPlaceholder.refuse(in: string, key, name, place)
    let text = string.trimmed
    return text.isEmpty ? nil : text
  }

  private func words(_ value: JSON) throws(SettingsError) -> JSON? {
    if value == .null { return nil }
    var words: [String] = []
    if let elements = value.array {
      for element in elements {
        guard let word = element.string else {
          throw invalid("must be a list of strings; one of them is \(element.settingsKind)", nil)
        }
        try SettingsPlaceholder.refuse(in: word, key, name, place)
        words += word.settingsWords
      }
    } else {
      guard value.string != nil else {
        throw invalid("must be a list of strings, not \(value.settingsKind)", key.remedy)
      }
      words = try text(value)?.settingsWords ?? []
    }
    return words.isEmpty ? nil : .array(words.map(JSON.string))
  }

  private func strings(_ value: JSON) throws(SettingsError) -> JSON? {
    if value == .null { return nil }
    guard let members = value.object else {
      throw invalid("must be strings by name, not \(value.settingsKind)", key.remedy)
    }
    var result: [String: JSON] = [:]
    for (member, value) in members.sorted(by: { $0.key < $1.key }) {
      let check = SettingsCheck(key: key, name: "\(name).\(member)", place: place)
      // A front end that serves many hosts would pass the request on to that one, with the token.
      if key == .customHeaders, member.lowercased() == "host" {
        throw check.invalid("follows from the address and cannot be given", "write the host into the URL")
      }
      if let text = try check.text(value) { result[member] = .string(text) }
    }
    return result.isEmpty ? nil : .object(result)
  }

  func invalid(_ reason: String, _ remedy: String?) -> SettingsError {
    SettingsError(.invalidValue, at: place, key: name, "\(name) \(reason)" + (remedy.map { "; \($0)" } ?? ""))
  }
}

extension SettingsKey { var remedy: String { "put \(meaning) there" } }

extension JSON {
  /// The kind of the value, for a message.
  var settingsKind: String {
    switch self {
    case .null: "nothing"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "a dictionary"
    }
  }
}

extension String {
  var trimmed: String {
    let head = drop(while: \.isWhitespace)
    return String(head.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The words between spaces, line breaks and commas.
  var settingsWords: [String] { split { $0.isWhitespace || $0 == "," }.map(String.init) }
}
