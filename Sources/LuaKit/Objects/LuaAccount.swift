package import Accounts
package import Automation
import Core
import HostLoop
import JSON
package import Lua
import OAuth

/// An account as scripts hold it. One account is one Lua value.
package final class LuaAccount: LuaObject {
  package let account: Account
  package let tokens: AccountTokens
  private let manager: AccountManager
  private unowned let accounts: ScriptAccounts
  /// `account.data`: one table, so that what a script puts into it stays until it is saved.
  private var data: LuaTable?

  init(_ account: Account, _ tokens: AccountTokens, _ manager: AccountManager, _ accounts: ScriptAccounts) {
    self.account = account
    self.tokens = tokens
    self.manager = manager
    self.accounts = accounts
  }

  private func readData() -> LuaValue {
    if let data { return .table(data) }
    let table = accounts.context.state.makeTable()
    for (name, value) in account.data.object ?? [:] { table[name] = accounts.context.json.value(value) }
    data = table
    return .table(table)
  }

  private func save() async throws {
    if let data { account.data = try accounts.context.json.json(.table(data), at: "account.data") }
    if account.data == .array([]) { account.data = .object([:]) }
    try await manager.save(account)
  }

  private func demandData(by call: String) throws(AccountError) {
    try accounts.context.session.accounts.demandData(of: account, call)
  }

  package static let luaType = HostType(
    "account", "A signed-in account.",
    properties: [
      property("id", .string, "The ID, which stays the same while the account exists.") { .string($0.account.id) },
      property("name", .string, "The user's name.") { .string($0.account.name) },
      property(
        "proven", .boolean,
        "false: no ID token proves who signed in; the sign-in gave the name (the option subject)."
      ) { .boolean($0.account.isProven) },
      property("account_type", .string, "The type given at sign-in.") { .string($0.account.accountType) },
      property("policy", .string, optional: true, "The policy of the sign-in.") { .string($0.account.policy) },
      property("claims", .record(.claims), "The claims of the ID token.") { object in
        try object.demandData(by: "account.claims")
        return object.accounts.context.json.value(object.account.claims)
      },
      property("scopes", .list(of: .string), "The granted scopes.") { .list($0.account.scopes.map { .string($0) }) },
      property("expires_at", .integer, optional: true, "The expiry of the access token, in Unix seconds.") { object in
        object.account.expiresAt.map { .integer($0) } ?? .nil
      },
      .init(
        "data", .map(of: .any), "A table of the script's own, saved by account:save().", of: LuaAccount.self,
        set: { object, value, _ in
          guard let table = value.table else {
            throw LuaError(code: "invalid_argument", message: "account.data: expected a table, got \(value.typeName)")
          }
          try object.demandData(by: "account.data")
          object.data = table
        }
      ) { object, _ in
        try object.demandData(by: "account.data")
        return object.readData()
      },
    ],
    methods: [
      suspendingMethod(
        "account:token", "The access token, refreshed if necessary. Concurrent calls share one refresh.",
        returns: .init(.object("secret"), "The token."),
        example: """
          local account = b2c.tenant.sign_in()
          print(account:token()) -- [secret]
          print(#account:token():reveal())
          """
      ) { object, _ in [.secret(try await object.tokens.token())] },
      suspendingMethod(
        "account:token_type",
        "The type of the access token. A token of the type DPoP is bound to a key, which only this program has: it is of no use "
          + "elsewhere.",
        returns: .init(.string, "Bearer, DPoP, or the setting tokenType.")
      ) { object, _ in
        _ = try await object.tokens.token()
        return [.string(try await object.accounts.context.session.accounts.tokenType(of: object.account))]
      },
      suspendingMethod(
        "account:id_token", "The ID token of the last sign-in, for id_token_hint.",
        returns: .init(.object("secret"), optional: true, "nil if the provider issued none.")
      ) { object, _ in
        try object.accounts.context.session.accounts.demandTokens(of: object.account)
        return [.secret(try await object.manager.tokens(of: object.account).idToken)]
      },
      suspendingMethod(
        "account:refresh", "Gets new tokens now.", returns: .init(.object("secret"), "The new access token.")
      ) { object, _ in
        try object.accounts.context.session.accounts.demandTokens(of: object.account)
        return [.secret(try await object.manager.refresh(object.account))]
      },
      suspendingMethod(
        "account:can_refresh", "Tells whether a new access token is possible without the user.",
        returns: .init(.boolean, "True if it is possible.")
      ) { object, _ in
        [.boolean(try await object.manager.store.canRenew(object.account))]
      },
      suspendingMethod(
        "account:request", "Calls http.request with this account's token.",
        .options(HTTPRequestOptions.keys.filter { $0.name != "account" }, required: true),
        returns: .init(.object("response"), "The answer.")
      ) { object, arguments in
        guard let requests = object.accounts.requests else { return [] }
        return [try await requests.send(arguments, as: object)]
      },
      suspendingMethod("account:save", "Stores account.data.") { object, _ in
        try object.demandData(by: "account:save")
        try await object.save()
        return []
      },
    ], describe: { object in (object as? LuaAccount).map { "account \($0.account.name)" } ?? "account" })
}

extension LuaAccount: LuaReadable {
  nonisolated package static var readType: LuaType { .object("account") }
  package static func read(_ value: LuaValue) -> LuaAccount? { value.object(LuaAccount.self) }
}
