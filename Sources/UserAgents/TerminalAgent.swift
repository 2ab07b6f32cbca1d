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
    return try await paste(request, invitation(request) + "\n" + pasteInvitation(request))
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

  /// Asks as often as `maximumTries`.
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
}
