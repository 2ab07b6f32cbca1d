import Core
import JSON

/// Reads a profile, and names the place of each mistake: the habit and the member.
struct ProfileReader {
  let file: String
  /// `habits[2] (issuer)`; empty for the profile itself.
  var place = ""

  func profile(_ role: PartyProfile.Role, _ name: String, _ json: JSON) throws(ProfileError) -> PartyProfile {
    let members = try object(json, "the profile")
    try check(members, ["title", "version", "hosts", "kind", "registration", "habits"])
    guard let list = members["habits"]?.array, !list.isEmpty else { throw wrong("habits", "a list of habits") }
    var habits: [PartyProfile.Habit] = []
    for (index, habit) in list.enumerated() {
      var reader = self
      reader.place = "habits[\(index)]"
      habits.append(try reader.habit(habit, role))
    }
    let kind = members["kind"]?.string
    guard kind == nil || ["b2c", "external_id"].contains(kind) else { throw wrong("kind", "b2c or external_id") }
    return PartyProfile(
      role: role, name: name, title: try text(members, "title"), version: members["version"]?.string,
      hosts: try words(members, "hosts"), kind: kind, registration: try registration(members["registration"]),
      habits: habits)
  }

  private func registration(_ json: JSON?) throws(ProfileError) -> PartyProfile.Registration? {
    guard let json else { return nil }
    var reader = self
    reader.place = "registration"
    let members = try reader.object(json, "registration")
    try reader.check(members, ["steps", "redirectURL", "scopes", "parameters", "source", "date"])
    return PartyProfile.Registration(
      steps: try reader.words(members, "steps"), redirectURL: try reader.text(members, "redirectURL"),
      scopes: members["scopes"]?.string ?? "", parameters: try reader.strings(members, "parameters"),
      source: try reader.text(members, "source"), date: try reader.date(members))
  }

  private func habit(_ json: JSON, _ role: PartyProfile.Role) throws(ProfileError) -> PartyProfile.Habit {
    let members = try object(json, "a habit")
    try check(members, ["name", "text", "source", "date", "breaks", "effects"])
    let name = try text(members, "name")
    var reader = self
    reader.place += " (\(name))"
    var effects: [Effect] = []
    for effect in members["effects"]?.array ?? [] {
      effects.append(try EffectReader(reader: reader, members: reader.object(effect, "an effect")).effect(role))
    }
    return PartyProfile.Habit(
      name: name, text: try reader.text(members, "text"), source: try reader.text(members, "source"),
      date: try reader.date(members), breaks: members["breaks"]?.string, effects: effects)
  }

  // MARK: Values

  func object(_ json: JSON?, _ what: String) throws(ProfileError) -> [String: JSON] {
    guard let members = json?.object else { throw wrong(what, "an object ({…})") }
    return members
  }

  func text(_ members: [String: JSON], _ name: String) throws(ProfileError) -> String {
    guard let text = members[name]?.string, !text.isEmpty else { throw wrong(name, "a text") }
    return text
  }

  private func date(_ members: [String: JSON]) throws(ProfileError) -> String {
    let text = try text(members, "date")
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ UInt($0) != nil }) else {
      throw wrong("date", "a day such as 2026-11-28, not \"\(text)\"")
    }
    return text
  }

  func words(_ members: [String: JSON], _ name: String) throws(ProfileError) -> [String] {
    guard let value = members[name] else { return [] }
    let list = value.array?.compactMap(\.string)
    guard let list, list.count == value.array?.count else { throw wrong(name, "a list of texts") }
    return list
  }

  func strings(_ members: [String: JSON], _ name: String) throws(ProfileError) -> [String: String] {
    guard let value = members[name] else { return [:] }
    let texts = value.object?.compactMapValues(\.string)
    guard let texts, texts.count == value.object?.count else { throw wrong(name, "texts by name") }
    return texts
  }

  func check(_ members: [String: JSON], _ known: Set<String>) throws(ProfileError) {
    for name in members.keys.sorted() where !known.contains(name) {
      throw ProfileError(
        .malformed, "\(file): \(prefix)there is no member \"\(name)\"",
        hint: didYouMean(name, among: known.sorted()) ?? "the members are \(known.sorted().joined(separator: ", "))")
    }
  }

  func wrong(_ name: String, _ expected: String) -> ProfileError {
    ProfileError(.malformed, "\(file): \(prefix)\(name): expected \(expected)")
  }

  private var prefix: String { place.isEmpty ? "" : "\(place): " }
}

