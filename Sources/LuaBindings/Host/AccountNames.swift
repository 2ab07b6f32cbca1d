import Accounts
import Core
import HostLoop
import JSON
import Lua

extension Account {
  /// What the user signs in by, as the provider's claims have it: a user name, an address.
  var userNames: [String] {
    let texts = ["preferred_username", "username", "upn", "email", "signInName"].compactMap { claims[$0]?.string }
    let addresses = (claims["emails"]?.array ?? []).compactMap(\.string)
    var names: [String] = []
    for name in texts + addresses where !name.isEmpty && !names.contains(name) { names.append(name) }
    return names
  }

  /// Whether the name is one of the user's, in any letter case; of an address the part in front of the `@` will do.
  fileprivate func goes(by name: String) -> Bool {
    let wanted = name.lowercased()
    return userNames.contains { known in
      let known = known.lowercased()
      return known == wanted || known.prefix { $0 != "@" } == wanted
    }
  }
}

extension ScriptHost {
  /// The account that a person calls by its name, its user name, its ID, or the beginning of its ID. The first of these that
  /// finds any decides.
  ///
  /// Accounts of one name are those of one person by several policies: the current one is meant, or the last one signed in.
  /// - Parameter option: the option that names it, for the message.
  /// - Throws: `no_account`, `ambiguous_account`
  func account(named name: String, by option: String? = nil) throws -> LuaAccount {
    let store = try accounts().store
    if let account = try store.find(name: name) ?? store.find(id: name) { return try luaAccount(account) }
    let all = try store.all()
    let byUser = all.filter { $0.goes(by: name) }
    let found = byUser.isEmpty && name.count >= 4 ? all.filter { $0.id.hasPrefix(name) } : byUser
    let prefix = option.map { "\($0): " } ?? ""
    if Set(found.map(\.name)).count > 1 || byUser.isEmpty && found.count > 1 {
      let choices = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
      throw LuaError(
        code: "ambiguous_account", message: "\(prefix)several accounts go by '\(name)': \(choices)",
        hint: "give the ID of one")
    }
    if let first = found.first, let account = try store.find(name: first.name),
      found.contains(where: { $0 === account })
    {
      return try luaAccount(account)
    }
    if let first = found.first { return try luaAccount(first) }
    let names = try accountNames()
    let users = all.flatMap(\.userNames)
    let known = names + users + users.map { String($0.prefix { $0 != "@" }) }
    let near = nearestName(to: name, in: known).map { "did you mean '\($0)'?" }
    throw LuaError(
      code: "no_account", message: "\(prefix)there is no account named '\(name)'",
      hint: names.isEmpty ? "nobody is signed in" : near ?? "there are \(names.joined(separator: ", "))")
  }
}
