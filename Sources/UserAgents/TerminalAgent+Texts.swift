import Core
import Terminal

/// The texts for the person.
extension TerminalAgent {
  /// The library that is missing here, with advice; nil when none is. The address can be shown anyway.
  package nonisolated static var problem: UserAgentError? {
    do {
      try QRCode.library.demand {
        UserAgentError(.noDrawing, "addresses are shown without a QR code: \($0)", hint: $1)
      }
      return nil
    } catch {
      return error
    }
  }

  func invitation(_ request: NavigationRequest) -> String {
    """
    Open this address in a browser and \(task(request)):

      \(request.url)
    \(drawing(of: request.url))
    """
  }

  /// The address as a QR code with an empty line on both sides, for a telephone's camera; empty where it does not fit.
  private func drawing(of url: String) -> String {
    guard let screen = screen(), let code = QRCode(url), code.columns <= screen.columns,
      code.rows + Self.rowsOfText <= screen.rows
    else { return "" }
    return "\n" + code.lines(usesColor: screen.usesColor).joined(separator: "\n") + "\n"
  }

  /// The rows for the text below the drawing.
  private static var rowsOfText: Int { 4 }

  func pasteInvitation(_ request: NavigationRequest) -> String {
    """
    Then paste the address the browser ends at (\(request.redirectURI ?? "")…), or the code it shows, and press Enter:

    """
  }

  /// The browser is being opened.
  func announceBrowser(_ request: NavigationRequest) {
    write(
      """
      A browser opens; \(task(request)) there. If none does, open this address in one:

        \(request.url)

      """)
  }

  /// No browser could be opened: the person has to, here or on another machine.
  func invitation(_ request: NavigationRequest, because problem: UserAgentError) -> String {
    "\(problem.message).\n\n\(invitation(request))"
  }

  /// The invitation to paste while a listener waits, too.
  func pasteInvitation(_ listener: LoopbackListener) -> String {
    """
    The browser comes back to port \(listener.port) of this machine. For a browser on another one, forward the port first:

      ssh -L \(listener.port):localhost:\(listener.port) THIS-MACHINE

    or paste the address the browser ends at (\(listener.redirectURI)…), or the code it shows, and press Enter:

    """
  }

  /// The input has ended, which leaves the listener.
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
