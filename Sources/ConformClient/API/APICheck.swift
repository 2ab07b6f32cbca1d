package import Conform
import HTTPClient
import HostLoop

/// A check of an API with its probe.
package struct APICheck: Sendable {
  typealias Probe = @HostActor @Sendable (APIUnderTest) async throws -> Finding

  package let check: Check
  let probe: Probe
}

extension Topic {
  func api(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil, peers: [String] = [],
    _ probe: @escaping APICheck.Probe
  ) -> APICheck {
    APICheck(
      check: Check(self, name, title, "sends this request: \(title)", rule, profiles, peers: peers), probe: probe)
  }

  /// A token that the API must refuse.
  func refuses(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil,
    _ edit: @escaping @Sendable (inout TokenDraft, TenantFacts) throws -> Void
  ) -> APICheck {
    api(name, title, rule, in: profiles) { api in
      let facts = TenantFacts(keys: api.keys, otherOrigin: api.otherOrigin, issuer: api.issuer)
      return .refused(try await api.ask(bearer: try api.token { try edit(&$0, facts) }))
    }
  }

  /// A token that the API must take.
  func accepts(
    _ name: String, _ title: String, _ rule: Rule, in profiles: Set<Profile>? = nil,
    _ edit: @escaping @Sendable (inout TokenDraft) throws -> Void
  ) -> APICheck {
    api(name, title, rule, in: profiles) { api in .accepted(try await api.ask(bearer: try api.token { try edit(&$0) }))
    }
  }

  /// A request without a right token, which the API must refuse.
  func closed(
    _ name: String, _ title: String, _ rule: Rule, _ edit: @escaping @Sendable (inout HTTPRequest) -> Void
  ) -> APICheck {
    api(name, title, rule) { api in .refused(try await api.ask([], edit)) }
  }
}

/// The facts of the tenant that tokens lie about.
struct TenantFacts: Sendable {
  let keys: TenantKeys
  let otherOrigin: String
  let issuer: String
}

extension Finding {
  /// Kept if the API refused the request.
  static func refused(_ answer: APIUnderTest.Answer) -> Finding {
    answer.isAccepted
      ? .broken("it answers \(answer.status), as for a right token")
      : .kept("it answers \(answer.status)\(code(answer))")
  }

  static func accepted(_ answer: APIUnderTest.Answer) -> Finding {
    answer.isAccepted
      ? .kept("it answers \(answer.status)") : .broken("it answers \(answer.status)\(code(answer))")
  }

  private static func code(_ answer: APIUnderTest.Answer) -> String {
    answer.challenges.first.flatMap(APIUnderTest.errorCode).map { " \($0)" } ?? ""
  }
}
