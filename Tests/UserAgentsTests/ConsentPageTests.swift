import Core
import HTTPServer
import HostLoop
import Testing
import UserAgents

/// Tests of other providers' pages that ask the user to grant an application's request.
@Suite struct ConsentPageTests {
  /// Returns the fields of the page's form as the agent sends them. The request asked for `openid profile`.
  private func answer(_ page: String, scope: String? = "openid profile") async throws -> String {
    let site = try Site { request in
      request.method == "GET"
        ? .page(page)
        : .redirect("\(Site.redirectURI)?code=" + request.form.map { "\($0.0)-\($0.1)" }.joined(separator: "."))
    }
    let end = try await site.open {
      if let scope { $0.url += "&scope=\(scope.replacing(" ", with: "%20"))" }
    }
    return String(end.dropFirst("\(Site.redirectURI)?code=".count))
  }

  @Test(arguments: [
    // Canaille
    (
      """
      <form method=post><input type=hidden name=csrf_token value=t>
      <button type=submit name=answer value=deny>Deny</button>
      <button type=submit name=answer value=logout>Switch user</button>
      <button type=submit name=answer value=accept>Accept</button></form>
      """, "csrf_token-t.answer-accept"
    ),
    // django-oauth-toolkit
    (
      """
      <form id=authorizationForm method=post><input type=hidden name=csrfmiddlewaretoken value=t>
      <input type=hidden name=scope value='openid profile'><input type=hidden name=client_id value=app>
      <input type=submit value=Cancel><input type=submit name=allow value=Authorize></form>
      """, "csrfmiddlewaretoken-t.scope-openid profile.client_id-app.allow-Authorize"
    ),
    // A front end of Glewlwyd
    (
      """
      <form method=post><input type=checkbox name=scope value=openid><input type=checkbox name=scope value=profile>
      <input type=checkbox name=scope value=admin checked>
      <button name=consent value=deny>Don't allow</button><button name=consent value=allow>Allow</button></form>
      """, "scope-openid.scope-profile.consent-allow"
    ),
    // oidc-provider-mock's second page, and one in two forms beside that for the language
    (
      """
      <form method=get action=/language><select name=l><option>en</option></select><button>OK</button></form>
      <form method=post action=/no><button name=action value=deny>No</button></form>
      <form method=post action=/yes><button name=action value=authorize>Yes</button></form>
      """, "action-authorize"
    ),
    // Ory Hydra's example
    (
      """
      <form method=post><input type=hidden name=challenge value=c>
      <input type=checkbox class=grant_scope id=openid value=openid name=grant_scope>
      <input type=checkbox class=grant_scope id=offline value=offline name=grant_scope checked>
      <input type=checkbox id=remember name=remember value=1>
      <input type=submit id=accept name=submit value='Allow access'>
      <input type=submit id=reject name=submit value='Deny access'></form>
      """, "challenge-c.grant_scope-openid.submit-Allow access"
    ),
    // Both buttons have the same name.
    (
      "<form method=post><button name=allow value=no>No</button><button name=allow value=yes>Yes</button></form>",
      "allow-yes"
    ),
  ])
  @HostActor func isAccepted(page: String, answer: String) async throws {
    #expect(decoded(try await self.answer(page)) == answer)
  }

  private func decoded(_ text: String) -> String { text.replacing("%20", with: " ").replacing("+", with: " ") }

  @Test @HostActor func moreThanWasAskedForIsNotAccepted() async throws {
    let page = """
      <form method=post><input type=hidden name=scope value='openid admin'><button name=a value=deny>Deny</button>
      <button name=a value=accept>Accept</button></form>
      """
    let error = await #expect(throws: UserAgentError.self) { try await answer(page) }
    #expect(error?.code == "page_not_understood")
    // The requested scopes are unknown, as with a pushed request.
    #expect(decoded(try await answer(page, scope: nil)) == "scope-openid admin.a-accept")
  }

  @Test @HostActor func aPageThatOnlyDeniesIsNotPressed() async throws {
    let page =
      "<form method=post><button name=a value=deny>Deny</button><button name=a value=no>Disallow</button></form>"
    let error = await #expect(throws: UserAgentError.self) { try await answer(page) }
    #expect(error?.code == "page_not_understood")
  }
}
