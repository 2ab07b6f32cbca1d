import CommandLineSupport
import Foundation
import HostLoop
import Testing

/// `agent = "system"` with a real browser on the local tenant's pages.
@Suite("A real browser", .serialized, .timeLimit(.minutes(3)))
@HostActor struct BrowserTests {
  /// A sign-in under way: the program, which handed its address to a command that writes it down.
  @HostActor final class SignIn {
    private let script: RunningScript

    /// - Parameter options: the options of `accounts.sign_in`.
    init(_ options: String, before: String = "", beside: String = "") throws {
      let program = try Program()
      let browser = try program.write(
        "browser", "#!/bin/sh\nprintf '%s' \"$1\" > \"$0.part\" && mv \"$0.part\" \"$0.url\"\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
      script = try RunningScript(
        program, environment: ["BROWSER": browser],
        """
        local b2c = require "b2c"
        \(before)
        b2c.async.all {
          function()
            local account = b2c.accounts.sign_in { agent = "system", timeout = 100, \(options) }
            print(account.name .. " by " .. account.policy)
          end,
          \(beside)
        }
        """)
    }

    func read(_ name: String) -> String { script.read(name) }

    /// Returns the address that the program passed to the browser.
    func address() async throws -> String {
      try await script.wait {
        let address = self.read("browser.url")
        return address.isEmpty ? nil : address
      }
    }

    /// Returns the text that the script printed after `label`.
    func printed(_ label: String) async throws -> String { try await script.printed(label) }

    /// Returns the script's exit status.
    func end() async throws -> Int32 { try await script.end() }
  }

  func signIn(_ browser: WebBrowser, _ password: String = "Wonderland-1") async throws {
    try await browser.fill("#logonIdentifier", "alice")
    try await browser.fill("#password", password)
    try await browser.click("button[value=sign_in]")
  }

  /// The page at the end, and that nothing of the answer is left in the address bar.
  func expectEnd(_ browser: WebBrowser, _ title: String) async throws {
    // The page of a fragment leads on by itself.
    for _ in 0..<200 where try await browser.text("main > h1") != title { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try await browser.text("main > h1") == title)
    let address = try await browser.address()
    #expect(address.wholeMatch(of: #/http://localhost:\d+//#) != nil, "\(address)")
  }

  @Test("a wrong password, then the right one; in every response mode", arguments: ["query", "fragment", "form_post"])
  func signsIn(mode: String) async throws {
    try await WebBrowser.with { browser in
      let signIn = try SignIn("parameters = { response_mode = \"\(mode)\" }")
      try await browser.open(try await signIn.address())
      try await self.signIn(browser, "wrong")
      #expect(
        try await browser.text("[role=alert]").contains("We don't seem to recognize this user name and password."))
      try await self.signIn(browser)
      try await expectEnd(browser, "You are signed in")
      #expect(try await signIn.end() == 0)
      #expect(signIn.read("output") == "Alice Liddell by b2c_1_susi\n", "\(signIn.read("errors"))")
    }
  }

  @Test("a code by SMS, wrong and right")
  func secondFactor() async throws {
    try await WebBrowser.with { browser in
      let signIn = try SignIn(
        "policy = \"mfa\"",
        beside: """
          function()
            while #b2c.tenant.outbox() == 0 do b2c.async.sleep(0.02) end
            print("code " .. b2c.tenant.outbox()[1].code)
            io.stdout:flush()
          end
          """)
      try await browser.open(try await signIn.address())
      try await self.signIn(browser)
      try await browser.fill("#verificationCode", "nothing")
      try await browser.click("button[value=verify]")
      #expect(try await browser.text("[role=alert]") == "That code is not right. Please try again.")
      try await browser.fill("#verificationCode", try await signIn.printed("code "))
      try await browser.click("button[value=verify]")
      try await expectEnd(browser, "You are signed in")
      #expect(try await signIn.end() == 0)
      #expect(signIn.read("output").hasSuffix("\nAlice Liddell by b2c_1_mfa\n"), "\(signIn.read("errors"))")
    }
  }

  @Test("a code of an authenticator app")
  func authenticatorApp() async throws {
    try await WebBrowser.with { browser in
      let signIn = try SignIn(
        "",
        before: """
          b2c.tenant.users.add { username = "carol", password = "Looking-Glass-3", otp = "JBSWY3DPEHPK3PXP" }
          print("code " .. b2c.tenant.otp("carol"))
          io.stdout:flush()
          """)
      try await browser.open(try await signIn.address())
      try await browser.fill("#logonIdentifier", "carol")
      try await browser.fill("#password", "Looking-Glass-3")
      try await browser.click("button[value=sign_in]")
      try await browser.fill("#verificationCode", try await signIn.printed("code "))
      try await browser.click("button[value=verify]")
      try await expectEnd(browser, "You are signed in")
      #expect(try await signIn.end() == 0)
    }
  }

  @Test("canceled", arguments: ["query", "fragment", "form_post"])
  func canceled(mode: String) async throws {
    try await WebBrowser.with { browser in
      let signIn = try SignIn("parameters = { response_mode = \"\(mode)\" }")
      try await browser.open(try await signIn.address())
      try await browser.click("button[value=cancel]")
      try await expectEnd(browser, "The sign-in did not succeed")
      #expect(try await browser.text("[role=alert]").hasPrefix("AADB2C90091: The user has cancelled"))
      #expect(try await signIn.end() == 1)
      #expect(signIn.read("errors").contains("AADB2C90091"))
    }
  }

  @Test("an answer to another request is refused, and the right one still taken")
  func anotherState() async throws {
    try await WebBrowser.with { browser in
      let signIn = try SignIn("")
      let address = try await signIn.address()
      let changed = address.replacing(#/state=[^&]+/#, with: "state=another")
      try await browser.open(changed)
      try await self.signIn(browser)
      try await expectEnd(browser, "This sign-in is not waited for")
      // The session of the browser is there already.
      try await browser.open(address)
      try await expectEnd(browser, "You are signed in")
      #expect(try await signIn.end() == 0)
    }
  }
}
