import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import Lua
import LuaKit
import LuaSignIn
import ProtectedResources

/// Sends the requests of a connection with the token of an account, and signs the user in as the server demands: for a 401 that a new
/// token does not mend, and for a 403 with more scopes.
@HostActor
final class MCPAccess {
  /// The sign-ins for one request.
  private static let mostSignIns = 3

  private let resource: ResourceAddress
  private let signIns: ScriptSignIns
  /// The options of sign-ins; nil where the script signs in itself.
  private let options: [(name: String, value: LuaValue)]?
  private var account: LuaAccount?
  /// The sign-in that runs, which all requests share.
  private var running: SharedResult<LuaAccount>?

  init(
    _ resource: ResourceAddress, _ signIns: ScriptSignIns, account: LuaAccount?,
    options: [(name: String, value: LuaValue)]?
  ) {
    self.resource = resource
    self.signIns = signIns
    self.account = account
    self.options = options
  }

  /// The demand of a server for another sign-in.
  private struct Demand {
    var status: Int
    /// The parameters of its challenge.
    var parameters: [String: String] = [:]

    var scope: String { parameters["scope"].map { " with the scopes \($0.displayable)" } ?? "" }
  }

  /// Sends a request, and signs in as often as the server demands and the limit allows.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    var count = 0
    while true {
      let sender = account
      let demand: Demand
      switch try await attempt(request, as: sender) {
      case .answered(let response): return response
      case .demanded(let found): demand = found
      }
      // Another request has signed in meanwhile.
      guard account === sender else { continue }
      if let running {
        // The one that signs in may be canceled; then this one does.
        do { account = try await running.value() } catch is CancellationError { try Task.checkCancellation() }
        continue
      }
      guard count < Self.mostSignIns else { throw refused(demand) }
      count += 1
      try await signIn(demand, sender)
    }
  }

  private enum Attempt {
    case answered(HTTPResponse)
    case demanded(Demand)
  }

  private func attempt(_ request: HTTPRequest, as account: LuaAccount?) async throws -> Attempt {
    let response: HTTPResponse
    if let account {
      do {
        var request = request
        response = try await signIns.session.send(&request, as: account.tokens, try await account.tokens.token())
      } catch let error as AccountError where error.kind == .signInRequired {
        return .demanded(Demand(status: 401))
      }
    } else {
      response = try await signIns.session.http.send(request)
    }
    let challenge = response.challenges.first { ["bearer", "dpop"].contains($0.scheme) }
    switch response.status {
    case 401: return .demanded(Demand(status: 401, parameters: challenge?.parameters ?? [:]))
    case 403 where challenge?.parameters["error"] == "insufficient_scope":
      return .demanded(Demand(status: 403, parameters: challenge?.parameters ?? [:]))
    default: return .answered(response)
    }
  }

  private func signIn(_ demand: Demand, _ sender: LuaAccount?) async throws {
    guard let options else { throw unanswered(demand) }
    let shared = SharedResult<LuaAccount>()
    running = shared
    defer { running = nil }
    do {
      let account = try await account(demand, sender, options)
      self.account = account
      shared.finish(.success(account))
    } catch {
      shared.finish(.failure(error))
      throw error
    }
  }

  private func account(
    _ demand: Demand, _ sender: LuaAccount?, _ options: [(name: String, value: LuaValue)]
  ) async throws -> LuaAccount {
    var options = options.filter { !["mcp", "for_challenge"].contains($0.name) }
    options.append(("mcp", .string(resource.url)))
    if demand.status == 403, let sender {
      options.removeAll { $0.name == "account" }
      options.append(("account", .object(sender)))
      let details = demand.parameters.map { (name: $0.key, value: LuaValue.string($0.value)) }
      options.append(
        (
          "for_challenge",
          .table(
            signIns.context.state.makeTable([
              ("code", .string("insufficient_scope")), ("message", .string("the token lacks a scope")),
              ("details", .table(signIns.context.state.makeTable(details))),
            ]))
        ))
    }
    let state = signIns.context.state
    let module = AccountsModule(signIns)
    return try await module.signIn(
      Arguments(options: state.makeTable(options), of: AccountsModule.signInFunction.of(module), state))
  }

  // MARK: Errors

  private func refused(_ demand: Demand) -> LuaError {
    error(
      demand,
      "\(WebAddress(resource.url).shown) demands a sign-in again, after \(Self.mostSignIns) sign-ins\(demand.scope)",
      hint: demand.status == 403
        ? "the authorization server does not grant these scopes to the user or to the application"
        : "the server does not take the tokens of its authorization server; tell its owner")
  }

  private func unanswered(_ demand: Demand) -> LuaError {
    error(
      demand,
      "\(WebAddress(resource.url).shown) demands a sign-in\(demand.scope), and sign_in = false forbids it",
      hint: "sign in with accounts.sign_in { mcp = … }, and give the account")
  }

  private func error(_ demand: Demand, _ message: String, hint: String) -> LuaError {
    LuaError(
      code: demand.status == 403 ? "insufficient_scope" : "sign_in_required", message: message, hint: hint,
      status: demand.status, details: demand.parameters)
  }
}
