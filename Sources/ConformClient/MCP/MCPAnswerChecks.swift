import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// The answers to wrong tokens and missing scopes.
enum MCPAnswerChecks {
  private static let t = Topic.mcpAnswers
  private static let wrong = "conform.wrong.token"

  static let all: [MCPCheck] = [
    t.mcp(
      "status", "An invalid token gets 401",
      .must("An invalid token gets 401.", "MCP 2026-07-28, authorization: token handling")
    ) { .refusedWith401(try await $0.ask([bearer])) },
    t.mcp("code", "An invalid token gets the code invalid_token", .must("The code is invalid_token.", "RFC 6750, 3.1"))
    {
      server in
      let answer = try await server.ask([bearer])
      try MCPChallengeChecks.denied(answer)
      let code = answer.bearer?.parameters["error"]
      return .when(code == "invalid_token", "error is invalid_token", "error is \(code ?? "missing")")
    },
    t.mcp(
      "metadata", "The refusal of a wrong token names the metadata, too",
      .should("resource_metadata helps to sign in again.", "RFC 9728, 5.1")
    ) { server in
      let answer = try await server.ask([bearer])
      try MCPChallengeChecks.denied(answer)
      return .when(
        answer.bearer?.parameters["resource_metadata"] != nil || server.documents.named == nil, "it is there",
        "resource_metadata is missing, though the challenge without a token has it")
    },
    t.mcp("echo", "The token is not in the answer", .should("Tokens do not get into logs and pages.", "RFC 6750, 5.3"))
    {
      server in
      let answer = try await server.ask([bearer])
      let text = answer.text + answer.headers.fields.map(\.value).joined()
      return .when(!text.contains(wrong), "it is not there", "the answer repeats the token")
    },
    t.mcp(
      "long", "A token of 12 KiB gets a refusal",
      .should("A large header field is refused, and the server stays up.", "RFC 9110, 5.4")
    ) { server in
      let answer = try await server.ask(["Bearer \(String(repeating: "x", count: 12 << 10))"])
      return .when(
        (400..<500).contains(answer.status), "the server answers \(answer.status)",
        "the server answers \(answer.status)")
    },
    t.mcp(
      "scope", "A token without scopes gets 403 with insufficient_scope",
      .should(
        "Missing scopes get 403, insufficient_scope and scope.",
        "MCP 2026-07-28, authorization: scope challenge handling"),
      danger: .signIn, peers: ["mcp:auth/scope-step-up"]
    ) { server in
      let token = try server.token { token in
        token.claims["scp"] = ""
        token.claims["scope"] = ""
      }
      let answer = try await server.ask(bearer: token, "tools/list")
      guard !answer.isAccepted else { throw EndOfProbe(.notUsed("the server needs no scope for its list of tools")) }
      guard answer.status == 403 else { return .broken("the server answers \(answer.status)") }
      let parameters = answer.bearer?.parameters ?? [:]
      guard parameters["error"] == "insufficient_scope" else {
        return .broken("error is \(parameters["error"] ?? "missing")")
      }
      return .when(parameters["scope"] != nil, "scope is \(parameters["scope"] ?? "")", "scope is missing")
    },
  ]

  private static var bearer: String { "Bearer \(wrong)" }
}
