import CommandLineSupport
import Foundation
import Testing

/// Every example runs against the local tenant, as its reader runs it.
@Suite("Examples")
struct ExampleTests {
  static let examples = Program.project.appending(path: "examples")

  static let scripts = ["", "flows/", "jobs/"].flatMap { folder in
    ((try? FileManager.default.contentsOfDirectory(atPath: examples.appending(path: folder).path)) ?? [])
      .filter { $0.hasSuffix(".lua") }.sorted().map { folder + $0 }
  }

  @Test("runs, and runs again just the same", arguments: scripts)
  func runs(script: String) throws {
    let program = try Program()
    let path = Self.examples.appending(path: script).path
    let first = try program.run("--local", path)
    #expect(first.status == 0, "\(first)")
    // The codes of those that sign in with one.
    #expect(first.errors.replacing(#/info  (SMS|mail) to \S+: code \d{6,8}\n/#, with: "") == "")
    let second = try program.run("--local", path)
    #expect(second.status == 0, "\(second)")
    #expect(timeless(second.output) == timeless(first.output))
  }

  @Test("the quickstart tells the whole story")
  func quickstart() throws {
    let result = try Program().run("--local", Self.examples.appending(path: "quickstart.lua").path)
    let story = result.output.split(separator: "\n").map(String.init)
    #expect(story.filter { $0.contains("failed   attempt 1") }.count == 1, "the failure is heard once")
    #expect(story.filter { $0.contains("failed   attempt") }.count == 1)
    #expect(story.contains { $0.contains("code AADB2C90225; hint: check the user name and the password") })
    #expect(story.contains { $0.hasPrefix("  1000 of 1000 rows added, 0 failed") })
    #expect(story.contains("  1000 tasks on the server, among them:"))
    #expect(story.contains("  he sees 0 tasks"))
    #expect(story.contains("  he adds one and sees 1"))
    #expect(story.last == "  all her 1000 tasks are there")
  }

