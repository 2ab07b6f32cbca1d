import Core
import Crypto
import Testing
import Webhooks

@Suite struct WebhookCheckTests {
  /// The example of the Standard Webhooks libraries.
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private let body = Array(#"{"test": 2432232314}"#.utf8)
  private let time: Int64 = 1_614_265_330

  private func standard(
    id: String = "msg_p5jXN8AQM9LWM0D4loKWxJek", time: String = "1614265330",
    signature: String = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  ) -> [(String, String)] {
    [("webhook-id", id), ("Webhook-Timestamp", time), ("webhook-signature", signature)]
  }

  private func problem(
    _ scheme: WebhookScheme, _ secret: String, _ headers: [(String, String)], _ body: [UInt8]? = nil, now: Int64? = nil
  ) -> String {
    do throws(WebhookError) {
      return
        "ok \(try WebhookCheck(scheme, secret: Secret(secret)).check(headers, body ?? self.body, now: now ?? time))"
    } catch { return "\(error.code): \(error.message)" }
  }

  @Test func theExampleOfStandardWebhooksHolds() {
    #expect(problem(.standard, secret, standard()) == #"ok ["msg_p5jXN8AQM9LWM0D4loKWxJek"]"#)
    // Several signatures, and several secrets.
    let many = "v1a,abc v1,AAAA \(standard()[2].1)"
    #expect(problem(.standard, "whsec_bmV3\n\(secret)\n", standard(signature: many)).hasPrefix("ok"))
  }

  @Test func theExampleOfGitHubHolds() {
    let headers = [
      ("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
      ("X-GitHub-Delivery", "72d3162e"),
    ]
    let body = Array("Hello, World!".utf8)
    let ids = #"["72d3162e", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"]"#
    #expect(problem(.github, "It's a Secret to Everybody", headers, body) == "ok \(ids)")
    #expect(
      problem(.github, "another", headers, body)
        == "bad_signature: X-Hub-Signature-256: the signature is not that of the secret and this body")
  }

  @Test func aSignatureOfStripeHoldsAndNamesItsEvent() {
    let body = Array(#"{"id": "evt_1"}"#.utf8)
    let signature = HMAC.sha256(key: Array("whsec_stripe".utf8), Array("\(time).".utf8) + body).hexadecimal
    let header = "t=\(time),v0=ab,v1=\(String(repeating: "0", count: 64)),v1=\(signature)"
    #expect(problem(.stripe, "whsec_stripe", [("Stripe-Signature", header)], body) == #"ok ["evt_1"]"#)
    #expect(
      problem(.stripe, "whsec_stripe", [("Stripe-Signature", header)], body, now: time + 301)
        == "old_timestamp: Stripe-Signature: the request is 301 s old, more than 300 s")
  }

  @Test func aRequestOfAnotherTimeOrBodyIsRefused() {
    #expect(
      problem(.standard, secret, standard(), now: time + 301)
        == "old_timestamp: webhook-timestamp: the request is 301 s old, more than 300 s")
    #expect(
      problem(.standard, secret, standard(), now: time - 301)
        == "future_timestamp: webhook-timestamp: the request is from 301 s in the future, more than 300 s")
    #expect(problem(.standard, secret, standard(), body + [32]).hasPrefix("bad_signature"))
    #expect(problem(.standard, secret, standard(id: "msg_other")).hasPrefix("bad_signature"))
    #expect(problem(.standard, secret, standard(time: "1614265331")).hasPrefix("bad_signature"))
  }

  @Test(arguments: [
    (0, "", "no_signature: the header webhook-id is missing"),
    (0, "a.b", "bad_header: webhook-id: expected an ID without a dot"),
    (1, "now", "bad_header: webhook-timestamp: expected a time in seconds since 1970"),
    (1, "99999999999999999999999", "bad_header: webhook-timestamp: expected a time in seconds since 1970"),
    (1, "-1614265330", "bad_header: webhook-timestamp: expected a time in seconds since 1970"),
    (2, "v2,abc", "bad_header: webhook-signature: expected v1, and Base64 behind it"),
    (2, "v1,!!!", "bad_header: webhook-signature: expected v1, and Base64 behind it"),
    (2, "v1,", "bad_signature: webhook-signature: the signature is not that of the secret and this body"),
  ])
  func aBadHeaderIsNamed(_ index: Int, _ value: String, _ message: String) {
    var headers = standard()
    headers[index].1 = value
    #expect(problem(.standard, secret, headers) == message)
  }

  @Test func aFloodOfSignaturesAndARepeatedHeaderAreRefused() {
    let flood = Array(repeating: standard()[2].1, count: 10_000).joined(separator: " ")
    #expect(
      problem(.standard, secret, standard(signature: flood))
        == "bad_header: webhook-signature: more than 50 signatures")
    #expect(
      problem(.standard, secret, standard() + standard())
        == "bad_header: the header webhook-id is there 2 times")
  }

  @Test func aSecretWithoutAKeyLetsNothingIn() {
    let signature = HMAC.sha256(key: [], Array("a.\(time).".utf8) + body)
    let text = Base64URL.encode(signature).replacing("-", with: "+").replacing("_", with: "/")
    #expect(problem(.standard, "whsec_", standard(id: "a", signature: "v1,\(text)=")).hasPrefix("bad_secret"))
    #expect(
      problem(.github, "\n", [("X-Hub-Signature-256", "sha256=" + String(repeating: "0", count: 64))]).hasPrefix(
        "bad_secret"))
    // Base64 of few bytes is a key that can be guessed.
    let guessed = HMAC.sha256(key: [0xb5], Array("a.\(time).".utf8) + body)
    let given = Base64URL.encode(guessed).replacing("-", with: "+").replacing("_", with: "/")
    #expect(problem(.standard, "tQ", standard(id: "a", signature: "v1,\(given)=")).hasPrefix("bad_signature"))
  }

  // MARK: Senders

  /// The senders of the page on webhooks: the names of their headers, the forms of their secrets, their units of time.
  @Test(arguments: [
    ("Standard Webhooks", "webhook", "whsec_", 1), ("Svix", "svix", "whsec_", 1),
    ("Supabase", "webhook", "v1,whsec_", 1),
    ("Base64 alone", "webhook", "", 1), ("milliseconds", "webhook", "whsec_", 1000),
  ])
  func aSenderOfStandardWebhooksIsUnderstood(_ name: String, _ header: String, _ form: String, _ unit: Int64) {
    let key = Array("a key of thirty bytes and more..".utf8)
    let sent = "\(time * unit)"
    let headers = [
      ("\(header)-id", "msg_1"), ("\(header)-timestamp", sent),
      ("\(header)-signature", "v1," + base64(HMAC.sha256(key: key, Array("msg_1.\(sent).".utf8) + body))),
    ]
    #expect(problem(.standard, form + base64(key), headers) == #"ok ["msg_1"]"#, "\(name)")
    #expect(problem(.standard, form + base64(key), headers, now: time + 301).hasPrefix("old_timestamp"), "\(name)")
    #expect(problem(.standard, form + base64(key), headers, body + [32]).hasPrefix("bad_signature"), "\(name)")
  }

  @Test func bitbucketSignsAsGitHubDoes() {
    let signature = "sha256=" + HMAC.sha256(key: Array("secret".utf8), body).hexadecimal
    let headers = [("X-Hub-Signature", signature), ("X-Request-UUID", "r-1")]
    #expect(problem(.github, "secret", headers) == "ok [\"r-1\", \"\(signature)\"]")
    #expect(problem(.github, "other", headers).hasPrefix("bad_signature"))
  }

  @Test func aSecretMayBeTheKeyItself() {
    let key = "no Base64, but a key"
    let signature = base64(HMAC.sha256(key: Array(key.filter { $0 != " " }.utf8), Array("a.\(time).".utf8) + body))
    #expect(
      problem(.standard, key.filter { $0 != " " }, standard(id: "a", signature: "v1,\(signature)")) == #"ok ["a"]"#)
  }

  @Test(arguments: ["whpk_AAAA", "v1,whsec_!!", "whsec_"])
  func aSecretThatCannotBeOneIsTold(_ secret: String) {
    #expect(problem(.standard, secret, standard()).hasPrefix("bad_secret: the secret "))
  }

  private func base64(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
    return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }
}
