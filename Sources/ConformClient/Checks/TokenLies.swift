import Conform
import HTTPServer
import JSON

/// Lies and truths in token responses.
enum TokenLies {
  static let all: [ClientCheck] = wrongTokens + tokenTruths + tokenForms

  private static let t = Topic.clientTokens

  private static let wrongTokens: [ClientCheck] = [
    wrong(
      "type-unknown", "Token response with an unknown token_type",
      .must("A client does not use a token whose type it does not understand.", "RFC 6749, 7.1")
    ) { members, _ in members["token_type"] = "conform" },
    wrong("type-missing", "Token response without token_type", .should("token_type is required.", "RFC 6749, 5.1")) {
      members, _ in members["token_type"] = nil
    },
    wrong("no-access-token", "Token response without access_token", .must("access_token is required.", "RFC 6749, 5.1"))
    {
      members, _ in members["access_token"] = nil
    },
    wrong(
      "empty-access-token", "Token response with an empty access_token",
      .must("access_token is required.", "RFC 6749, 5.1")
    ) {
      members, _ in members["access_token"] = ""
    },
    wrong(
      "null-access-token", "Token response with null as access_token",
      .must("access_token is required.", "RFC 6749, 5.1")
    ) {
      members, _ in members["access_token"] = .null
    },
    t.lie(
      "error-200", "Error with status 200", .should("A response without access_token is no success.", "RFC 6749, 5.1"),
      .error(.token, 200, ["error": "invalid_grant", "error_description": "The code is not valid."])),
    t.lie(
      "empty", "Empty token response", .must("A token response is a JSON object.", "RFC 6749, 5.1"),
      .response(.token) { response, _ in response.body = [] }),
    t.lie(
      "list", "Token response that is a list", .must("A token response is a JSON object.", "RFC 6749, 5.1"),
      .response(.token) { response, _ in response.body = Array("[]".utf8) }),
    t.lie(
      "half", "Token response that ends in its middle", .must("A token response is a JSON object.", "RFC 6749, 5.1"),
      .response(.token) { response, _ in response.body = Array(response.body.prefix(response.body.count / 2)) }),
    t.lie(
      "page", "Token response that is a web page", .must("A token response is a JSON object.", "RFC 6749, 5.1"),
      .response(.token) { response, _ in
        response.replaceType("text/html")
        response.body = Array("<!DOCTYPE html><h1>Maintenance</h1>".utf8)
      }),
  ]

