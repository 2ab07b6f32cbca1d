import Accounts
import Automation
import Core
import HostLoop
import Lua
import OAuth
import Settings

/// The accounts that a script holds, by their IDs.
struct ScriptAccounts {
  var values: [String: LuaAccount] = [:]
  /// The functions that renew the tokens of accounts that signed in in this run.
  var refreshes: [String: LuaFunction] = [:]
}

extension ScriptHost {
  /// The one Lua value of an account.
  func luaAccount(_ account: Account) throws -> LuaAccount {
    if let known = accounts.values[account.id], known.account === account { return known }
    // The store that the account comes from is open.
    guard let manager = session.accounts.opened else {
      throw AccountError(.storeUnusable, "no account store is open")
    }
    let value = LuaAccount(account, try session.accounts.tokens(of: account), manager, self)
    accounts.values[account.id] = value
    return value
  }

  func currentAccount() async throws -> LuaAccount? { try await session.accounts.current().map(luaAccount) }

  /// Why scripts of this run neither get nor use the tokens of an account, in a sentence; nil where they do.
  func obstacleToTokens(of account: Account) -> String? { session.accounts.obstacleToTokens(of: account) }

  /// The account of an option, else the current one. Throws `no_account`.
  func requiredAccount(_ arguments: Arguments) async throws -> LuaAccount {
    if let account = arguments["account"].object(LuaAccount.self) { return account }
    return try await luaAccount(session.accounts.required(for: arguments.function.name))
  }

  /// The same; the option may be a function, called after all other checks: nobody signs in for a call that fails.
  func givenAccount(_ arguments: Arguments) async throws -> LuaAccount {
    guard let function = arguments["account"].function else { return try await requiredAccount(arguments) }
    let answer = try await call(function, [], as: "account", nil)
    guard let account = answer.object(LuaAccount.self) else {
      throw arguments.failure(option: "account", "expected the function to return an account, got \(answer.typeName)")
    }
    return account
  }

  /// The argument of handlers of `on_changed`.
  func value(_ change: AccountChange) throws -> LuaValue {
    .record([
      ("kind", .string(change.kind.rawValue)), ("account", .object(try luaAccount(change.account))),
      ("reason", .string(change.reason.rawValue)),
    ])
  }

  /// The argument of handlers of `on_failed`.
  func value(_ failure: SignInFailure) throws -> LuaValue {
    .record([
      ("error", state.errorObject(failure.error)), ("policy", .string(failure.policy)),
      ("stage", .string(failure.stage.rawValue)), ("account_type", .string(failure.accountType)),
      ("account", try failure.account.map { .object(try luaAccount($0)) } ?? .nil),
      ("attempt", .integer(failure.attempt)),
    ])
  }

  /// Calls a function of the script for something that happened, and emits the call. `name` is the name that scripts
  /// know it by, such as `on_changed`; `subject` has the arguments in a few words.
  func call(
    _ function: LuaFunction, _ arguments: [LuaValue], as name: String, _ subject: @autoclosure () -> String?
  ) async throws -> LuaValue {
    let events = session.events
    guard events.isWatched(RunEvent.self) else { return try await function.call(arguments).first ?? .nil }
    let start = HostLoop.uptime
    var call = RunEvent.Callback(name, defined: function.place)
    call.subject = subject()
    defer { events.emit(RunEvent.calledBack(call, start: start)) }
    do {
      let answer = try await function.call(arguments).first ?? .nil
      call.answer = answer.summary
      return answer
    } catch {
      call.error = error
      throw error
    }
  }
}

extension EventPlace {
  @HostActor init(_ call: HostCall?, running: String?) {
    self.init()
    line = call?.place
    self.call = call?.name
    coroutine = call?.coroutine
    runningLine = running
    var caller = call?.caller
    while let next = caller {
      if let place = next.place { via.append(place) }
      caller = next.caller
    }
  }
}

extension AccountChange {
  @HostActor var summary: String { "\(kind.rawValue) \(account.name), by \(reason.rawValue)" }
}

extension SignInFailure {
  @HostActor var summary: String { "attempt \(attempt), \(stage.rawValue): \(LuaError(error).code)" }
}

extension LuaValue {
  /// The result of a function. A table is shown by the names in it, because its values may be anybody's business.
  @HostActor fileprivate var summary: String? {
    switch self {
    case .nil: return nil
    case .table(let table):
      let names = ((try? table.pairs) ?? []).map { $0.key.string ?? $0.key.typeName }.sorted()
      return "{ \(names.joined(separator: ", ")) }"
    case .boolean(let value): return "\(value)"
    case .bytes: return string
    default: return number.map { LuaNumber.text($0) } ?? typeName
    }
  }
}
