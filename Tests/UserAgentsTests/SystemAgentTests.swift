import Core
import FoundationEssentials
import HTTPClient
import HostLoop
import Testing
import UserAgents

/// Tests of the choice of a browser, and of the behavior without a browser.
@Suite struct SystemAgentTests {
  static let url = "https://b2c.example/authorize?client_id=x&state=s1"

  /// The messages of a trip, and its final address or its error.
  @HostActor final class Conversation {
    var told = ""
    var result = ""
  }

  /// One trip with a person who types `lines`, and then nothing more.
  @HostActor static func trip(
    _ environment: [String: String], lines: [String] = [], timeout: Double = 20, redirectURI: String? = nil,
    showsOnly: Bool = false
  ) async throws -> (told: String, result: String, listener: LoopbackListener) {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let talk = Conversation()
    var lines = lines
    let terminal = TerminalAgent(
      write: { talk.told += $0 + "\n" }, readLine: { lines.isEmpty ? nil : lines.removeFirst() })
    let agent = SystemAgent(
      listener: redirectURI == nil && !showsOnly ? listener : nil, terminal: terminal, environment: environment)
    let request = NavigationRequest(
      url: url, redirectURI: showsOnly ? nil : redirectURI ?? listener.redirectURI, code: showsOnly ? "BCDF-GHJK" : nil,
      timeout: timeout)
    do { talk.result = try await agent.open(request) } catch {
      talk.result = "\((error as? UserAgentError)?.message ?? "\(error)")"
    }
    return (talk.told, talk.result, listener)
  }

  /// A shell script that stands for a browser, in a folder of its own.
  @HostActor static func withBrowser(_ lines: String, _ body: (_ path: String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "browser").path
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try await body(path)
  }

  @Test(arguments: [
    "%@ --new \"two words\" x%sx %%", "%@ --new 'two words' x%sx %%", "/no/such:%@ --new 'two words' x%sx %% &",
  ])
  @HostActor func handsTheAddressToBROWSER(variable: String) async throws {
    try await Self.withBrowser("printf '%s\\n' \"$@\" > \"$0.args\"; echo noise; echo noise >&2") { path in
      let environment = ["BROWSER": variable.replacing("%@", with: path), "PATH": "/usr/bin:/bin"]
      let shown = try await Self.trip(environment, showsOnly: true)
      #expect(shown.result == Self.url)
      let arguments = try String(contentsOf: URL(filePath: "\(path).args"), encoding: .utf8)
      #expect(arguments == "--new\ntwo words\nx\(Self.url)x\n%\n")
      #expect(shown.told.hasPrefix("A browser opens; enter the code BCDF-GHJK there."))
    }
  }

  @Test @HostActor func noShellReadsTheAddress() async throws {
    try await Self.withBrowser("printf '%s' \"$1\" > \"$0.args\"") { path in
      let terminal = TerminalAgent(write: { _ in }, readLine: { nil })
      let agent = SystemAgent(listener: nil, terminal: terminal, environment: ["BROWSER": path])
      let url = "https://b2c.example/authorize?x=$(touch%20/nowhere);`id`'\"&y"
      _ = try await agent.open(NavigationRequest(url: url, redirectURI: nil))
      #expect(try String(contentsOf: URL(filePath: "\(path).args"), encoding: .utf8) == url)
    }
  }

  @Test @HostActor func aBrowserThatFailsIsFollowedByTheTerminal() async throws {
    try await Self.withBrowser("exit 3") { path in
      let answer = try await Self.trip(["BROWSER": path], lines: ["code=c1&state=s1"])
      #expect(answer.result == "\(answer.listener.redirectURI)?code=c1&state=s1")
      #expect(answer.told.contains("no browser could be opened: \(path) ended with status 3.\n"))
      #expect(answer.told.contains("  \(Self.url)\n"))
      #expect(
        answer.told.contains("  ssh -L \(answer.listener.port):localhost:\(answer.listener.port) THIS-MACHINE\n"))
    }
  }

  @Test @HostActor func theRedirectCountsWhileAPasteIsWaitedFor() async throws {
    let listener = try LoopbackListener(redirectURI: "http://localhost/cb")
    let never = CancellableWait<String?>()
    let asked = CancellableWait<Void>()
    let terminal = TerminalAgent(
      write: { _ in },
      readLine: {
        asked.finish(.success(()))
        return try await never.value()
      })
    let agent = SystemAgent(listener: listener, terminal: terminal, environment: [:])
    let request = NavigationRequest(url: Self.url, redirectURI: listener.redirectURI, timeout: 20)
    let trip = HostActor.task { try await agent.open(request) }
    try await asked.value()
    _ = try await LoopbackListenerTests.send("GET", "\(listener.redirectURI)?code=c1&state=s1")
    #expect(try await trip.value == "\(listener.redirectURI)?code=c1&state=s1")
  }

  @Test @HostActor func theInputHasEnded() async throws {
    let answer = try await Self.trip([:], timeout: 0.2)
    #expect(answer.told.contains("Nothing can be pasted here, for the input has ended; waiting up to 0.2 seconds"))
    #expect(answer.result == "the browser did not come back to \(answer.listener.redirectURI) within 0.2 seconds")
  }

  @Test @HostActor func threeWrongPastesEndIt() async throws {
    let answer = try await Self.trip([:], lines: ["no", "no", "no"])
    #expect(answer.result.hasPrefix("the pasted text is neither an address"))
  }

  @Test @HostActor func anAddressThatIsNotThisMachineIsPasted() async throws {
    let answer = try await Self.trip(
      ["BROWSER": "/bin/true"], lines: ["https://jwt.ms/?code=c1&state=s1"], redirectURI: "https://jwt.ms/")
    #expect(answer.result == "https://jwt.ms/?code=c1&state=s1")
  }

  @Test(
    arguments: [
      (["BROWSER": "/bin/true"], nil),
      (["BROWSER": "/bin/true", "SSH_TTY": "/dev/pts/0"], nil),
      (
        ["BROWSER": "/no/such --new"],
        "no browser could be opened: BROWSER is \"/no/such --new\", and there is no such program (set BROWSER to a command "
          + "that opens one, or unset it, or use the agent \"terminal\")"
      ),
      (
        ["PATH": "/usr/bin"],
        "no browser can be opened without a display: neither DISPLAY nor WAYLAND_DISPLAY is set (use the agent \"terminal\", "
          + "or set BROWSER to a command that opens one)"
      ),
      (
        ["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"],
        "no browser can be opened over SSH without a display (use the agent \"terminal\", or forward the redirect's port: ssh "
          + "-L PORT:localhost:PORT …)"
      ),
      (
        ["WAYLAND_DISPLAY": "wayland-0", "PATH": "/nowhere"],
        "no browser was found: PATH has none of xdg-open, gio, wslview, x-www-browser, sensible-browser, firefox, "
          + "firefox-esr, chromium, google-chrome (install xdg-utils, set BROWSER to a command that opens one, or use the "
          + "agent \"terminal\")"
      ),
    ] as [([String: String], String?)])
  func saysWhyNoBrowserOpens(environment: [String: String], message: String?) {
    #expect(SystemAgent.browserProblem(environment)?.description == message)
  }
}
