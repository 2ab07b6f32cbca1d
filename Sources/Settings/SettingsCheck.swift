import Core
import DatabaseAddress
import Files
import FoundationEssentials
import JSON

struct SettingsCheck {
  var key: SettingsKey
  var name: String
  var place: SettingsPlace

  /// The value in its canonical form; nil when it is empty.
  func value(_ value: JSON) throws(SettingsError) -> JSON? {
    switch key.kind {
    case .words: try words(value)
    case .strings: try strings(value)
    case .services: try services(value)
    default: try text(value).map(canonical).map(JSON.string)
    }
  }

  private func canonical(_ text: String) throws(SettingsError) -> String {
    switch key.kind {
    case .text, .secret, .words, .strings, .services: break
    case .endpoint: try checkEndpoint(text)
    case .redirect: try checkRedirect(text)
    case .key: return try keyPlace(text)
    case .database: try checkDatabase(text)
    case .path: return text.hasPrefix("/") ? text : "/" + text
    case .choice(let known):
      guard !known.contains(text) else { break }
      throw invalid("is \"\(text)\"", key.remedy)
    case .mediaType:
      let known = ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"]
      let type = text.split(separator: ";").first.map { $0.lowercased().filter { !$0.isWhitespace } } ?? ""
      guard known.contains(type) else { throw invalid("is \"\(text)\"", key.remedy) }
      return type
    }
    return text
  }

  private func services(_ value: JSON) throws(SettingsError) -> JSON? {
    guard let services = value.object else {
      throw invalid("must be options by the names of services, not \(value.settingsKind)", key.remedy)
    }
    for (service, options) in services {
      // `services.caldav.url` of the command line.
      guard !service.contains(".") else { continue }
      guard let options = options.object else {
        throw invalid(
          "must be options by the names of services, not \(options.settingsKind) for \(service)", key.remedy)
      }
      // Nobody has named that file: it came with the other files of its folder, and could have a service's password sent
      // to a server of its own.
      guard place.file != Settings.fileAtHand || options["url"] == nil else {
        throw invalid(
          "names the address of \(service), which the settings.plist of the current folder may not do",
          "use --settings ./settings.plist, or put it into \(Settings.ownFile ?? "your own settings file")")
      }
    }
    return services.isEmpty ? nil : value
  }

  private func checkDatabase(_ text: String) throws(SettingsError) {
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
      // Another form of address may have a password.
      let mayBeSecret = text.contains("@") || text.lowercased().contains("password")
      throw invalid(mayBeSecret ? "is not such an address" : "is \"\(text)\"", key.remedy)
    }
    let hasPassword: Bool
    do { hasPassword = try PostgresAddress(text).hasPassword } catch {
      // Without libpq nobody can use the address, nor its password.
      guard error.kind == .noLibrary else {
        throw invalid("is not the address of a database that libpq can read", key.remedy)
      }
      hasPassword = false
    }
    // Scripts read the settings.
    guard !hasPassword else {
      throw invalid("has a password", "write the password into the file of PGPASSFILE (by default ~/.pgpass)")
    }
    // Nobody has named that file: it came with the other files of its folder, and could have sign-ins stored elsewhere.
    guard place.file != Settings.fileAtHand else {
      throw invalid(
        "names a database, which the settings.plist of the current folder may not do",
        "use --settings ./settings.plist, or put it into \(Settings.ownFile ?? "your own settings file")")
    }
  }

  /// The absolute path of a key file, or `stored:NAME`. An account keeps it, and is refreshed in other folders.
  private func keyPlace(_ text: String) throws(SettingsError) -> String {
    guard !text.hasPrefix(SettingsKey.storedKeyPrefix) else { return text }
    guard !text.hasPrefix("-----BEGIN"), !text.hasPrefix("{") else {
      throw invalid("is a key, and must be a place", "write the key to a file, and name the file")
    }
    // Nobody has named that file: it came with the other files of its folder, and could have a key of the user's sign an
    // assertion for a server of its own.
    guard place.file != Settings.fileAtHand else {
      throw invalid(
        "names a key file, which the settings.plist of the current folder may not do",
        "use --settings ./settings.plist, or store the key with jose.key.save and put stored:NAME there")
    }
    let path = text.hasPrefix("@") ? String(text.dropFirst()) : text
    guard !path.hasPrefix("/") else { return path }
    let near = place.file.lastIndex(of: "/").map { place.file[...$0] + path } ?? path
    guard !near.hasPrefix("/"), let current = FileSystem.realPath(".") else { return near }
    return current + "/" + near
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

  /// Checks an address that gets tokens or passwords: in the clear only on this machine.
  func checkEndpoint(_ text: String) throws(SettingsError) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty
    else { throw notAbsolute(text) }
    guard !text.contains("\\") else {
      throw invalid("has a backslash, which some programs read as a slash: \"\(text)\"", key.remedy)
    }
    guard url.user == nil, url.password == nil else {
      throw invalid("has a user name or password in it, which errors and logs would show", "take them out")
    }
    switch scheme {
    case "https": break
    case "http":
      guard isLoopback(host: host) else {
        throw invalid(
          "would send secrets in the clear to \(host): \"\(text)\"",
          "use https; http is for this machine only (localhost, 127.0.0.1)")
      }
    default: throw invalid("is \"\(text)\", which is neither https nor http", key.remedy)
    }
  }

  func checkRedirect(_ text: String) throws(SettingsError) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = url.scheme?.lowercased()
    else { throw notAbsolute(text) }
    guard url.fragment == nil else {
      throw invalid("has a fragment, which a redirect URI must not have (RFC 6749, 3.1.2): \"\(text)\"", nil)
    }
    if scheme == "http" || scheme == "https" { try checkEndpoint(text) }
  }

  private func notAbsolute(_ text: String) -> SettingsError {
    invalid("is \"\(text)\", which is not an absolute URL", key.remedy)
  }
}

extension SettingsKey { var remedy: String { "put \(meaning) there" } }

extension JSON {
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

  var settingsWords: [String] { split { $0.isWhitespace || $0 == "," }.map(String.init) }
}

/// True if a URL's host is this machine: `localhost` and names under it, 127.0.0.0/8, `[::1]`.
func isLoopback(host: String) -> Bool {
  let name = host.lowercased()
  if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" || name == "::1" { return true }
  let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
  return numbers.count == 4 && numbers[0] == "127"
    && numbers.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } && UInt8($0) != nil }
}

/// A template's words in angle brackets, in place of a value.
enum SettingsPlaceholder {
  static func refuse(
    in text: String, _ key: SettingsKey, _ name: String, _ place: SettingsPlace
  ) throws(SettingsError) {
    if let placeholder = find(in: text) { throw error(placeholder, text, key, name, place) }
  }

  /// Finds a placeholder in XML text, where it looks like an element: its error replaces the XML parser's.
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
