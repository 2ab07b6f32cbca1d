import Core
import Files
package import HostLoop

/// A window of our own with the pages in it, which ends when the redirect is reached.
@HostActor
package final class WebViewAgent: UserAgent {
  let environment: [String: String]
  let ownPath: String
  let caFile: String?
  let session: WebViewSession?

  /// - Parameters:
  ///   - environment: DISPLAY, WAYLAND_DISPLAY and PATH say where the window and its program are.
  ///   - ownPath: the path of this program, with the window's beside it; nil asks the system.
  ///   - session: whose cookies the window has, and leaves behind; nil for none.
  package init(
    environment: [String: String], ownPath: String? = nil, caFile: String? = nil, session: WebViewSession? = nil
  ) {
    self.environment = environment
    self.ownPath = ownPath ?? WebViewProgram.ownPath
    self.caFile = caFile
    self.session = session
  }

  /// Why no window can be opened, and what to do; nil when one can. A nil `ownPath` asks the system.
  package nonisolated static func problem(_ environment: [String: String], ownPath: String? = nil) -> UserAgentError? {
    do {
      _ = try program(environment, ownPath ?? WebViewProgram.ownPath)
      return nil
    } catch { return error }
  }

  private nonisolated static func program(
    _ environment: [String: String], _ ownPath: String
  ) throws(UserAgentError) -> String {
    let path = try WebViewProgram.path(environment, ownPath: ownPath)
    let desktop = Desktop(environment)
    if desktop.hasDisplay { return path }
    throw UserAgentError(
      .noDisplay, "no window can be opened \(desktop.lack)",
      hint: desktop.isRemote
        ? "use the agent \"terminal\", or forward the display: ssh -X" : "use the agent \"terminal\", or \"headless\"")
  }

  package func open(_ request: NavigationRequest) async throws -> String {
    try request.checkStart()
    let program = try Self.program(environment, ownPath)
    let cookies = try session?.cookies() ?? []
    let window = try WebViewWindow(program, environment: environment)
    let trip = WebViewTrip(request, window, session)
    trip.start(caFile: caFile, cookies: cookies)
    guard request.redirectURI != nil || request.isUnattended else { return try await trip.show() }
    return try await trip.run()
  }
}

enum WebViewProgram {
  private static let name = "b2c-webview"

  /// Beside this program, in its installation, its build folder, or PATH. Throws `no_webview`.
  static func path(_ environment: [String: String], ownPath: String) throws(UserAgentError) -> String {
    if let path = candidates(environment, ownPath).first(where: ChildProcess.isProgram) { return path }
    throw UserAgentError(
      .noWebView, "the agent \"webview\" needs the program \(name), which is not there",
      hint: "install the package b2c-run-webview, or run make webview in the folder of the sources, then make install "
        + "where b2c-run is installed; or use the agent \"system\"")
  }

  private static func candidates(_ environment: [String: String], _ ownPath: String) -> [String] {
    var candidates: [String] = []
    let parts = ownPath.split(separator: "/").dropLast()
    let folder = "/" + parts.joined(separator: "/")
    if !parts.isEmpty { candidates += ["\(folder)/\(name)", "\(folder)/../libexec/b2c-run/\(name)"] }
    if let build = parts.lastIndex(of: ".build") {
      candidates.append("/" + parts[...build].joined(separator: "/") + "/\(name)")
    }
    // A relative folder would be whichever one this happens to run in.
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return candidates + folders.map { "\($0)/\(name)" }
  }

  static var ownPath: String {
    FileSystem.target(ofLink: "/proc/self/exe").map { String(pathBytes: $0) } ?? ""
  }
}
