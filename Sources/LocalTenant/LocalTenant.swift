import Core
import HTTPServer
import Synchronization

/// An Azure AD B2C directory and a task API on this machine, for development and tests. The server runs from
/// initialization until `stop()`. All members may be called from any thread.
package final class LocalTenant: Sendable {
  /// The address of the server: `http://127.0.0.1:8910`.
  package let url: String
  /// The port of the data file, if something else listens there: another process has a tenant with the same data.
  package let otherPort: UInt16?

  private let engine: LockedEngine
  private let server: HTTPServer?

  /// Opens the data file and starts the server.
  /// - Parameter place: the address of an earlier tenant, in whose place this one is; it serves nobody. Nil for a server.
  /// - Throws: `port_taken`, `not_a_database` and other errors of the start.
  package init(_ configuration: TenantConfiguration = .init(), inPlaceOf place: String? = nil) throws(TenantError) {
    do {
      let engine = try LockedEngine(configuration)
      (server, otherPort) = try place == nil ? Self.start(engine, configuration) : (nil, nil)
      self.engine = engine
    } catch let error as any Failure {
      throw TenantError(error)
    } catch { throw TenantError(code: "tenant_start", message: "the local tenant could not be started: \(error)") }
    url = place ?? "\(configuration.tls == nil ? "http" : "https")://127.0.0.1:\(server?.port ?? 0)"
    engine.withLock { [url] in $0.url = url }
  }

  /// Starts at the port of the data file, if any. Clients store accounts by address, so they find the tenant again.
  private static func start(
    _ engine: LockedEngine, _ configuration: TenantConfiguration
  ) throws -> (server: HTTPServer?, otherPort: UInt16?) {
    if configuration.port == 0, let kept = try engine.withLock({ try $0.lastPort() }) {
      do {
        return (try serve(engine, configuration, port: kept), nil)
      } catch let error as HTTPServerError where error.kind == .portTaken {
        // The stored port is kept for the next start, because another tenant with the same data may use the port now.
        return (try serve(engine, configuration, port: 0), kept)
      }
    }
    let server = try serve(engine, configuration, port: configuration.port)
    try engine.withLock { try $0.remember(port: server.port) }
    return (server, nil)
  }

  private static func serve(
    _ engine: LockedEngine, _ configuration: TenantConfiguration, port: UInt16
  ) throws -> HTTPServer {
    // The names of authorities in the question are advice: the tenant's own stands for none.
    let authorities = configuration.clientAuthorities ?? configuration.tls?.certificate
    return try HTTPServer(port: port, tls: configuration.tls, clientAuthorities: authorities) { request in
      @Sendable func answer(_ request: ServerRequest) -> ServerResponse { engine.withLock { $0.answer(request) } }
      return configuration.between?(request, answer) ?? answer(request)
    }
  }

  /// Closes the port and all connections, and waits for the last response. The data file keeps its contents.
  package func stop() { server?.stop() }

  /// The kind of directory that the tenant imitates.
  package var kind: TenantKind { engine.withLock { $0.behavior.kind } }

  /// Calls `body` with the engine and converts its errors to `TenantError`.
  func withEngine<Result: Sendable>(_ body: (Engine) throws -> Result) throws(TenantError) -> Result {
    do {
      return try engine.withLock(body)
    } catch let error as any Failure {
      throw TenantError(error)
    } catch { throw TenantError(code: "tenant", message: "the local tenant failed: \(error)") }
  }
}

private final class LockedEngine: Sendable {
  private let engine: Mutex<Engine>

  init(_ configuration: TenantConfiguration) throws { engine = Mutex(try Engine(configuration)) }

  func withLock<Result: Sendable>(_ body: (Engine) throws -> Result) rethrows -> Result {
    try engine.withLock { try body($0) }
  }
}

/// The reason why the local tenant could not start or could not do what its owner asked.
package struct TenantError: Failure {
  package var code: String
  package var message: String
  package var hint: String?

  init(code: String, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  static func invalid(_ name: String, _ message: String, hint: String? = nil) -> TenantError {
    TenantError(code: "invalid_\(name)", message: message, hint: hint)
  }

  init(_ cause: some Failure) { self.init(code: cause.code, message: cause.message, hint: cause.hint) }
}
