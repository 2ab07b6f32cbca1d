import Core
import HostLoop
import JSON
package import Lua
package import Settings

/// Settings as scripts see them: `b2c.settings`, and the changed copies that `with` gives.
package final class LuaSettings: LuaObject {
  private let load: @HostActor () throws -> Settings
  private let json: JSONMarshal

  /// A copy has separate settings and a separate OAuth client.
  package let weight = 16 << 10

  /// - Parameter load: finds the settings when a field is first read, so that a script without need of any runs.
  package init(_ json: JSONMarshal, load: @escaping @HostActor () throws -> Settings) {
    self.json = json
    self.load = load
  }

  /// The settings, found at the first call.
  package func settings() throws -> Settings { try load() }

  private func field(_ name: String, _ state: LuaState) throws -> LuaValue {
    if name == "with" { return .function(state.closure(with)) }
    if name == "misspelled" { return .function(state.closure(misspelled)) }
    let settings = try load()
    if name == SettingsKey.clientSecret.rawValue { return .secret(settings.clientSecret) }
    return json.optional(settings[name])
  }

  /// Called with a dot, as in `settings.with { … }`, so it is bound to these settings.
  private var with: HostFunction {
    HostFunction(
      "settings.with", "A copy of the settings with changes, for an experiment.",
      [Parameter("changes", .map(of: .any), "The changed values, by name; json.null removes a setting.")],
      returns: [.init(.object("settings"), "The copy.")]
    ) { [self] arguments in
      var changes: [String: JSON] = [:]
      for pair in try arguments[0].table?.pairs ?? [] {
        guard let name = pair.key.string else {
          throw arguments.failure("settings have names, got a \(pair.key.typeName) as key")
        }
        // Not `asSecret`, which would take every string for a secret.
        if let secret = pair.value.object(LuaSecret.self) {
          changes[name] = .string(secret.secret.reveal())
        } else {
          changes[name] = try json.json(pair.value, at: "\(arguments.function.name): \(name)")
        }
      }
      let changed = try load().with(changes)
      return [.object(LuaSettings(json) { changed })]
    }
  }

  private var misspelled: HostFunction {
    HostFunction(
      "settings.misspelled",
      "The probably misspelled names in the file. Scripts can read their values, but the program does not use them.",
      returns: [.init(.list(of: .record(.error)), "An error for each name, not raised, with its place in the file.")]
    ) { [self] arguments in
      [.list(try load().misspelled.map { arguments.state.errorObject($0) }, metatable: json.arrayMetatable)]
    }
  }

  /// `b2c.settings`, as `help settings` shows it.
  package var module: HostModule {
    HostModule(
      "settings",
      "The settings: from settings.plist, --settings and --set; with --local, the settings of the local tenant.",
      notes: """
        The page [Settings](Settings.md) describes all settings. Scripts can also read other names in the file. A name that
        is nearly the name of a setting causes a warning.
        """,
      example: """
        local settings = require "b2c.settings"

        local other = settings.with { scopes = { "openid" } }
        print(settings.clientID, #settings.scopes, #other.scopes)
        """, [misspelled, with], fields: Self.fields)
  }

  /// The fields of the settings.
  package static let fields = SettingsKey.allCases.map { key in
    let type: LuaType =
      switch key.kind {
      case .secret: .object("secret")
      case .words: .list(of: .string)
      case .strings: .map(of: .string)
      case .services: .map(of: .map(of: .any))
      case .choice(let words): .choice(words)
      case .text, .endpoint, .redirect, .path, .key, .mediaType, .database: .string
      }
    return Parameter(
      key.rawValue, type, optional: !key.hasDefault,
      key.sentence)
  }

  package static let luaType = HostType(
    "settings", "The settings, by their names in settings.plist.", fields: fields,
    field: { object, name, state in try (object as? LuaSettings)?.field(name, state) ?? .nil },
    fieldNames: { try ($0 as? LuaSettings)?.load().names ?? [] },
    describe: { object in (try? (object as? LuaSettings)?.load().source).map { "settings from \($0)" } ?? "settings" })
}

extension LuaSettings: LuaReadable {
  nonisolated package static var readType: LuaType { .object("settings") }
  package static func read(_ value: LuaValue) -> LuaSettings? { value.object(LuaSettings.self) }
}
