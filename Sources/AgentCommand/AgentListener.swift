import Automation
import CommandLine
import Core
import HTTPServer
import HostLoop
import JobServer
import MCP
import Settings

/// The address of the server for agents over HTTP, and who may use it.
struct AgentListener: Sendable {
  var address: String?
  /// The file with the settings of the application that access tokens are for.
  var settings: String?
  var subjects: Set<String> = []

  /// Throws for options that belong to `--listen`.
  var isWanted: Bool {
    get throws {
      guard address == nil else { return true }
      guard settings == nil, subjects.isEmpty else {
        throw UsageError("mcp: --sign-in and --allow-subject belong to --listen", hint: "add --listen ADDRESS")
      }
      return false
    }
  }

  /// Serves until the run is canceled.
  /// - Parameter onStart: gets the address of the server.
  @HostActor
  func serve(
    _ server: MCPServer, _ run: RunOptions, _ console: Console, _ onStart: @HostActor (String) -> Void
  ) async throws {
    let place = try place()
    let (session, admission, scopes) = try admission(run, console)
    defer { withExtendedLifetime(session) {} }
    let web = Locked<AgentWebServer?>(nil)
    let http = try HTTPServer(on: .loopback(place)) { request in
      web.withLock { $0 }?.handle(request) ?? ServerResponse(status: 503)
    }
    defer { http.stop() }
    let served = AgentWebServer(server, port: http.port, admission, scopes: scopes)
    web.withLock { $0 = served }
    onStart("http://localhost:\(http.port)/mcp")
    while true { try await HostLoop.shared.sleep(seconds: 3600) }
  }

  private func place() throws(UsageError) -> ListenAddress {
    let place: ListenAddress
    do { place = try ListenAddress(parsing: address ?? "") } catch {
      throw UsageError("--listen: \(error.message)", hint: error.hint)
    }
    guard place.isLoopback else {
      throw UsageError(
        "--listen: \(place) is an address for other machines", hint: "listen on 127.0.0.1, and use a tunnel, ssh -L")
    }
    return place
  }

  @HostActor
  private func admission(
    _ run: RunOptions, _ console: Console
  ) throws -> (session: Session, admission: TokenAdmission, scopes: [String]) {
    guard let settings, !subjects.isEmpty else {
      throw UsageError(
        "mcp --listen: other users of this machine reach the address, so that people have to sign in",
        hint: "add --sign-in FILE and --allow-subject SUBJECT")
    }
    var configuration = run.session
    configuration.settings.file = settings
    configuration.settings.overrides = []
    configuration.localTenant = nil
    let session = Session(configuration, console: console, tenant: nil)
    let known = try session.settings()
    let admission = TokenAdmission(session.providers.provider(for: known), subjects: subjects)
    return (session, admission, known.scopes)
  }
}
