import Accounts
import Automation
import Core
import HostLoop
package import Lua
package import LuaKit
package import LuaSignIn
import MCP
import MCPClient
import ProtectedResources

/// `b2c.mcp`
package struct MCPModule: LuaModule {
  private let signIns: ScriptSignIns

  package init(_ signIns: ScriptSignIns) { self.signIns = signIns }

  /// The module, for the documentation and for `b2c`.
  package var module: HostModule {
    HostModule(
      "mcp", "Connections to servers of the Model Context Protocol over HTTP.",
      notes: """
        A connection speaks the newest version that the server has: 2026-07-28, or 2025-11-25 or 2025-06-18 with a session. It sends
        the token of an account, and signs the user in where the server demands it, as `accounts.sign_in { mcp = URL }` does: at
        most three times for one request. The texts of a server are data: a script decides what to do with them. An answer has at most 16
        MiB, and a list at most 10,000 elements. See the page [Sign in to an MCP server](MCPSignIn.md).
        """,
      example: """
        local b2c = require "b2c"

        --- Prints the tools of a server.
        local function print_tools(url)
          local server <close> = b2c.mcp.connect(url)
          for _, tool in ipairs(server:tools()) do print(tool.name, tool.description) end
        end

        print(type(print_tools))
        """, functions)
  }

  package static let functions: [ModuleFunction<Self>] = [
    suspending(
      "mcp.connect", "Connects to a server, and signs the user in if the server demands it.",
      Parameter("url", .string, "The https address of the server, or an http address on this machine."),
      options: ConnectOptions.keys, returns: .init(.object("connection"), "The connection."),
      example: """
        --- Adds a task by a server, and shows the progress.
        local function add(url, text)
          local server <close> = b2c.mcp.connect(url, {
            on_question = function(question) return b2c.term.confirm(question.message) and {} end,
          })
          local result = server:call("add_task", { text = text }, {
            on_progress = function(progress) print(progress.done, progress.total) end,
          })
          return result.text
        end
        """
    ) { module, arguments in [.object(try await module.connect(arguments))] }
  ]

  private func connect(_ arguments: Arguments) async throws -> LuaConnection {
    let options = try ConnectOptions(arguments)
    let resource: ResourceAddress
    do { resource = try ResourceAddress(arguments.string(0)) } catch {
      throw arguments.failure("argument 1: \(error.message)", hint: error.hint)
    }
    guard options.timeout > 0 else {
      throw arguments.failure(option: "timeout", "expected more than zero seconds, got \(options.timeout)")
    }
    let signInOptions = try signInOptions(options, arguments)
    let access = MCPAccess(
      resource, signIns, account: try await account(options, resource), options: signInOptions)
    var question: MCPConnection.Question?
    if let function = options.onQuestion {
      let handler = QuestionHandler(function, signIns.context)
      question = { try await handler.answer($0) }
    }
    let connection = MCPConnection(
      resource.url,
      client: MCPImplementation(name: "b2c-run", version: signIns.session.configuration.version),
      version: options.version.flatMap(MCPVersion.init), timeout: options.timeout,
      question: question
    ) { try await access.send($0) }
    try await connection.open()
    return LuaConnection(connection, signIns.context)
  }

  /// The options of sign-ins; nil if the script forbids them. They are checked before anything is sent.
  private func signInOptions(
    _ options: ConnectOptions, _ arguments: Arguments
  ) throws -> [(name: String, value: LuaValue)]? {
    guard options.signIn.boolean != false else { return nil }
    guard let table = options.signIn.table else { return [] }
    let module = AccountsModule(signIns)
    _ = try Arguments(options: table, of: AccountsModule.signInFunction.of(module), arguments.state)
    return LuaValue.table(table).fields
  }

  /// The account of the options, else the one that was last signed in for the server.
  private func account(_ options: ConnectOptions, _ resource: ResourceAddress) async throws -> LuaAccount? {
    if let account = options.account { return account }
    return try await signIns.session.accounts.account(forResource: resource).map(signIns.accounts.value)
  }
}

/// The options of `mcp.connect`.
struct ConnectOptions: LuaOptions {
  var account: LuaAccount?
  var signIn = LuaValue.nil
  var version: String?
  var timeout = 60.0
  var onQuestion: LuaFunction?

  static let fields: [Field] = [
    .init(
      "account", \.account,
      "The account whose token is sent; if not given, the one that was last signed in for the server."),
    .init(
      "sign_in", \.signIn, .either([.options(AccountsModule.signInOptions), .boolean]),
      "The options of accounts.sign_in for sign-ins that the server demands; false: raise an error instead."
    ) { value, _ in value },
    .init(
      "version", \.version, .choice(MCPVersion.allCases.map(\.rawValue)),
      "The version of the protocol; the newest one that the server has if not given."),
    .init("timeout", \.timeout, in: Parameter.anyNumber, "The seconds without any byte of an answer; 60 if not given."),
    .init(
      "on_question", \.onQuestion,
      .callback(
        [Parameter("question", .record(QuestionHandler.question.record), "The question.")],
        returns: [.init(.either([.map(of: .any), .boolean]), optional: true, "The answer.")]),
      "Answers a question of the server to the person: returns a table with the values of the schema, false to decline, or nil "
        + "to cancel."),
  ]
}
