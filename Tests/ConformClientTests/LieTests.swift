import Core
import HTTPServer
import JOSE
import JSON
import LocalTenant
import Testing

@testable import ConformClient

/// The changes of the tenant's responses.
@Suite struct LieTests {
  private static let keys: TenantKeys? = try? TenantKeys()

  private func place(_ path: String) throws -> LiePlace {
    LiePlace(
      request: ServerRequest(method: "GET", target: path), keys: try #require(Self.keys),
      origin: "http://127.0.0.1:8910")
  }

  private func changed(_ lie: Lie, _ part: TenantPart, _ response: ServerResponse) throws -> ServerResponse {
    var response = response
    for change in lie.edits where change.part == part { try change.edit(&response, place("/authorize")) }
    return response
  }

  private static let otherState = Lie.callback { fields, _ in fields["state"] = "other" }

  @Test func changesTheAnswerInAQuery() throws {
    let response = ServerResponse(status: 302, headers: [("Location", "http://127.0.0.1:1/cb?code=a&state=b&iss=c")])
    let answer = try changed(Self.otherState, .authorize, response)
    #expect(answer.headers.first?.1 == "http://127.0.0.1:1/cb?code=a&state=other&iss=c")
  }

  @Test func changesTheAnswerInAFragment() throws {
    let response = ServerResponse(status: 302, headers: [("Location", "http://127.0.0.1:1/cb#code=a&state=b")])
    let answer = try changed(Self.otherState, .pages, response)
    #expect(answer.headers.first?.1 == "http://127.0.0.1:1/cb#code=a&state=other")
  }

  @Test func changesTheAnswerInAForm() throws {
    let page =
      #"<form method="post" action="http://127.0.0.1:1/cb"><input type="hidden" name="state" value="b"></form>"#
    let response = ServerResponse(text: page, type: "text/html; charset=utf-8")
    let text = String(decoding: try changed(Self.otherState, .authorize, response).body, as: UTF8.self)
    #expect(text.contains(#"action="http://127.0.0.1:1/cb""#) && text.contains(#"name="state" value="other""#))
  }

  @Test func tellsNoLieWithinTheTenant() throws {
    let response = ServerResponse(status: 302, headers: [("Location", "http://127.0.0.1:8910/device?code=a&state=b")])
    #expect(throws: NoLie.self) { try changed(Self.otherState, .authorize, response) }
  }

  @Test func signsAChangedTokenAgain() throws {
    let keys = try #require(Self.keys)
    let claims: JSON = ["sub": "alice", "exp": 100]
    let text = try JWS.sign(
      Array(claims.encoded().utf8), header: ["alg": "RS256", "kid": "1"], key: keys.own)
    var draft = try TokenDraft(text)
    draft.claims["sub"] = "bob"
    let payload = try JWS.verify(draft.signed(keys), key: keys.own.publicKey, algorithms: ["RS256"])
    #expect(try JSON(parsing: payload)["sub"] == "bob")
    draft.signature = .other
    #expect(throws: JOSEError.self) {
      try JWS.verify(draft.signed(keys), key: keys.own.publicKey, algorithms: ["RS256"])
    }
    draft.signature = .none("none")
    #expect(try draft.signed(keys).hasSuffix("."))
  }

  @Test func theTenantTellsTheLieAndNotesIt() async throws {
    let keys = try #require(Self.keys)
    let tenant = try LyingTenant(
      .metadata { members, _ in members["issuer"] = "https://other.example" }, keys: keys, kind: .externalID)
    defer { tenant.tenant.stop() }
    #expect(tenant.issuer.hasPrefix("http://127.0.0.1:"))
    #expect(tenant.exchanges.isEmpty)
  }
}
