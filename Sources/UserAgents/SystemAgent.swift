import Core
package import HostLoop

/// The person's own browser, which comes back to a listener on this machine (RFC 8252). Without a browser, the terminal
/// shows the address and takes what is pasted, too: whichever comes first ends the trip.
@HostActor
package final class SystemAgent: UserAgent {
  private let listener: LoopbackListener?
  private let terminal: TerminalAgent
  private let launcher: BrowserLauncher

  /// - Parameters:
  ///   - listener: has the request's redirect URI; nil to listen there, which then needs a port.
  ///   - environment: this process's, for the browser too. BROWSER, DISPLAY, WAYLAND_DISPLAY, PATH and the variables of
  ///     an SSH session decide what can be opened.
  package init(listener: LoopbackListener?, terminal: TerminalAgent, environment: [String: String]) {
    self.listener = listener
    self.terminal = terminal
    launcher = BrowserLauncher(environment: environment)
  }

  /// Why no browser can be opened with this environment, and what to do; nil when one can.
  package nonisolated static func browserProblem(_ environment: [String: String]) -> UserAgentError? {
    BrowserLauncher.problem(environment)
  }

  package func open(_ request: NavigationRequest) async throws -> String {
    try request.checkStart()
    try await request.decide(on: request.url)
    guard let redirectURI = request.redirectURI else {
      try await show(request)
      return request.url
    }
    guard listener != nil || LoopbackListener.canListen(on: redirectURI) else { return try await takePaste(request) }
    let listener = try self.listener ?? LoopbackListener(redirectURI: redirectURI)
    defer { listener.close() }
    guard listener.redirectURI == redirectURI else {
      throw UserAgentError(
        .invalidRedirectURI,
        "the browser is to come back to \(redirectURI), but \(listener.redirectURI) is where this program waits",
        hint: "use the redirect URI of the flow: redirect_uri = ctx.redirect_uri")
    }
    let redirect = try await TimeLimit.run(seconds: request.timeout) { try await self.wait(request, listener) }
    guard let redirect else {
      throw UserAgentError(
        .timeout, "the browser did not come back to \(redirectURI) within \(formatSeconds(request.timeout))",
        hint: "finish the sign-in in the browser, or give more time: timeout = …")
    }
    try await request.decide(on: redirect)
    return redirect
  }

  /// Whatever comes first: the browser, or a paste where no browser could be opened.
  private func wait(_ request: NavigationRequest, _ listener: LoopbackListener) async throws -> String {
    let arrival = try listener.expect(state: request.answer.state)
    let opening = HostActor.task {
      do { try await self.openBrowser(request) } catch let problem as UserAgentError {
        let pasting = self.terminal.pasteInvitation(request, listener)
        let invitation = "\(self.terminal.invitation(request, because: problem, before: pasting))\n\(pasting)"
        do {
          arrival.finish(.success(try await self.terminal.ask(request, invitation)))
        } catch let error as UserAgentError where error.kind == .noInput {
          self.terminal.announceWaiting(request, listener)
        } catch {
          arrival.finish(.failure(error))
        }
      }
    }
    defer { opening.cancel() }
    return try await arrival.value()
  }

  private func openBrowser(_ request: NavigationRequest) async throws {
    if let problem = BrowserLauncher.problem(launcher.environment) { throw problem }
    // Before the first command has shown whether it works, which takes a moment.
    terminal.announceBrowser(request)
    try await launcher.open(request.url)
  }

  /// At `urn:ietf:wg:oauth:2.0:oob` and the like nobody can listen: the browser shows the text to paste.
  private func takePaste(_ request: NavigationRequest) async throws -> String {
    let opening = HostActor.task { try await self.show(request) }
    defer { opening.cancel() }
    return try await terminal.paste(request, terminal.pasteInvitation(request))
  }

  /// Nothing comes back: the address is shown, and that is all.
  private func show(_ request: NavigationRequest) async throws {
    do { try await openBrowser(request) } catch let problem as UserAgentError {
      terminal.write(terminal.invitation(request, because: problem))
    }
  }
}
