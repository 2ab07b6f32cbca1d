import Crypto
import JOSE
import JSON
import Testing

@testable import Trace

@Suite("What a trace says in place of secrets")
struct TraceRedactionTests {
  @Test(
    "text",
    arguments: [
      (#"{"refresh_token": "abc.def/ghi", "token_type": "Bearer"}"#, ["abc.def"], "Bearer"),
      ("grant_type=code&client_secret=s3cr3t%2B1&scope=openid", ["s3cr3t"], "scope=openid"),
      ("Authorization: Bearer opaque-token-0815 and more", ["opaque-token"], "and more"),
      ("see eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl here", ["c2lnbmF0dXJl", "eyJ"], " here"),
      (#"<input type="hidden" name="code" value="one-time">x"#, ["one-time"], ">x"),
      (#"<input value='a-long-hidden-value' type="hidden" name=whatever>x"#, ["a-long-hidden"], ">x"),
      // Cut off within the value.
      (#"{"id_token":"eyJhbGciOi"#, ["eyJ"], "id_token"),
    ])
  func text(text: String, secrets: [String], kept: String) {
    var redaction = TraceRedaction()
    let shown = redaction.text(text)
    for secret in secrets { #expect(!shown.contains(secret), "\(shown)") }
    #expect(shown.contains(kept), "\(shown)")
  }

  @Test("a response in a form shows what a query would show: the issuer, but not the code")
  func formPost() {
    var redaction = TraceRedaction()
    let shown = redaction.text(
      #"<input type="hidden" name="iss" value="https://login.example.com/contoso/v2.0/"><input type="hidden" name="state" value="a-state-of-some-length"><input type="hidden" name="code" value="c0de-4711-of-the-run">"#
    )
    #expect(
      shown.contains("https://login.example.com/contoso/v2.0/") && shown.contains("a-state-of-some-length"), "\(shown)")
    #expect(!shown.contains("c0de-4711"), "\(shown)")
  }

  @Test("addresses stay addresses, and the same secret has the same name")
  func addresses() {
    var redaction = TraceRedaction()
    let url = redaction.url("https://a.example/cb?state=s&code=c0de-4711#access_token=t0ken-1&x=1")
    #expect(url == "https://a.example/cb?state=s&code=%5Bcode%20%231%5D#access_token=%5Baccess%20token%20%231%5D&x=1")
    #expect(
      redaction.fields([("code", "c0de-4711"), ("code", "another")]) == [
        ["code", "[code #1]"], ["code", "[code #2]"],
      ])
  }

  @Test(
    "a reference that is good once is a secret: in an address, a form and JSON",
    arguments: [
      "request_uri", "auth_req_id", "device_code", "user_code", "code_verifier", "client_assertion", "id_token_hint",
      "login_hint_token", "logout_hint", "continuation_token", "request", "session_code", "SAMLart",
      "login_challenge", "consent_verifier", "oobCode",
    ])
  func references(name: String) {
    var redaction = TraceRedaction()
    let value = "urn:example:6esc_11ACC5bwc014ltc14eY22c"
    #expect(!redaction.url("https://a.example/x?\(name)=\(value)&y=1").contains("6esc_11ACC5"))
    #expect(!redaction.fields([(name, value)]).encoded().contains("6esc_11ACC5"))
    #expect(!redaction.json(.object([name: .string(value)])).encoded().contains("6esc_11ACC5"))
    // It is known from now on, wherever it is.
    #expect(!redaction.text("see \(value)").contains("6esc_11ACC5"))
  }

  @Test("a DPoP proof is told in words, and cannot be used again")
  func proofs() throws {
    var redaction = TraceRedaction()
    let claims: JSON = [
      "htm": "POST", "htu": "https://a.example/token", "jti": "j-1", "iat": 1_790_000_010, "ath": "x",
    ]
    let proof = try JWT.sign(claims, header: ["typ": "dpop+jwt"], key: .generate(.ec(curve: "P-256")))
    #expect(
      redaction.proof(proof)
        == "proof (htm POST, jti j-1, iat 1790000010, htu https://a.example/token; with ath, without nonce)")
    #expect(redaction.proof("no proof").hasPrefix("[credentials"))
  }

  @Test("a challenge that is the verifier is one")
  func challenges() {
    var redaction = TraceRedaction()
    let plain = redaction.url("https://a.example/?code_challenge=verifier-of-run&code_challenge_method=plain")
    #expect(!plain.contains("verifier-of-run"))
    #expect(!redaction.url("https://a.example/?code_challenge=other-verifier").contains("other-verifier"))
    let hashed = redaction.url("https://a.example/?code_challenge=hash-of-it&code_challenge_method=S256")
    #expect(hashed.contains("hash-of-it"))
  }

  @Test("an error's code in JSON stays, one to be redeemed does not")
  func codes() {
    var redaction = TraceRedaction()
    let shown = redaction.json(["code": "invalid_request", "error": ["code": "AADB2C90118"]])
    #expect(shown == ["code": "invalid_request", "error": ["code": "AADB2C90118"]])
    #expect(redaction.json(["code": "0.AXoA1b2c3d4e5f6g7h8i9"]) == ["code": "[code #1]"])
  }

  @Test("of a JWT the claims are kept, once")
  func tokens() {
    var redaction = TraceRedaction()
    let token = "\(Base64URL.encode(#"{"alg":"none"}"#.utf8)).\(Base64URL.encode(#"{"sub":"a"}"#.utf8)).c2ln"
    #expect(redaction.value(token, named: "id_token") == "[id token #1]")
    #expect(redaction.value(token, named: "id_token_hint") == "[id token #1]")
    let new = redaction.takeNewTokens()
    #expect(new.count == 1)
    #expect(new.first?.token.claims == ["sub": "a"])
    #expect(redaction.takeNewTokens().isEmpty)
  }
}
