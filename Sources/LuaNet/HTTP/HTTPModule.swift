import Accounts
import Automation
import Core
import HTTPClient
import HostLoop
import JSON
package import Lua
package import LuaKit
import OAuth
import Settings
import TaskAPI

/// `b2c.http`, and the requests of `account:request`.
package struct HTTPModule: LuaModule, AccountRequests {
  private unowned let accounts: ScriptAccounts

  package init(_ accounts: ScriptAccounts) { self.accounts = accounts }

  private var session: Session { accounts.context.session }
  private var json: JSONMarshal { accounts.context.json }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "http", "HTTP requests to other APIs.",
      notes: """
        A request carries the token of the account in the option `account`. Without the option, a request to the origin of the
        setting `taskAPI` carries the token of the current account, and other requests carry no token. A redirect to another
        origin drops the token. If the script sets the header field `Authorization`, this field is sent instead of the token.
        The word before the token is the account's `tokenType`. If the account signed in with `dpop`, each request carries a proof
        with the account's key, and follows no redirects.
        """,
      example: """
        local b2c = require "b2c"

        local alice = b2c.tenant.sign_in()
        local answer = b2c.http.post(b2c.settings.taskAPI .. "/api/tasks", {
          json = { Text = "Buy milk" },
          account = alice,
        })
        assert(answer.status == 201)
        print(answer.json().Id)

        local missing = b2c.http.get(b2c.settings.taskAPI .. "/nowhere", { raise = false })
        assert(missing.status == 404)
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] =
    [
      suspending(
        "http.request",
        "Sends a request. A response with status 400 or more is raised as an error, unless `raise = false`.",
        .options(HTTPRequestOptions.keys, required: true), returns: response
      ) { [.object(try await $0.response($1))] }
    ] + ["get", "post", "put", "patch", "delete"].map { shorthand($0) }

  private static let response = HostFunction.Result(.object("response"), "The response.")

  private static func shorthand(_ method: String) -> ModuleFunction<Self> {
    suspending(
      "http.\(method)", "http.request with method \(method.uppercased()).",
      Parameter("url", .string, "An absolute URL."),
      options: HTTPRequestOptions.keys.filter { $0.name != "method" && $0.name != "url" }, returns: response
    ) { [.object(try await $0.response($1, method: method.uppercased(), url: $1.string(0)))] }
  }

  package func send(_ arguments: Arguments, as account: LuaAccount) async throws -> LuaValue {
    .object(try await response(arguments, as: account))
  }

  /// Sends the request that the options describe. A nil `account` selects by the options whose token is sent.
  func response(
    _ arguments: Arguments, method: String? = nil, url: String? = nil, as account: LuaAccount? = nil
  ) async throws -> LuaResponse {
    _ = try arguments[0].text(at: "\(arguments.function.name): the URL")
    let options = try HTTPRequestOptions(arguments)
    let given = try options.request(arguments, session.permissions, json, method: method, url: url)
    let sender = if let account { account } else { try await self.account(for: given, options.account) }
    return try await ExchangeProgress.run(arguments) { listener in
      var request = given
      request.onProgress = listener
      let response = try await exchange(&request, as: sender, options.dpop)
      if options.raises, response.status >= 400 { throw Self.failure(response, request, arguments) }
      return LuaResponse(response, json)
    }
  }

  /// Selects the account whose token is sent: the account named by the script, or the current account if the request goes
  /// to the origin of `taskAPI`, the account is one of these settings, and the script gives no `Authorization`.
  private func account(for request: HTTPRequest, _ given: LuaAccount?) async throws -> LuaAccount? {
    if let given { return given }
    // Without settings that name a task API there is no origin a token belongs to.
    guard request.headers["Authorization"] == nil, let origin = Origin(request.url),
      let taskAPI = try? session.settings().taskAPI, origin == Origin(taskAPI)
    else { return nil }
    return try await accounts.current().flatMap { session.accounts.obstacleToTokens(of: $0.account) == nil ? $0 : nil }
  }

  /// Sends the request, with the account's token if there is one, and once more with a fresh one after a 401.
  private func exchange(_ request: inout HTTPRequest, as account: LuaAccount?, _ dpop: LuaValue) async throws
    -> HTTPResponse
  {
    guard let account, request.headers["Authorization"] == nil else {
      return try await sendWithKey(request, dpop)
    }
    let token = try await account.tokens.token()
    guard dpop.isNil || dpop.boolean == (account.tokens.prover != nil) else { throw Self.wrongKey(account, dpop) }
    return try await session.send(&request, as: account.tokens, token)
  }

  /// Sends a request of the script's own token, with a proof if the script gives a key.
  private func sendWithKey(_ request: HTTPRequest, _ dpop: LuaValue) async throws -> HTTPResponse {
    if let type = request.headers["Authorization"]?.split(separator: " ").first {
      try TokenSet.checkUse(ofType: String(type))
    }
    guard !dpop.isNil, dpop.boolean != false else { return try await session.http.send(request) }
    guard let key = dpop.object(LuaKey.self)?.key else {
      throw LuaError(
        code: "invalid_argument", message: "option 'dpop': the request carries no token of an account",
        hint: "give the key, or the option account")
    }
    let prover = Prover(try ProofKey(key), session.providers.nonces)
    let credentials = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
    let token = credentials.first?.lowercased() == "dpop" ? credentials.last.map { Secret(String($0)) } : nil
    return try await prover.send(request.method, request.url, token: token) { proof in
      try await session.http.send(request.with(proof: proof))
    }
  }

  private static func wrongKey(_ account: LuaAccount, _ dpop: LuaValue) -> LuaError {
    LuaError(
      code: "invalid_argument",
      message: account.tokens.prover == nil
        ? "option 'dpop': the tokens of \(account.account.name) are bound to no key"
        : "option 'dpop': the tokens of \(account.account.name) are bound to another key",
      hint: account.tokens.prover == nil
        ? "sign in with dpop = true" : "leave out dpop: the proofs are made with this key")
  }

  private static func failure(_ response: HTTPResponse, _ request: HTTPRequest, _ arguments: Arguments) -> LuaError {
    let address = WebAddress(request.url).shown
    let body = Redaction.forScripts(beginningOf: response.body)
    let text = body.prefix(200).split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
    if let demand = response.stepUp {
      return LuaError(
        code: StepUpDemand.code,
        message: "\(arguments.function.name): \(request.method) \(address) needs another sign-in\(demand.words)\(text)",
        hint: StepUpDemand.hint, status: 401,
        details: demand.details.merging(["body": String(body.prefix(4096))]) { $1 })
    }
    var details = ["body": String(body.prefix(4096))]
    let wait = response.retryAfter
    details["retry_after"] = wait.map { Int64(exactly: $0).map(String.init) ?? String($0) }
    return LuaError(
      code: "http_status",
      message: "\(arguments.function.name): \(request.method) \(address) answered \(response.status)\(text)",
      hint: "raise = false returns the response instead", status: response.status,
      isRetryable: response.status == 429 || response.status >= 500 || wait != nil, details: details)
  }
}

/// An HTTP response for scripts.
package final class LuaResponse: LuaObject {
  let response: HTTPResponse
  private let json: JSONMarshal

  package var weight: Int { response.body.count + 4096 }

  init(_ response: HTTPResponse, _ json: JSONMarshal) {
    self.response = response
    self.json = json
  }

  /// `response.json()`, called with a dot, and so bound to this response.
  private var jsonFunction: HostFunction {
    HostFunction("response.json", "The body, read as JSON.", returns: [Self.jsonResult]) { [self] _ in
      var text = response.body
      do throws(JSONError) { return [try json.value(parsing: &text)] } catch {
        let type = response.headers["Content-Type"] ?? "no content type"
        throw LuaError(
          code: "unexpected_body",
          message: "response.json: the body is not JSON (\(type), \(response.body.count) bytes): \(error.message)",
          status: response.status)
      }
    }
  }

  private nonisolated static let jsonResult = HostFunction.Result(.any, "The value.")

  private var headers: LuaValue {
    var values: [String: [String]] = [:]
    for field in response.headers.fields { values[field.name.lowercased(), default: []].append(field.value) }
    return .record(values.map { ($0.key, .string($0.value.joined(separator: ", "))) })
  }

  package static let luaType = HostType(
    "response", "An HTTP response.",
    properties: [
      property("status", .integer, "The status code.") { .integer($0.response.status) },
      property("body", .string, "The bytes of the body.") { .bytes($0.response.body) },
      property("headers", .map(of: .string), "The header fields, by name in lower case.") { $0.headers },
      property("url", .string, "The address of the response, after redirects.") { .string($0.response.url) },
      property("retry_after", .number, optional: true, "The seconds that the server asks to wait, in any of its forms.")
      {
        .seconds($0.response.retryAfter)
      },
      .init(
        "json", .functionReturning(LuaResponse.jsonResult), "response.json() reads the body as JSON.",
        of: LuaResponse.self
      ) { object, state in .function(state.closure(object.jsonFunction)) },
    ], describe: { object in (object as? LuaResponse).map { "response \($0.response.status)" } ?? "response" })
}