/// Reads one effect of a habit.
private struct EffectReader {
  let reader: ProfileReader
  let members: [String: JSON]

  private static let ofProvider: Set = [
    "metadata", "ignores", "scope", "refuses", "callback", "token", "claims", "userinfo", "errors",
    "form_encoded",
  ]
  private static let ofClient: Set = [
    "authorize", "token_request", "authentication", "skips_metadata", "requires", "asks_userinfo", "refreshes",
  ]
  private static let ofCondition: Set = ["at", "has", "lacks"]

  init(reader: ProfileReader, members: [String: JSON]) throws(ProfileError) {
    self.reader = reader
    self.members = members
  }

  func effect(_ role: PartyProfile.Role) throws(ProfileError) -> Effect {
    let kinds = role == .provider ? Self.ofProvider : Self.ofClient
    try reader.check(members, kinds.union(Self.ofCondition))
    let named = members.keys.filter(kinds.contains)
    guard let kind = named.first, named.count == 1 else {
      throw reader.wrong("effects", "one of \(kinds.sorted().joined(separator: ", ")) in each")
    }
    return role == .provider ? try ofProvider(kind) : try ofClient(kind)
  }

  private func ofProvider(_ kind: String) throws(ProfileError) -> Effect {
    switch kind {
    case "metadata": .metadata(try changes(kind))
    case "ignores": .ignores(Set(try reader.words(members, kind)))
    case "scope": try scope()
    case "refuses": .refuses(try condition(), try refusal(members[kind], kind))
    case "callback": .callback(try changes(kind))
    case "token": .token(try condition(), try changes(kind))
    case "claims": .claims(try changes(kind))
    case "userinfo": .userinfo(try changes(kind))
    case "form_encoded": .formEncoded(try condition())
    default: try errors()
    }
  }

  private func ofClient(_ kind: String) throws(ProfileError) -> Effect {
    switch kind {
    case "authorize": .authorize(try changes(kind))
    case "token_request": .tokenRequest(try condition(), try changes(kind))
    case "authentication": .authentication(try reader.text(members, kind))
    case "skips_metadata": .skipsMetadata
    case "requires": .requires(try part("at"), try reader.strings(members, kind))
    case "asks_userinfo": .asksUserinfo
    default: .refreshes
    }
  }

  private func changes(_ name: String) throws(ProfileError) -> [String: JSON] {
    try reader.object(members[name], name)
  }

  private func part(_ name: String) throws(ProfileError) -> MessagePart {
    guard let part = MessagePart(rawValue: try reader.text(members, name)) else {
      throw reader.wrong(name, "one of \(MessagePart.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return part
  }

  private func condition() throws(ProfileError) -> Condition {
    Condition(
      endpoint: members["at"]?.string, has: try reader.strings(members, "has"),
      lacks: Set(try reader.words(members, "lacks")))
  }

  private func scope() throws(ProfileError) -> Effect {
    let words = try reader.object(members["scope"], "scope")
    try reader.check(words, ["drops", "adds"])
    return .scope(
      try condition(), drops: Set(try reader.words(words, "drops")), adds: try reader.words(words, "adds"))
  }

  private func refusal(_ json: JSON?, _ name: String) throws(ProfileError) -> Refusal {
    let members = try reader.object(json, name)
    try reader.check(members, ["error", "description", "status", "members"])
    guard let error = members["error"]?.string else {
      throw reader.wrong("\(name): error", "a text; an empty one stands for a response without a body")
    }
    return Refusal(
      error: error, description: members["description"]?.string,
      status: members["status"]?.lenientInteger.map { Int($0) },
      members: try members["members"].map { (json) throws(ProfileError) in try reader.object(json, "members") } ?? [:])
  }

  private func errors() throws(ProfileError) -> Effect {
    var errors: [String: Refusal] = [:]
    for (code, json) in try changes("errors") { errors[code] = try refusal(json, code) }
    return .errors(errors)
  }
}
