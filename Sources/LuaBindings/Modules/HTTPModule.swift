import Core
import HTTPClient
import HostLoop
import Lua
import Settings

extension ScriptHost {
  var httpModule: HostModule {
    HostModule(
      "http", "HTTP requests to other APIs.",
      notes: """
        The token of an account goes along when the script names it with `account`, or else to the origin of the setting
        `taskAPI` only. It is dropped when a redirect leads to another origin. A script's own header `Authorization` stays as
        it is, and no token goes along. The word before the token is the account's `tokenType`.
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
        """,
      [
        .suspending(
          "http.request", "Sends a request. A status of 400 or more is raised, unless `raise = false`.",
          [.options(HTTPRequestOptions.keys, required: true)], returns: [.init(.object("response"), "The answer.")]
        ) { [self] arguments in
          let request = try HTTPRequestOptions(arguments, self)
          return [.object(try await send(request, as: try account(for: request, arguments), arguments))]
        }
      ] + ["get", "post", "put", "patch", "delete"].map(shorthand))
  }

  /// `http.get(url, options)` and its like.
  private func shorthand(_ method: String) -> HostFunction {
    .suspending(
      "http.\(method)", "http.request with method \(method.uppercased()).",
      [
        Parameter("url", .string, "Absolute."),
        .options(HTTPRequestOptions.keys.filter { $0.name != "method" && $0.name != "url" }),
      ], returns: [.init(.object("response"), "The answer.")]
    ) { [self] arguments in
      let request = try HTTPRequestOptions(
        arguments, self, method: method.uppercased(), url: arguments.string(0))
      return [.object(try await send(request, as: try account(for: request, arguments), arguments))]
    }
  }

  /// Whose token goes along: that of the account the script names; else, to the origin of `taskAPI` only, that of the
  /// current one, if it is an account of these settings, unless the script gives an `Authorization` of its own.
  private func account(for options: HTTPRequestOptions, _ arguments: Arguments) throws -> LuaAccount? {
    if let account = options.account { return account }
    // Without settings that name a task API there is no origin a token belongs to.
    guard options.request.headers["Authorization"] == nil, let origin = Origin(options.request.url),
      let taskAPI = try? settings().taskAPI, origin == Origin(taskAPI)
    else { return nil }
    return try currentAccount().flatMap { obstacleToTokens(of: $0.account) == nil ? $0 : nil }
  }

  func send(
    _ options: HTTPRequestOptions, as account: LuaAccount?, _ arguments: Arguments
  ) async throws -> LuaResponse {
    try await ExchangeProgress.run(arguments) { [self] listener in
      var options = options
      options.request.onProgress = listener
      return try await exchange(options, as: account, arguments)
    }
  }

  /// Sends the request, with the account's token if there is one, and once more with a fresh one after a 401.
  private func exchange(
    _ options: HTTPRequestOptions, as account: LuaAccount?, _ arguments: Arguments
  ) async throws -> LuaResponse {
    var request = options.request
    var response: HTTPResponse
    if let account, request.headers["Authorization"] == nil {
      let token = try await account.token()
      // Behind `token`, which refuses accounts whose tokens this script may not use.
      let type = try await tokenType(of: account.account)
      request.headers["Authorization"] = "\(type) \(token.reveal())"
      response = try await http.send(request)
      if response.status == 401 {
        let other = try await account.token(afterRejected: token)
        request.headers["Authorization"] = "\(type) \(other.reveal())"
        response = try await http.send(request)
      }
    } else {
      response = try await http.send(request)
    }
    if options.raises, response.status >= 400 { throw Self.failure(response, request, arguments) }
    return LuaResponse(response, json)
  }

  private static func failure(
    _ response: HTTPResponse, _ request: HTTPRequest, _ arguments: Arguments
  ) -> LuaError {
    let address = HTTPError.withoutSecrets(request.url)
    let body = Redaction.forScripts(beginningOf: response.body)
    let text = body.prefix(200).split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
    return LuaError(
      code: "http_status",
      message: "\(arguments.function.name): \(request.method) \(address) answered \(response.status)\(text)",
      hint: "with raise = false it is returned instead", status: response.status,
      isRetryable: response.status == 429 || response.status >= 500,
      details: ["body": String(body.prefix(4096))])
  }
}
