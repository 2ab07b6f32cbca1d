import Accounts
import Automation
import Core
import HostLoop
import JSON
import Lua
import TaskAPI

/// An account as scripts hold it. One account is one Lua value.
@HostActor
final class LuaAccount: LuaObject, TokenProvider {
  let account: Account
  private let manager: AccountManager
  private unowned let host: ScriptHost
  /// `account.data`: one table, so that what a script puts into it stays until it is saved.
  private var data: LuaTable?
  /// The access token that scripts of this run were last allowed to know.
  private var shared: Secret?

  init(_ account: Account, _ manager: AccountManager, _ host: ScriptHost) {
    self.account = account
    self.manager = manager
    self.host = host
  }

  /// - Throws: `other_provider` where scripts of this run do not get it.
  func token(afterRejected rejected: Secret? = nil) async throws -> Secret {
    try host.automation.accounts.demandTokens(of: account)
    let token = try await manager.token(for: account, afterRejected: rejected)
    // An import asks for each row, and to share a token is work of some microseconds.
    if token != shared { shared = token.shared() }
    return token
  }

  private func readData() -> LuaValue {
    if let data { return .table(data) }
    let table = host.state.makeTable()
    for (name, value) in account.data.object ?? [:] { table[name] = host.json.value(value) }
    data = table
    return .table(table)
  }

  private func save() async throws {
    if let data { account.data = try host.json.json(.table(data), at: "account.data") }
    if account.data == .array([]) { account.data = .object([:]) }
    try await manager.save(account)
  }

  private static func of(_ arguments: Arguments) throws -> LuaAccount { try arguments.object(0) }

  static let luaType = HostType(
    "account", "A signed-in account.",
    properties: [
      .init("id", .string, "The ID, which stays the same while the account exists.", of: LuaAccount.self) { object, _ in
        .string(object.account.id)
      }, .init("name", .string, "The user's name.", of: LuaAccount.self) { object, _ in .string(object.account.name) },
      .init("account_type", .string, "The type given at sign-in.", of: LuaAccount.self) { object, _ in
        .string(object.account.accountType)
      },
      .init("policy", .string, optional: true, "The policy it signed in with.", of: LuaAccount.self) { object, _ in
        .string(object.account.policy)
      },
      .init("claims", .record(.claims), "The claims of the ID token.", of: LuaAccount.self) { object, _ in
        try object.host.automation.accounts.demandData(of: object.account, "account.claims")
        return object.host.json.value(object.account.claims)
      },
      .init("scopes", .list(of: .string), "The granted scopes.", of: LuaAccount.self) { object, _ in
        .list(object.account.scopes.map { .string($0) })
      },
      .init(
        "expires_at", .integer, optional: true, "The expiry of the access token, in Unix seconds.", of: LuaAccount.self
      ) { object, _ in object.account.expiresAt.map { .integer($0) } ?? .nil },
      .init(
        "data", .map(of: .any), "A table of the script's own, saved by account:save().", of: LuaAccount.self,
        set: { object, value, _ in
          guard let table = value.table else {
            throw LuaError(code: "invalid_argument", message: "account.data: expected a table, got \(value.typeName)")
          }
          try object.host.automation.accounts.demandData(of: object.account, "account.data")
          object.data = table
        }
      ) { object, _ in
        try object.host.automation.accounts.demandData(of: object.account, "account.data")
        return object.readData()
      },
    ],
    methods: [
      .suspending(
        "account:token", "The access token, refreshed if necessary. Concurrent calls share one refresh.",
        [Parameter("self", .object("account"))], returns: [.init(.object("secret"), "The token.")],
        example: """
          local account = b2c.tenant.sign_in()
          print(account:token()) -- [secret]
          print(#account:token():reveal())
          """
      ) { [.secret(try await of($0).token())] },
      .suspending(
        "account:id_token", "The ID token of the last sign-in, for id_token_hint.",
        [Parameter("self", .object("account"))],
        returns: [.init(.object("secret"), optional: true, "nil if the provider issued none.")]
      ) { arguments in
        let object = try of(arguments)
        try object.host.automation.accounts.demandTokens(of: object.account)
        return [.secret(try await object.manager.idToken(of: object.account))]
      },
      .suspending(
        "account:refresh", "Gets new tokens now.", [Parameter("self", .object("account"))],
        returns: [.init(.object("secret"), "The new access token.")]
      ) { arguments in
        let object = try of(arguments)
        try object.host.automation.accounts.demandTokens(of: object.account)
        return [.secret(try await object.manager.refresh(object.account))]
      },
      .suspending(
        "account:can_refresh", "Tells whether a new access token is possible without the user.",
        [Parameter("self", .object("account"))], returns: [.init(.boolean, "True if it is possible.")]
      ) { arguments in
        let object = try of(arguments)
        if object.account.renewsWithoutUser { return [.boolean(true)] }
        return [.boolean(try await object.manager.refreshToken(of: object.account) != nil)]
      },
      .suspending(
        "account:request", "Calls http.request with this account's token.",
        [
          Parameter("self", .object("account")),
          .options(HTTPRequestOptions.keys.filter { $0.name != "account" }, required: true),
        ], returns: [.init(.object("response"), "The answer.")]
      ) { arguments in
        let object = try of(arguments)
        return [.object(try await object.host.httpModule.send(arguments, as: object))]
      },
      .suspending("account:save", "Stores account.data.", [Parameter("self", .object("account"))]) { arguments in
        let object = try of(arguments)
        try object.host.automation.accounts.demandData(of: object.account, "account:save")
        try await object.save()
        return []
      },
    ], describe: { object in (object as? LuaAccount).map { "account \($0.account.name)" } ?? "account" })
}
