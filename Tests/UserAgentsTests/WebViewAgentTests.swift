import Core
import Foundation
import HostLoop
import Testing
import UserAgents

/// Tests of a window that is missing or misbehaves. Scripts stand for the window; the tests of the command line use the
/// real window.
@Suite struct WebViewAgentTests {
  static let url = "https://b2c.example/authorize?client_id=x&state=s1"

  /// One trip with a program of that shell script for a window; nil for none. Its standard input is the pipe.
  @HostActor static func trip(
    _ window: String?, url: String = Self.url, environment: [String: String] = ["DISPLAY": ":1"],
    timeout: Double = 20, decision: NavigationDecision? = nil
  ) async throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "b2c-run-webview-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if let window {
      let path = folder.appending(path: "b2c-webview").path
      try Data("#!/bin/sh\nread open\n\(window)\n".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let agent = WebViewAgent(
      environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 },
      ownPath: folder.appending(path: "b2c-run").path)
    var request = NavigationRequest(url: url, redirectURI: "com.example.app:/cb", timeout: timeout)
    if let decision { request.onNavigate = { _, _ in decision } }
    do {
      return try await agent.open(request)
    } catch let error as UserAgentError {
      let hint = decision == nil ? "" : " (\(error.hint ?? ""))"
      return "\(error.code): \(error.message)\(hint)".replacing("\(folder.path)/", with: "")
    }
  }

  @Test @HostActor func isMissing() async throws {
    #expect(
      try await Self.trip(nil)
        == "no_webview: the agent \"webview\" needs the program b2c-webview, which is not there")
  }

  @Test(arguments: [
    ([:], "no window can be opened without a display: neither DISPLAY nor WAYLAND_DISPLAY is set"),
    (["SSH_TTY": "/dev/pts/1"], "no window can be opened over SSH without a display"),
  ])
  @HostActor func hasNoDisplay(environment: [String: String], message: String) async throws {
    #expect(try await Self.trip("exit 0", environment: environment) == "no_display: \(message)")
  }

  @Test @HostActor func startsAtNoInsecureAddress() async throws {
    #expect(try await Self.trip("exit 0", url: "http://b2c.example/authorize").hasPrefix("insecure_url: "))
  }

  @Test(arguments: [
    ("exit 3", "the window is gone: b2c-webview ended with status 3"),
    ("kill -SEGV $$", "the window is gone: b2c-webview ended by signal 11"),
    (
      "echo nonsense >&0; read more",
      "the window said something that is not understood: b2c-webview belongs to another version"
    ),
    (
      "echo '{\"type\":\"new\"}' >&0; read more",
      "the window said something that is not understood: b2c-webview belongs to another version"
    ),
    // No line is as long as this.
    ("head -c 9000000 /dev/zero >&0", "the window is gone: b2c-webview ended"),
    // Nor does anything happen so often while nobody looks.
    ("sleep 0.2; yes '{\"type\":\"loaded\"}' | head -c 9000000 >&0", "the window is gone: b2c-webview ended"),
  ])
  @HostActor func doesNotBehave(script: String, message: String) async throws {
    let result = try await Self.trip(script)
    #expect(result.hasPrefix("webview_failed: \(message)"), "\(result)")
  }

  @Test(arguments: [(0.2, "0.2 seconds"), (1, "1 second")])
  @HostActor func takesItsTime(timeout: Double, words: String) async throws {
    #expect(
      try await Self.trip("read more", timeout: timeout)
        == "timeout: the sign-in took longer than \(words); it had come to https://b2c.example/authorize")
  }

  /// The user is not told to finish a sign-in in an invisible window.
  @Test(arguments: [
    (
      NavigationDecision.hide,
      "on_navigate hid that page: answer \"show\" where somebody has to do something, or give more time: timeout = …"
    ),
    (.show, "finish it in the window, or give more time: timeout = …"),
  ])
  @HostActor func waitsForNobody(decision: NavigationDecision, hint: String) async throws {
    let navigation = #"{"type":"navigation","id":1,"url":"https://b2c.example/login"}"#
    #expect(
      try await Self.trip("echo '\(navigation)' >&0; read more; read more", timeout: 3, decision: decision)
        == "timeout: the sign-in took longer than 3 seconds; it had come to https://b2c.example/login (\(hint))")
  }

  @Test @HostActor func handsTheRedirectOver() async throws {
    let navigation = #"{"type":"navigation","id":1,"url":"com.example.app:/cb?code=c1"}"#
    #expect(try await Self.trip("echo '\(navigation)' >&0; read more") == "com.example.app:/cb?code=c1")
  }
}
