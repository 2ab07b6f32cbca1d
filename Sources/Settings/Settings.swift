package import Core
import Files
import Glibc
package import JSON

/// The settings of a sign-in and its provider: the contents of `settings.plist`, checked, with defaults.
package struct Settings: Sendable {
  struct Entry: Sendable {
    var value: JSON
    var place: SettingsPlace
  }

  /// The source of the settings, for messages: `settings.plist`.
  package let source: String
  /// Sent to the token endpoint by confidential clients; nil for public ones, also when the setting is empty.
  package internal(set) var clientSecret: Secret?
  /// By canonical name; the client secret is not among them.
  var entries: [String: Entry] = [:]

  /// - Parameter values: by name; `null` and empty strings count as absent.
  /// - Parameter source: the name in messages.
  package init(values: [String: JSON], source: String) throws(SettingsError) {
    self.source = source
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try set(name, to: value, at: SettingsPlace(file: source))
    }
  }

  init(source: String) { self.source = source }

  /// A setting's value or default, known or unknown to this program; nil without one. Never the client secret.
  package subscript(_ name: String) -> JSON? {
    guard let key = SettingsKey(name: name) else { return entries[name]?.value }
    switch key {
    case .clientSecret: return nil
    case .scopes: return .array(scopes.map(JSON.string))
    case .tasksPath: return .string(tasksPath)
    case .contentType: return .string(contentType)
    case .tokenType: return .string(tokenType)
    // A host of External ID says the same as the setting.
    case .kind: return entries[key.rawValue]?.value ?? (isExternalID ? .string(ProviderKind.externalID.rawValue) : nil)
    default: return entries[key.rawValue]?.value
    }
  }

  /// The names under which there is a value, sorted, the client secret's included.
  package var names: [String] {
    let known = SettingsKey.allCases.map(\.rawValue).filter { self[$0] != nil }
    return Set(known).union(entries.keys).union(clientSecret == nil ? [] : ["clientSecret"]).sorted()
  }

  /// A copy with changes: `null` removes a setting. Throws `settings_unknown_key` for a new name that looks misspelled.
  package func with(_ changes: [String: JSON]) throws(SettingsError) -> Settings {
    var changed = self
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      try changed.override(name, with: value, from: "settings.with", isGiven: true)
    }
    return changed
  }

  /// Sets what a file says. Names this program does not know are kept for scripts.
  mutating func set(_ name: String, to value: JSON, at place: SettingsPlace) throws(SettingsError) {
    guard let key = SettingsKey(name: name) else {
      entries[name] = Entry(value: value, place: place)
      return
    }
    if let earlier = entries[key.rawValue], earlier.place.file == place.file {
      throw SettingsError(
        .invalidValue, at: place, key: name, "\(key.rawValue) is set twice, the first time at \(earlier.place)",
        hint: name == "bhh" ? "bhh and redirectURL are two names of one setting" : nil)
    }
    try assign(key, name, value, place)
  }

  /// Sets over what a file says. A name that is new and near to a known one is taken for a slip.
  /// - Parameter isGiven: true if a script sets it, whose client secret is no secret of the host's.
  mutating func override(
    _ name: String, with value: JSON, from origin: String, isGiven: Bool = false
  ) throws(SettingsError) {
    let place = SettingsPlace(file: origin)
    if let key = SettingsKey(name: name) {
      try assign(key, name, value, place, isGiven: isGiven)
    } else if value == .null {
      entries[name] = nil
    } else {
      try refuseSlip(name, place)
      entries[name] = Entry(value: value, place: place)
    }
  }

  func refuseSlip(_ name: String, _ place: SettingsPlace) throws(SettingsError) {
    if entries[name] == nil, let slip = SettingsSlip(name, at: place) { throw slip.error }
  }

  private mutating func assign(
    _ key: SettingsKey, _ name: String, _ value: JSON, _ place: SettingsPlace, isGiven: Bool = false
  ) throws(SettingsError) {
    let check = SettingsCheck(key: key, name: name, place: place)
    if isGiven, case .key = key.kind, let text = value.string, !text.hasPrefix(SettingsKey.storedKeyPrefix) {
      // The permissions of the run decide which files a script reads, and jose.key.load asks them.
      throw check.invalid(
        "names a file, which a script cannot do here",
        "load the file with jose.key.load, store the key with jose.key.save, and give \"stored:NAME\"")
    }
    if key == .clientSecret {
      clientSecret = try check.text(value).map { isGiven ? Secret(given: $0) : Secret($0) }
    } else {
      entries[key.rawValue] = try check.value(value).map { Entry(value: $0, place: place) }
    }
  }

  /// Reads settings: from `file`, else `./settings.plist`, else `$XDG_CONFIG_HOME/b2c-run/settings.plist` (by default
  /// `~/.config/b2c-run/settings.plist`), then puts `overrides` over them.
  /// - Parameter file: an XML or binary property list, or JSON when its name ends in `.json`.
  /// - Parameter overrides: `--set` arguments, in their order. `policies.signIn` reaches into a dictionary.
  /// - Throws: `settings_not_found` when there is neither a file nor an override.
  package static func load(
    file: String?, overrides: [(String, String)] = [],
    environment: (String) -> String? = { getenv($0).map { String(path: $0) } }
  ) throws(SettingsError) -> Settings {
    let candidates = file.map { [$0] } ?? defaultFiles(environment)
    var settings = Settings(source: "--set")
    if let path = file ?? candidates.first(where: { FileSystem.access($0, F_OK) == 0 }) {
      settings = try Settings(file: path)
    } else if overrides.isEmpty {
      throw SettingsError(
        .notFound, "there are no settings: looked for \(candidates.joined(separator: " and "))",
        hint: "write one of them, name a file with --settings FILE, or try the local tenant with --local")
    }
    try settings.override(overrides)
    return settings
  }

  /// Throws `not_found` if a file that a person has named is not there, also where nobody reads it.
  package static func check(file path: String) throws(SettingsError) {
    guard FileSystem.exists(path) else { throw SettingsFile.missing(path) }
  }

  /// The file that is read when nobody names one, and the current folder has it.
  package static let fileAtHand = "settings.plist"

  /// The path of the person's own settings, whether they are there or not; nil without a home folder.
  package static var ownFile: String? { ownFile { getenv($0).map { String(path: $0) } } }

  private static func ownFile(_ environment: (String) -> String?) -> String? {
    UserFolder.config.path(environment).map { "\($0)/settings.plist" }
  }

  /// Settings at hand instead of a file's, with `overrides` put over them.
  package static func load(values: [String: JSON], source: String, overrides: [(String, String)]) throws(SettingsError)
    -> Settings
  {
    var settings = try Settings(values: values, source: source)
    try settings.override(overrides)
    return settings
  }

  init(file path: String) throws(SettingsError) {
    let values = try SettingsFile(path: path).values
    self.init(source: path)
    for entry in values {
      // An unknown setting can be wrong in its name only.
      let line = SettingsKey(name: entry.name) == nil ? entry.nameLine ?? entry.line : entry.line
      try set(entry.name, to: entry.value, at: SettingsPlace(file: path, line: line))
    }
  }

  private mutating func override(_ arguments: [(String, String)]) throws(SettingsError) {
    for (name, text) in arguments {
      let (setting, value) = try value(ofArgument: name, text)
      try override(setting, with: value, from: "--set")
    }
  }

  /// The setting that one `--set NAME=VALUE` changes, and its new value.
  private func value(ofArgument name: String, _ text: String) throws(SettingsError) -> (setting: String, JSON) {
    let path = name.split(separator: ".", maxSplits: 1).map(String.init)
    let place = SettingsPlace(file: "--set")
    func invalid(_ reason: String) -> SettingsError { SettingsError(.invalidValue, at: place, key: name, reason) }
    if path.count == 2, SettingsKey(name: name) == nil, entries[name] == nil {
      let key = SettingsKey(name: path[0])
      if let key {
        guard key.hasParts else { throw invalid("\(path[0]) has no parts, so \(name) is not a setting") }
        if key == .policies, let slip = SettingsSlip(policy: path[1], at: place) { throw slip.error }
      } else {
        try refuseSlip(path[0], place)
      }
      var members = entries[key?.rawValue ?? path[0]]?.value.object ?? [:]
      members[path[1]] = .string(text)
      return (path[0], .object(members))
    }
    guard let key = SettingsKey(name: name), key.hasParts else { return (name, .string(text)) }
    if let value = try? JSON(parsing: text) { return (name, value) }
    throw invalid("\(name) needs a name, as in \(name).NAME=VALUE, or a JSON object")
  }

  private static func defaultFiles(_ environment: (String) -> String?) -> [String] {
    [fileAtHand, ownFile(environment)].compactMap(\.self)
  }

  /// The provider and application of a sign-in: kept with an account, whatever later settings say. No secret is among
  /// them, and no header fields, which may hold some.
  package var provider: JSON {
    let names = Set(Self.providerKeys.map(\.rawValue))
    return .object(entries.filter { names.contains($0.key) }.mapValues(\.value))
  }

  /// The settings for the result of `provider`.
  package init(provider: JSON, clientSecret: Secret?, source: String) throws(SettingsError) {
    try self.init(values: provider.object ?? [:], source: source)
    self.clientSecret = clientSecret
  }

  /// True if these settings lead to that provider, as the same application.
  package func leads(to provider: JSON) -> Bool {
    // The metadata document is where the authority says, or else authURL.
    let keys = Self.identifyingKeys + (entries[SettingsKey.authority.rawValue] == nil ? [.authURL] : [])
    return keys.allSatisfy { entries[$0.rawValue]?.value == provider[$0.rawValue] }
  }

  /// The options of a task service: those of the file, and those of `--set services.NAME.OPTION=VALUE` over them.
  package func options(ofService name: String) -> [String: JSON]? {
    let all = entries[SettingsKey.services.rawValue]?.value.object ?? [:]
    let given = all.compactMap { key, value -> (String, JSON)? in
      key.hasPrefix(name + ".") ? (String(key.dropFirst(name.count + 1)), value) : nil
    }
    guard all[name] != nil || !given.isEmpty else { return nil }
    return (all[name]?.object ?? [:]).merging(given) { $1 }
  }

  /// The names of the task services with options, sorted.
  package var serviceNames: [String] {
    let all = entries[SettingsKey.services.rawValue]?.value.object ?? [:]
    return Set(all.keys.map { String($0.prefix { $0 != "." }) }).sorted()
  }

  /// The addresses to connect to that were read from this file, by the names of their settings.
  package func endpoints(setIn file: String) -> [(name: String, url: String)] {
    SettingsKey.endpoints.compactMap { key in
      guard let entry = entries[key.rawValue], entry.place.file == file, let url = entry.value.string else {
        return nil
      }
      return (key.rawValue, url)
    }
  }

  private static let identifyingKeys: [SettingsKey] = [
    .clientID, .tokenURL, .authority, .issuer, .metadataURL,
  ]

  private static let providerKeys =
    identifyingKeys + [
      .authURL, .logoutURL, .loginURL, .redirectURL, .policies, .additionalParameters, .tokenType, .taskAPI,
      .clientAuthentication, .clientKey, .clientAssertionAudience, .clientCertificate, .clientCertificateKey,
      .postLogoutRedirectURL, .kind, .profile,
    ]
}
