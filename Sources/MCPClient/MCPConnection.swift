import Core
package import HTTPClient
package import HostLoop
package import JSON
package import MCP

/// A connection of a client to a server over HTTP ("Streamable HTTP"): in the version without sessions if the server has it, else with
/// a session that begins with `initialize`.
///
/// It knows no sign-in: the caller's function sends the requests, and throws for a refused one.
@HostActor
package final class MCPConnection {
  /// Sends a request, with a token where one is needed.
  package typealias Send = @HostActor @Sendable (HTTPRequest) async throws -> HTTPResponse

  /// Answers a question of the server to the person.
  package typealias Question = @HostActor @Sendable (MCPQuestion) async throws -> MCPReply
  /// Gets the progress of a request.
  package typealias Progress = @HostActor @Sendable (MCPProgress) async throws -> Void

  /// The functions that get the messages of a server during a request.
  struct Listeners: Sendable {
    /// Nil if nobody answers questions.
    var question: Question?
    var progress: Progress?
  }

  /// The agreement of `open`.
  package struct Agreement: Sendable {
    package var version: MCPVersion
    package var server: MCPImplementation?
    package var instructions: String?
    /// The names of the server's capabilities.
    package var capabilities: Set<String>
    /// The header fields of each request.
    var headers: HTTPHeaders = [:]
  }

  /// The questions that a call may have before it ends.
  private static let mostRounds = 10
  /// The pages and the elements of a list.
  private static let (mostPages, mostElements) = (100, 10_000)

  let wire: MCPWire
  /// Nil for the newest version that the server has.
  private let version: MCPVersion?
  private let question: Question?
  package private(set) var agreement: Agreement?

  /// - Parameters:
  ///   - client: the program, as it names itself.
  ///   - version: the version to speak; nil for the newest one that the server has.
  ///   - timeout: the seconds without any byte of an answer.
  ///   - question: answers questions of the server to the person; nil to say that nobody does.
  package init(
    _ url: String, client: MCPImplementation, version: MCPVersion?, timeout: Double,
    question: Question?, send: @escaping Send
  ) {
    wire = MCPWire(url: url, client: client, timeout: timeout, canAsk: question != nil, send: send)
    self.version = version
    self.question = question
  }

  // MARK: Beginning and end

  /// Agrees on a version with the server.
  package func open() async throws {
    if version?.isStateless ?? true {
      do {
        agreement = try await discover()
        return
      } catch let error as MCPClientError where version == nil && Self.meansOlderServer(error) {}
    }
    agreement = try await initialize(version ?? .newestWithSessions)
  }

  /// True for the refusals of servers that do not know the method `server/discover`, or the version.
  private static func meansOlderServer(_ error: MCPClientError) -> Bool {
    switch error.kind {
    case .serverError, .version: true
    case .status: error.status.map { (400..<500).contains($0) } ?? false
    case .malformed, .tooLarge, .question, .rounds: false
    }
  }

  private func discover() async throws -> Agreement {
    let headers = wire.headers(.stateless, "server/discover", [:])
    let answer = try await wire.request("server/discover", wire.stateless([:]), headers, Listeners())
    let result = answer.result
    let versions = result["supportedVersions"]?.array?.compactMap(\.string) ?? []
    guard versions.contains(MCPVersion.stateless.rawValue) else { throw unsupported(versions) }
    return Agreement(
      version: .stateless, server: MCPImplementation(result["_meta"]?[MCPMeta.server]),
      instructions: result["instructions"]?.string, capabilities: Set((result["capabilities"]?.object ?? [:]).keys))
  }

  private func initialize(_ version: MCPVersion) async throws -> Agreement {
    let params: [String: JSON] = [
      "protocolVersion": .string(version.rawValue), "capabilities": wire.capabilities, "clientInfo": wire.client.json,
    ]
    let answer = try await wire.request("initialize", params, [:], Listeners())
    let result = answer.result
    let chosen = result["protocolVersion"]?.string ?? ""
    guard let agreed = MCPVersion(rawValue: chosen), !agreed.isStateless else { throw unsupported([chosen]) }
    var agreement = Agreement(
      version: agreed, server: MCPImplementation(result["serverInfo"]), instructions: result["instructions"]?.string,
      capabilities: Set((result["capabilities"]?.object ?? [:]).keys))
    agreement.headers["MCP-Protocol-Version"] = agreed.rawValue
    agreement.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
    try await wire.tell(.notification(method: "notifications/initialized", params: [:]), agreement.headers)
    return agreement
  }

  private func unsupported(_ versions: [String]) -> MCPClientError {
    MCPClientError(
      .version,
      "the server speaks \(versions.isEmpty ? "no version" : versions.joined(separator: ", ").displayable) of the protocol, "
        + "and this program \((version.map { [$0] } ?? MCPVersion.allCases).map(\.rawValue).joined(separator: ", "))")
  }

  /// Ends the session, if there is one. The connection can be used again, and begins anew then.
  package func close() async throws {
    defer { agreement = nil }
    guard let headers = agreement?.headers, headers["Mcp-Session-Id"] != nil else { return }
    _ = try await wire.send(wire.httpRequest("DELETE", headers))
  }

  // MARK: Requests

  /// Sends a request, and answers the questions of the server. Returns the result.
  package func request(
    _ method: String, _ params: [String: JSON] = [:],
    progress: Progress? = nil
  ) async throws -> JSON {
    var params = params
    for _ in 0..<Self.mostRounds {
      let result = try await once(method, params, Listeners(question: question, progress: progress))
      guard result["resultType"] == "input_required" else { return result }
      params["inputResponses"] = .object(try await answers(result))
      params["requestState"] = result["requestState"]
    }
    throw MCPClientError(
      .rounds, "\(method): the server asked \(Self.mostRounds) times, and has no result",
      hint: "tell the owner of the server")
  }

  /// All elements of a list that the server gives in pages: `tools/list` with `tools`.
  package func list(_ method: String, _ member: String) async throws -> [JSON] {
    var elements: [JSON] = []
    var params: [String: JSON] = [:]
    for _ in 0..<Self.mostPages {
      let result = try await request(method, params)
      guard let page = result[member]?.array else {
        throw MCPClientError(.malformed, "\(method): the result has no list \(member)")
      }
      elements += page
      guard elements.count <= Self.mostElements else { break }
      guard let cursor = result["nextCursor"]?.string else { return elements }
      params["cursor"] = .string(cursor)
    }
    throw MCPClientError(
      .tooLarge, "\(method): the list has more than \(Self.mostElements) elements or \(Self.mostPages) pages")
  }

  /// Sends a request once, and once more in a new session if the server has forgotten this one.
  private func once(_ method: String, _ params: [String: JSON], _ listeners: Listeners) async throws -> JSON {
    do { return try await send(method, params, listeners) } catch let error as MCPClientError
      where error.status == 404 && agreement?.headers["Mcp-Session-Id"] != nil
    {
      agreement = nil
      return try await send(method, params, listeners)
    }
  }

  private func send(_ method: String, _ params: [String: JSON], _ listeners: Listeners) async throws -> JSON {
    if agreement == nil { try await self.open() }
    guard let agreement else { throw CancellationError() }
    guard agreement.version.isStateless else {
      return try await wire.request(method, params, agreement.headers, listeners).result
    }
    return try await wire.request(
      method, wire.stateless(params), wire.headers(.stateless, method, params), listeners
    ).result
  }

  /// The answers to the questions of a result that is none yet.
  private func answers(_ result: JSON) async throws -> [String: JSON] {
    var answers: [String: JSON] = [:]
    for (key, request) in (result["inputRequests"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard request["method"] == "elicitation/create" else {
        throw MCPClientError(
          .question, "the server wants \(request["method"]?.string?.displayable ?? "something"), which is not offered")
      }
      answers[key] = .object(try await wire.answer(key, request["params"]?.object ?? [:], question))
    }
    return answers
  }
}

/// The progress of a request, as the server tells it.
package struct MCPProgress: Sendable, Equatable {
  package var done: Double
  /// Nil if the server does not know it.
  package var total: Double?
  package var message: String?
}