  private static func wrong(
    _ name: String, _ title: String, _ rule: Rule,
    _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> ClientCheck { t.lie(name, title, rule, .tokens(edit)) }

  private static let unknownRule = Rule.must("A client ignores members that it does not know.", "RFC 6749, 5.1")

  private static let tokenTruths: [ClientCheck] = [
    truth(
      "type-case", "token_type in lower case", .must("token_type has no letter case.", "RFC 6749, 5.1"),
      peers: ["oidf:fapi2-security-profile-final-client-test-token-type-case-insensitivity"]
    ) { members, _ in
      members["token_type"] = (members["token_type"]?.string).map { .string($0.lowercased()) }
    },
    truth("type-capitals", "token_type in capitals", .must("token_type has no letter case.", "RFC 6749, 5.1")) {
      members, _ in
      members["token_type"] = (members["token_type"]?.string).map { .string($0.uppercased()) }
    },
    truth("expires-text", "expires_in as a text", .may("Some providers send the number as a text.", "RFC 6749, 5.1")) {
      members, _ in members["expires_in"] = (members["expires_in"]?.lenientInteger).map { .string(String($0)) }
    },
    truth(
      "expires-missing", "Token response without expires_in",
      .must("expires_in is recommended, not required.", "RFC 6749, 5.1"),
      peers: ["oidf:fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in"]
    ) {
      members, _ in members["expires_in"] = nil
    },
    truth(
      "expires-short", "Token that is valid for 90 seconds",
      .must("A provider chooses the life of its tokens.", "RFC 6749, 4.2.2")
    ) {
      members, _ in members["expires_in"] = 90
    },
    truth(
      "expires-long", "Token that is valid for 100 years",
      .must("A provider chooses the life of its tokens.", "RFC 6749, 4.2.2")
    ) {
      members, _ in members["expires_in"] = 3_155_760_000
    },
    truth("extra", "Token response with unknown members", unknownRule) { members, _ in
      members["conform"] = ["a": [1, nil, ["b": true]]]
      members["ext_expires_in"] = 7200
    },
    truth("extra-null", "Token response with an unknown null", unknownRule) { members, _ in members["conform"] = .null
    },
    truth(
      "less", "Token response without additions of its provider", .must("These members are additions.", "RFC 6749, 5.1")
    ) {
      members, _ in
      let standard: Set = ["access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"]
      members = members.filter { standard.contains($0.key) }
    },
    truth(
      "scope-missing", "Token response without scope",
      .must("scope is optional if it is the requested one.", "RFC 6749, 5.1")
    ) {
      members, _ in members["scope"] = nil
    },
    truth(
      "scope-order", "Token response with the scopes in another order",
      .must("The order of scopes has no meaning.", "RFC 6749, 3.3")
    ) {
      members, _ in
      let words = (members["scope"]?.string ?? "").split(separator: " ").reversed()
      members["scope"] = .string(words.joined(separator: " "))
    },
    truth(
      "no-refresh-token", "Token response without refresh_token", .must("refresh_token is optional.", "RFC 6749, 5.1")
    ) {
      members, _ in members["refresh_token"] = nil
    },
    truth(
      "long-refresh-token", "Refresh token of 4 KiB",
      .must("The size of a token is the provider's choice.", "RFC 6749, 5.1")
    ) {
      members, _ in
      guard members["refresh_token"] != nil else { throw NoLie() }
      members["refresh_token"] = .string(String(repeating: "0123456789abcdef", count: 256))
    },
  ]

  private static func truth(
    _ name: String, _ title: String, _ rule: Rule, peers: [String] = [],
    _ edit: @escaping @Sendable (inout [String: JSON], LiePlace) throws -> Void
  ) -> ClientCheck { t.truth(name, title, rule, peers: peers, .grant("authorization_code", edit)) }

  private static let tokenForms: [ClientCheck] = [
    t.truth(
      "content-type", "Token response without charset", .must("The type is application/json.", "RFC 6749, 5.1"),
      .response(.token) { response, _ in response.replaceType("application/json") }),
    t.truth(
      "content-type-case", "Token response with its type in capitals",
      .must("Media types have no letter case.", "RFC 9110, 8.3.1"),
      .response(.token) { response, _ in response.replaceType("Application/JSON; Charset=UTF-8") }),
    t.truth(
      "white-space", "Token response with white space", .must("White space has no meaning.", "RFC 8259, 2"),
      .response(.token) { response, _ in
        response.body = Array("\n  ".utf8) + Array(try JSON(parsing: response.body).encoded(pretty: true).utf8) + [0x0a]
      }),
    t.truth(
      "escapes", "Token response with escaped characters", .must("A character may be escaped.", "RFC 8259, 7"),
      .response(.token) { response, _ in
        response.body = Array(String(decoding: response.body, as: UTF8.self).replacing("ey", with: "\\u0065y").utf8)
      }),
    t.truth(
      "headers", "Token response with unknown header fields",
      .must("Unknown header fields are ignored.", "RFC 9110, 5.1"),
      .response(.token) { response, _ in
        response.headers += [("X-Conform", "1"), ("x-ms-request-id", "00000000-0000-0000-0000-000000000000")]
      }),
    t.truth(
      "slow", "Token response that takes two seconds", .should("A client waits for a slow answer.", "RFC 9110, 9.2"),
      .response(.token) { response, _ in response.delay = 2 }),
  ]
}
