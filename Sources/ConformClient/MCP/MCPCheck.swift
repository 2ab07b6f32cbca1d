package import Conform
import Core
import HTTPClient
import HostLoop
import JSON

/// A check of an MCP server with its probe.
package struct MCPCheck: Sendable {
  typealias Probe = @HostActor @Sendable (MCPUnderTest) async throws -> Finding

  package let check: Check
  let probe: Probe

  /// All checks, in the order in which they are listed and tried.
  package static let all: [MCPCheck] = [
    MCPChallengeChecks.all, MCPResourceChecks.all, MCPAuthorizationChecks.all, MCPTokenChecks.all, MCPAnswerChecks.all,
    MCPRebindingChecks.all, MCPSessionChecks.all, MCPTransportChecks.all,
  ].flatMap(\.self)
}

extension Topic {
  func mcp(
    _ name: String, _ title: String, _ rule: Rule, danger: Danger? = nil, peers: [String] = [],
    _ probe: @escaping MCPCheck.Probe
  ) -> MCPCheck {
    MCPCheck(
      check: Check(self, name, title, "looks at this: \(title)", rule, danger: danger, peers: peers), probe: probe)
  }

  /// A token that the server must refuse.
  func mcpRefuses(
    _ name: String, _ title: String, _ rule: Rule, peers: [String] = [],
    _ edit: @escaping @HostActor @Sendable (inout TokenDraft, MCPUnderTest) throws -> Void
  ) -> MCPCheck {
    mcp(name, title, rule, peers: peers) { server in
      .refused(try await server.ask(bearer: try server.token { try edit(&$0, server) }))
    }
  }

  /// A member of the resource metadata.
  func member(
    _ name: String, _ title: String, _ rule: Rule, _ member: String, peers: [String] = [],
    _ problem: @escaping @HostActor @Sendable (JSON?, MCPUnderTest) -> String?
  ) -> MCPCheck {
    mcp(name, title, rule, peers: peers) { server in
      let json = try server.documents.needResource().json
      return .of(json, member, problem(json[member], server))
    }
  }

  /// A member of the metadata of the authorization server.
  func serverMember(
    _ name: String, _ title: String, _ rule: Rule, _ member: String, peers: [String] = [],
    _ problem: @escaping @HostActor @Sendable (JSON?, MCPUnderTest) -> String?
  ) -> MCPCheck {
    mcp(name, title, rule, peers: peers) { server in
      let json = try server.documents.needServer().json
      return .of(json, member, problem(json[member], server))
    }
  }
}

extension Finding {
  /// Kept without a problem of a member.
  static func of(_ json: JSON, _ member: String, _ problem: String?) -> Finding {
    if let problem { return .broken("\(member) \(problem)") }
    let text = json[member]?.encoded() ?? "missing, as it may be"
    return .kept("\(member) is \(text.count > 160 ? text.prefix(159) + "…" : text)")
  }

  /// Kept if the condition holds.
  static func when(_ isKept: Bool, _ kept: String, _ broken: String) -> Finding {
    isKept ? .kept(kept) : .broken(broken)
  }
}

extension JSON {
  /// The texts of a list.
  var texts: [String] { array?.compactMap(\.string) ?? [] }
}
