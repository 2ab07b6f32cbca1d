import Foundation
import HostLoop
import Testing

/// A sign-in in a window, and the person in front of it.
final class WebViewSignIn: Sendable {
  let desk: Desk
  let script: RunningScript

  /// - Parameters:
  ///   - options: those of `accounts.sign_in`.
  ///   - settings: what `--set` changes.
  ///   - tenant: nil for one of the run's own.
  ///   - navigate: what `on_navigate` does with `url` and `kind`, after it has printed them.
  init(
    _ options: String = "", settings: [String] = [], tenant: RunningTenant? = nil, flags: [String] = [],
    before: String = "", beside: String = "", navigate: String = ""
  ) throws {
    desk = try Desk()
    let program = try tenant?.program ?? Program()
    script = try RunningScript(
      program,
      ["--timeout", "120"] + (tenant == nil ? ["--local"] : []) + settings.flatMap { ["--set", $0] } + flags,
      environment: ["DISPLAY": desk.display],
      """
      local b2c = require "b2c"
      local place = 0
      local function on_navigate(url, kind)
        place = place + 1
        print(place .. " " .. kind)
        io.stdout:flush()
        \(navigate)
      end
      \(before)
      b2c.async.all {
        function()
          local account = b2c.accounts.sign_in {
            agent = "webview", timeout = 100, on_navigate = on_navigate, \(options)
          }
          print("done " .. account.name .. " by " .. account.policy)
        end,
        \(beside)
      }
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
  func signIn(_ username: String = "alice", _ password: String = "Wonderland-1") throws {
    try desk.type(username)
    try desk.press("Tab")
    try desk.type(password)
    try desk.press("Return")
  }

  /// Its end, and what it printed at last.
  func end() async throws -> (status: Int32, done: String) {
    let status = try await script.end()
    let done = script.output.split(separator: "\n").first { $0.hasPrefix("done ") }?.dropFirst(5)
    return (status, done.map(String.init) ?? script.errors)
  }

  /// The kinds of what it went to.
  var kinds: [String] {
    script.output.split(separator: "\n").compactMap { line in
      line.first?.isNumber == true ? line.split(separator: " ").last.map(String.init) : nil
    }
  }
}
