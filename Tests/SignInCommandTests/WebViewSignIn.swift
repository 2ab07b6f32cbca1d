import CommandLineSupport
import Foundation
import Testing

/// A script with a window, and the person in front of it.
final class WebViewSignIn: Sendable {
  let desk: Desk
  let script: RunningScript

  /// - Parameters:
  ///   - options: the options of `accounts.sign_in`.
  ///   - flags: the flags of the program.
  ///   - tenant: nil for one of the run's own.
  ///   - before: the first code of the script.
  ///   - beside: functions that run beside the sign-in.
  convenience init(
    _ options: String = "", flags: [String] = [], tenant: RunningTenant? = nil, before: String = "",
    beside: String = ""
  ) throws {
    try self.init(
      tenant?.program ?? Program(), flags + (tenant == nil ? ["--local"] : []),
      """
      \(before)
      b2c.async.all {
        function()
          local ok, account = pcall(b2c.accounts.sign_in, {
            agent = "webview", timeout = 50, on_navigate = on_navigate, \(options)
          })
          print("done " .. (ok and account.name .. " by " .. account.policy or account.code .. ": " .. account.message))
        end,
        \(beside)
      }
      """)
  }

  /// `browser.open` on pages of the test's own.
  /// - Parameter navigate: the code of `on_navigate` with `url` and `kind`, after it has printed them.
  convenience init(open url: String, redirectURI: String = "http://localhost:8499/cb", navigate: String = "") throws {
    try self.init(
      Program(), ["--local", "-A"], navigate: navigate,
      """
      local ok, answer = pcall(b2c.browser.open, "\(url)", {
        agent = "webview", timeout = 50, on_navigate = on_navigate, redirect_uri = "\(redirectURI)",
      })
      print("done " .. (ok and answer or answer.code .. ": " .. answer.message))
      """)
  }

  private init(_ program: Program, _ flags: [String], navigate: String = "", _ body: String) throws {
    desk = try Desk()
    script = try RunningScript(
      program, ["--timeout", "60"] + flags, environment: ["DISPLAY": desk.display],
      """
      local b2c = require "b2c"
      local place = 0
      local function on_navigate(url, kind)
        place = place + 1
        print(place .. " " .. kind)
        io.stdout:flush()
        \(navigate)
      end
      \(body)
      """)
  }

  /// Waits until the window has gone to `count` addresses and is at the page of that title, which the keys then go to.
  func page(_ title: String, after count: Int) async throws {
    _ = try await script.printed("\(count) ")
    // While a page is loaded the title says so, from before it is asked for.
    _ = try await script.wait { try self.desk.title() == "\(title) – b2c-run" ? true : nil }
    try desk.focus()
  }

  /// From the field for the user name, which has the focus.
  func enter(_ username: String = "alice", _ password: String = "Wonderland-1") throws {
    try desk.type(username)
    try desk.press("Tab")
    try desk.type(password)
    try desk.press("Return")
  }

  /// Waits for the end of the script and returns the result that it printed: the user who signed in, or the failure.
  func end() async throws -> String {
    let status = try await script.end()
    #expect(status == 0, "\(script.errors)")
    return script.output.split(separator: "\n").first { $0.hasPrefix("done ") }.map { String($0.dropFirst(5)) } ?? ""
  }

  /// The kinds of the addresses to which the window went.
  var kinds: [String] {
    script.output.split(separator: "\n").compactMap { line in
      line.first?.isNumber == true ? line.split(separator: " ").last.map(String.init) : nil
    }
  }
}
