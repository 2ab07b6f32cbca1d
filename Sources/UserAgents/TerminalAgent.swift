import Core
import HTTPClient
package import HostLoop
package import Terminal

/// Shows the address to a person, who signs in with any browser and pastes what it ends with: the address, its query,
/// or the bare code.
@HostActor
package final class TerminalAgent: UserAgent {
  static let maximumTries = 3

  let write: @HostActor @Sendable (String) -> Void
  private let readLine: @HostActor @Sendable () async throws -> String?
  let screen: @HostActor @Sendable () -> TerminalScreen?

  /// - Parameters:
  ///   - write: shows text to the person; on standard error, since results go to standard output.
  ///   - readLine: the next line of what the person types; nil at the end of the input.
  ///   - screen: the terminal that `write` shows text on, for a QR code where it fits; nil when it is none.
  package init(
    write: @escaping @HostActor @Sendable (String) -> Void,
    readLine: @escaping @HostActor @Sendable () async throws -> String?,
    screen: @escaping @HostActor @Sendable () -> TerminalScreen? = { nil }
  ) {
    self.write = write
    self.readLine = readLine
    self.screen = screen
  }

  package func open(_ request: NavigationRequest) async throws -> String {
    try request.checkStart()
    try await request.decide(on: request.url)
    guard request.redirectURI != nil else {
      write(invitation(request))
      return request.url
    }
    let pasting = pasteInvitation(request)
    return try await paste(request, invitation(request, before: pasting) + "\n" + pasting)
  }

  /// Takes what is pasted, until the request's time is over.
  func paste(_ request: NavigationRequest, _ invitation: String) async throws -> String {
    guard let redirect = try await TimeLimit.run(seconds: request.timeout, { try await self.ask(request, invitation) })
    else {
      throw UserAgentError(.timeout, "nothing was pasted within \(formatSeconds(request.timeout))", hint: "try again")
    }
    try await request.decide(on: redirect)
    return redirect
  }

  func ask(_ request: NavigationRequest, _ invitation: String) async throws -> String {
    var invitation = invitation
    var last = UserAgentError(.noInput, "the input ended before anything was pasted")
    for _ in 0..<Self.maximumTries {
      guard let line = try await nextLine(invitation) else {
        throw UserAgentError(
          .noInput, "the input ended before the address or the code of the sign-in was pasted",
          hint: "run it on a terminal, or use the headless agent")
      }
      do throws(UserAgentError) { return try PastedAnswer(line, to: request).redirect } catch {
        last = error
        invitation = "\(error.message); paste it again:\n"
      }
    }
    throw last
  }

  /// Reads from before the invitation is seen: a terminal would cut off what is pasted too early.
  private func nextLine(_ invitation: String) async throws -> String? {
    let reading = HostActor.task { try await self.readLine() }
    // The loop runs what was there first: the reading has begun when this goes on.
    await Task.yield()
    write(invitation)
    return try await withTaskCancellationHandler {
      try await reading.value
    } onCancel: {
      reading.cancel()
    }
  }

  /// The library that is missing here, with advice; nil when none is. The address can be shown anyway.
  package nonisolated static var problem: UserAgentError? {
    do {
      try QRCode.library.demand { UserAgentError(.noDrawing, "addresses are shown without a QR code: \($0)", hint: $1) }
      return nil
    } catch { return error }
  }

  /// - Parameters:
  ///   - problem: why the person has to do it.
  ///   - following: the text that is shown next. The address must stay on the screen with it.
  func invitation(
    _ request: NavigationRequest, because problem: UserAgentError? = nil, before following: String = ""
  ) -> String {
    let text = """
      \(problem.map { "\($0.message).\n\n" } ?? "")Open this address in a browser and \(task(request)):

        \(request.url)

      """
    return text + drawing(of: request.url, between: text, following)
  }

  /// The address as a QR code with an empty line on both sides, for a telephone's camera. It is left out if the address would
  /// leave the screen, and for an address of this machine, at which a telephone finds nothing.
  private func drawing(of url: String, between text: String, _ following: String) -> String {
    guard Origin(url)?.isLoopback != true, let screen = screen(), let code = QRCode(url), code.columns <= screen.columns
    else { return "" }
    let lines = (text + following).split(separator: "\n", omittingEmptySubsequences: false)
    let rows = lines.reduce(0) { $0 + max(1, ($1.count + screen.columns - 1) / screen.columns) }
    guard code.rows + 1 + rows <= screen.rows else { return "" }
    return "\n" + code.lines(usesColor: screen.usesColor).joined(separator: "\n") + "\n"
  }

  func pasteInvitation(_ request: NavigationRequest) -> String {
    """
    Then paste \(pasted(request.redirectURI ?? "", request)), and press Enter:

    """
  }

  func announceBrowser(_ request: NavigationRequest) {
    write(
      """
      A browser opens; \(task(request)) there. If none does, open this address in one:

        \(request.url)

      """)
  }

  func pasteInvitation(_ request: NavigationRequest, _ listener: LoopbackListener) -> String {
    """
    The browser comes back to port \(listener.port) of this machine. For a browser on another one, forward the port first:

      ssh -L \(listener.port):localhost:\(listener.port) THIS-MACHINE

    or paste \(pasted(listener.redirectURI, request)), and press Enter:

    """
  }

  private func pasted(_ redirectURI: String, _ request: NavigationRequest) -> String {
    "the address the browser ends at (\(redirectURI)…)\(request.answer.takesCode ? ", or the code it shows" : "")"
  }

  func announceWaiting(_ request: NavigationRequest, _ listener: LoopbackListener) {
    write(
      "Nothing can be pasted here, for the input has ended; waiting up to \(formatSeconds(request.timeout)) for the "
        + "browser at \(listener.redirectURI)\n")
  }

  private func task(_ request: NavigationRequest) -> String {
    if let code = request.code { return "enter the code \(code)" }
    return request.redirectURI == nil ? "go on" : "sign in"
  }
}