  @Test("the import leaves rows out, mends what it can, and takes rows from a function")
  func importing() throws {
    let result = try Program().run("--local", Self.examples.appending(path: "import.lua").path)
    #expect(
      result.output == """
        row 3 failed: the text is empty
        row 5 failed: the text is empty
        4 of 6 rows added, 2 left out, 0 failed
        4 more by a function
        Answer the letter from the city archive (until 2027-03-01)
        Ask Ruth whether the tent is still hers
        Choose a present for Ida
        Order seed potatoes (until 2027-02-15)
        Water the plants, week 1
        Water the plants, week 2
        Water the plants, week 3
        Water the plants, week 4

        """)
  }

  /// Each variation of a sign-in prints the result that it demonstrates.
  @Test(
    "a variation of a sign-in shows what it is about",
    arguments: [
      (
        "pkce_methods",
        [
          "S256   Alice Liddell is in; the URL had a challenge of 43 characters, from which nobody gets the verifier",
          "plain  Alice Liddell is in; the URL had a challenge of 43 characters, which is the verifier: whoever reads it "
            + "can redeem the code",
          "stolen AADB2C90182: The supplied code_verifier does not match associated code_challenge",
        ]
      ),
      (
        "response_modes",
        [
          "query         Alice Liddell is in", "fragment      Alice Liddell is in", "form_post     Alice Liddell is in",
          "jwt           Alice Liddell is in", "form_post.jwt Alice Liddell is in",
          "code id_token  Bob Baumeister is known before the code is redeemed", "code id_token  Bob Baumeister is in",
        ]
      ),
      (
        "pushed_request",
        [
          "the URL has client_id, request_uri", "Alice Liddell is in",
          "a second use: The request_uri is unknown, or was used already",
          "without par: invalid_request",
        ]
      ),
      (
        "step_up",
        [
          "dora signs in: 1 password typed", "once more, the session answers: 1",
          "for the bank transfer, at most five minutes old: 2",
          "for the new address, a code by text message: acr is mfa",
          "to remove a task: insufficient_user_authentication, max_age 300", "removed, 3 passwords typed",
        ]
      ),
      (
        "fapi2",
        [
          "Alice Liddell is in, with tokens of the type DPoP",
          "profile_violation: FAPI 2.0 Security Profile, 5.3.3.2: an authorization request must be pushed to the provider "
            + "(RFC 9126)",
          "profile_violation: FAPI 2.0 Security Profile, 5.3.3.1: access tokens must be bound to a key of the client, by "
            + "DPoP or mutual TLS",
          "profile_violation: FAPI 2.0 Security Profile, 5.3.2.1: the password grant must not be used",
        ]
      ),
      (
        "own_refresh",
        [
          "without a subject: missing_id_token", "alice is in, as given", "  the flow renews the tokens of alice",
          "1 task",
        ]
      ),
      (
        "forgot_password",
        [
          "Alice has forgotten her password", "  page     Sign in – Contoso",
          "  failed   AADB2C90118: The user has forgotten their password",
          "  page     Reset your password – Contoso",
          "  page     Verify your address – Contoso", "  page     Choose a new password – Contoso",
          "  Alice Liddell is in, by b2c_1_reset",
          "From now on she signs in with the new one", "  Alice Liddell is in, by b2c_1_susi",
        ]
      ),
      (
        "sign_up",
        [
          "Sign up – Contoso", "Carol Kaspar is new: carol@contoso.example by b2c_1_signup",
          "Carol Kaspar is back: carol@contoso.example by b2c_1_susi", "the same user: true",
        ]
      ),
      (
        "native",
        [
          "a code with 8 digits was sent to c***l@contoso.example", "required: city", "required: displayName",
          "Carol Kaspar of Athens is new", "Carol Kaspar is back, with her password",
          "a code with 8 digits was sent to c***l@contoso.example", "Carol Kaspar has a new password",
          "false\tinvalid_grant\t[50126]", "the provider wants this user to sign in with a browser",
          "Carol Kaspar has signed in with a browser",
        ]
      ),
      (
        "wrapped",
        [
          "Alice Liddell is in", "eve@elsewhere.example is not an address of contoso.example",
          "Bob Baumeister is in, by the campaign",
        ]
      ),
      (
        "two_accounts",
        [
          "home  Alice Liddell   b2c_1_signin Feed the white rabbit",
          "work  Bob Baumeister  b2c_1_mfa    Water the plants on the 21st floor", "current: Bob Baumeister",
          "current: Alice Liddell",
        ]
      ),
      (
        "tenant_parameter",
        [
          "retail    campaign=spring correlation=retail-1",
          "partners  brand=wholesale correlation=partners-1 domain_hint=partners.example",
        ]
      ),
      (
        "request_object",
        [
          "signed by ES256, for b2c_1_susi, with https://contoso.onmicrosoft.com/tasks/read", "Alice Liddell is in",
          "signed in with an encrypted request", "with plain parameters: invalid_request",
        ]
      ),
      (
        "rich_authorization",
        [
          "granted: read and write of tasks at /api/tasks", "granted: read of tasks at /api/tasks",
          "the reader sees 1 task", "the reader may not add a task: forbidden",
        ]
      ),
      (
        "resource",
        [
          "the token is for https://contoso.onmicrosoft.com/tasks",
          "after a refresh for https://contoso.onmicrosoft.com/tasks", "the API has 0 tasks",
          "another API: invalid_target",
          "accounts.sign_in: option 'resource': expected absolute URIs without a fragment (RFC 8707, 2), got \"tasks\"",
        ]
      ),
      (
        "client_key",
        [
          "signed in as Alice Liddell", "refreshed with another assertion", "with a secret: invalid_client",
        ]
      ),
      (
        "registration",
        ["registered, with a secret: [secret]", "signed in as Bob Baumeister", "afterwards: AADB2C90018"]
      ),
      (
        "custom_grant",
        [
          "the app has a token for b7d2e8c1-93f4-4a6d-8e05-27c9f1a4d36b",
          "the API has one for e1f0b3a4-2c77-4b0e-8c19-6d8f0a5b7c21, in the name of Alice Liddell, to read",
        ]
      ),
      ("on_behalf_of", ["the API has a token in the name of Alice Liddell, to read"]),
      (
        "introspection",
        [
          "userinfo: Alice Liddell, the user of the ID token", "fresh: active = true, user = alice",
          "revoked: active = false, user = nil",
        ]
      ),
      (
        "token_exchange",
        [
          "before         Alice Liddell at the application", "impersonation  Alice Liddell at the tasks",
          "delegation     Alice Liddell at the tasks, and somebody acts for her", "the actor is Bob Baumeister",
        ]
      ),
      ("backchannel", ["Alice Liddell agrees", "bob refuses: access_denied"]),
    ])
  func variation(name: String, expected: [String]) throws {
    let result = try Program().run("--local", Self.examples.appending(path: "flows/\(name).lua").path)
    #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result)")
  }

  @Test("each method of PKCE by itself, for two traces", arguments: ["S256", "plain"])
  func method(method: String) throws {
    let path = Self.examples.appending(path: "flows/pkce_methods.lua").path
    let result = try Program().run("--local", path, method)
    #expect(result.output.hasPrefix(method) && result.output.filter(\.isNewline).count == 1, "\(result)")
  }

  /// Without the ports and durations, which differ.
  private func timeless(_ output: String) -> String {
    output.replacing(#/127\.0\.0\.1:\d+/#, with: "HOST").replacing(#/\d+\.\d+ s/#, with: "TIME")
  }
}
