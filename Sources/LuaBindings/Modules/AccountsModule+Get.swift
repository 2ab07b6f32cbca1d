import Accounts
import Diagnostics
import HostLoop
import Lua

extension ScriptHost {
  var accountsGet: HostFunction {
    HostFunction(
      "accounts.get", "The account of that name or ID; where there is none, an error that names those there are.",
      [Parameter("name", .string, optional: true, "The current account's if not given.")],
      returns: [.init(.object("account"), "The account.")]
    ) { [self] arguments in
      if let name = arguments[0].string { return [.object(try account(named: name))] }
      guard let account = try currentAccount() else {
        throw try noCurrentAccount()
      }
      return [.object(account)]
    }
  }

  /// - Parameter option: the option that names it, for the message.
  /// - Throws: `no_account`
  func account(named name: String, by option: String? = nil) throws -> LuaAccount {
    let store = try accounts().store
    if let account = try store.find(name: name) ?? store.find(id: name) { return try luaAccount(account) }
    let names = try accountNames()
    let near = nearestName(to: name, in: names).map { "did you mean '\($0)'?" }
    throw LuaError(
      code: "no_account", message: "\(option.map { "\($0): " } ?? "")there is no account named '\(name)'",
      hint: names.isEmpty ? "nobody is signed in" : near ?? "there are \(names.joined(separator: ", "))")
  }
}
