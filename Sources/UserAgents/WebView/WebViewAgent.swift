package import HostLoop

/// A window of our own with the pages in it, which ends when the redirect is reached.
@HostActor
package final class WebViewAgent: UserAgent {
  let environment: [String: String]
  let ownPath: String
  let caFile: String?
  let session: WebViewSession?

  /// - Parameters:
  ///   - environment: this process's. DISPLAY, WAYLAND_DISPLAY and PATH say where the window and its program are.
  ///   - ownPath: where this program is, and the window's with it; nil asks the system.
  ///   - caFile: certificates to trust besides the system's.
  ///   - session: whose cookies the window has, and leaves behind; nil for none.
  package init(
    environment: [String: String], ownPath: String? = nil, caFile: String? = nil, session: WebViewSession? = nil
  ) {
    self.environment = environment
    self.ownPath = ownPath ?? WebViewProgram.ownPath
    self.caFile = caFile
    self.session = session
  }

  /// Why no window can be opened with this environment, and what to do; nil when one can.
  /// - Parameter ownPath: where this program is; nil asks the system.
  package nonisolated static func problem(_ environment: [String: String], ownPath: String? = nil) -> UserAgentError? {
    do {
      _ = try program(environment, ownPath ?? WebViewProgram.ownPath)
      return nil
    } catch {
      return error
    }
  }

  private nonisolated static func program(_ environment: [String: String], _ ownPath: String) throws(UserAgentError)
    -> WebViewProgram
  {
    let program = try WebViewProgram(environment, ownPath: ownPath)
    try checkDisplay(environment)
    return program
  }

  private nonisolated static func checkDisplay(_ environment: [String: String]) throws(UserAgentError) {
    let desktop = Desktop(environment)
    guard !desktop.hasDisplay else { return }
    throw UserAgentError(
      .noDisplay,
      desktop.isRemote
        ? "no window can be opened over SSH without a display"
        : "no window can be opened without a display: neither DISPLAY nor WAYLAND_DISPLAY is set",
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
