import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import JSON
import Lua
import OAuth
import Settings
import Trace

/// What the trace of a run is told, where there is one.
extension ScriptHost {
  func beginTrace() {
    guard let trace = configuration.trace else { return }
    network.recorder = trace
    console.onLog = { [unowned self] level, message, fields in
      trace.log(level: level.rawValue, message, fields: fields, at: state.place)
    }
    clients.onValidation = { trace.validated($0) }
    clients.onOrigins = { origins, settings in
      let tasks = try? settings.taskAPI
      let api = tasks.flatMap { Origin($0) }
      // The task API is the provider's own only where it says so.
      let isShared = SettingsKey.endpoints.contains { key in
        key != .taskAPI && settings[key.rawValue]?.string.flatMap { Origin($0) } == api
      }
      trace.know(
        authority: isShared ? origins : origins.filter { $0 != api },
        tasks: tasks.map { address in
          let base = address.hasSuffix("/") ? String(address.dropLast()) : address
          return base + (settings.tasksPath.hasPrefix("/") ? "" : "/") + settings.tasksPath
        })
    }
  }

  /// Calls a function of the script for something that happened.
  /// - Parameters:
  ///   - name: what scripts know the function by: `on_changed`.
  ///   - subject: what it is called with, in a few words.
  func call(
    _ function: LuaFunction, _ arguments: [LuaValue], as name: String, _ subject: @autoclosure () -> String?
  ) async throws -> LuaValue {
    guard let trace = configuration.trace else { return try await function.call(arguments).first ?? .nil }
    let start = HostLoop.uptime
    let subject = subject()
    do {
      let answer = try await function.call(arguments).first ?? .nil
      trace.called(
        name, defined: function.place, subject: subject, answer: answer.summary, error: nil, from: start)
      return answer
    } catch {
      trace.called(name, defined: function.place, subject: subject, answer: nil, error: error, from: start)
      throw error
    }
  }

  /// An attempt to sign in is over.
  func traceSignIn(
    _ options: SignInOptions, _ attempt: Int, _ result: Result<AccountChange, any Error>, _ stage: SignInFailure.Stage?,
    since start: Double
  ) {
    let flow = (options.payload as? SignInRequest).map { $0.flowName ?? "a function" } ?? "none"
    let change = try? result.get()
    var failure: (any Error)?
    if case .failure(let error) = result { failure = error }
    configuration.trace?.signedIn(
      flow: flow, policy: options.policy, agent: options.agent ?? "none", attempt: attempt,
      outcome: change?.kind.rawValue ?? "failed", account: change?.account.name, stage: stage?.rawValue,
      error: failure, from: start)
  }

  func traced(_ refresher: OAuthTokenRefresher) -> any TokenRefresher {
    guard let trace = configuration.trace else { return refresher }
    return TracedRefresher(refresher, trace)
  }
}

/// Records each renewal of tokens.
private struct TracedRefresher: TokenRefresher {
  private let refresher: OAuthTokenRefresher
  private let trace: TraceRecorder

  init(_ refresher: OAuthTokenRefresher, _ trace: TraceRecorder) {
    self.refresher = refresher
    self.trace = trace
  }

  func refresh(_ refreshToken: Secret, account: Account) async throws -> TokenGrant {
    try await recorded(account) { try await refresher.refresh(refreshToken, account: account) }
  }

  func renewWithoutUser(_ account: Account) async throws -> TokenGrant {
    try await recorded(account) { try await refresher.renewWithoutUser(account) }
  }

  func judge(_ error: any Error) -> RenewalFailure { refresher.judge(error) }

  var clockDifference: Double? { refresher.clockDifference }

  private func recorded(
    _ account: Account, _ renew: @HostActor () async throws -> TokenGrant
  ) async throws -> TokenGrant {
    let start = HostLoop.uptime
    let attempt = (RetryNumber.current ?? 0) + 1
    do {
      let grant = try await renew()
      trace.refreshed(account: account.name, policy: account.policy, attempt: attempt, error: nil, from: start)
      return grant
    } catch {
      trace.refreshed(account: account.name, policy: account.policy, attempt: attempt, error: error, from: start)
      throw error
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
  /// What a function answered: of a table the names in it, for the values may be anybody's business.
  @HostActor fileprivate var summary: String? {
    switch self {
    case .nil: return nil
    case .table(let table):
      let names = table.pairs.map { $0.key.string ?? $0.key.typeName }.sorted()
      return "{ \(names.joined(separator: ", ")) }"
    case .boolean(let value): return "\(value)"
    case .bytes: return string
    default: return number.map { LuaNumber.text($0) } ?? typeName
    }
  }
}
