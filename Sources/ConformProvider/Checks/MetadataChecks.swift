import Conform
import Core
import HTTPClient
import JSON

/// The metadata document: its address, its form, and the members about the provider.
enum MetadataChecks {
  private static let topic = Topic(
    "provider.metadata", "Metadata", danger: .passive, wrong: .provider,
    means: "Clients that read the metadata refuse the provider, or take a value that does not hold.",
    change: [
      "In general": "Correct the metadata document; mend the gateway if it changes the document on its way.",
      "B2C":
        "The document is made by the service; a custom domain changes its addresses, and the settings of the user flow its issuer.",
    ])

  private static let discovery = "OpenID Connect Discovery 1.0, 4.2"

  static let metadata: [ProviderCheck] = document + addressChecks + endpoints

  private static let document: [ProviderCheck] = [
    .init(
      topic, "status", "The metadata comes with status 200", "fetches the metadata",
      .must("a successful response has the status 200", "\(discovery); RFC 8414, 3.2"),
      peers: ["oidf:oidcc-discovery-endpoint-verification"]
    ) { trial in
      let status = trial.provider.metadataAnswer.status
      return trial.finding(status == 200, "status 200", "status \(status)")
    },
    .init(
      topic, "content-type", "The metadata is application/json", "reads the content type of the metadata",
      .must("the response has the content type application/json", "\(discovery); RFC 8414, 3.2")
    ) { trial in
      let type = trial.provider.metadataAnswer.mediaType
      return trial.finding(type == "application/json", type, "the content type is '\(type)'")
    },
    .init(
      topic, "issuer", "The metadata has an issuer", "looks for issuer",
      .must("issuer is a required member", "RFC 8414, 2; OpenID Connect Discovery 1.0, 3"),
      peers: ["oidf:oidcc-discovery-endpoint-verification"]
    ) { $0.required("issuer") { $0.string == nil ? "is not a text" : nil } },
    .init(
      topic, "issuer-same", "The issuer is the address that was asked",
      "compares issuer with the address of the metadata",
      .must(
        "issuer is identical to the issuer of the request",
        "RFC 8414, 3.3; OpenID Connect Discovery 1.0, 4.3"),
      peers: ["oidf:oidcc-discovery-endpoint-verification"]
    ) { trial in
      let issuer = trial.provider.issuer
      let url = trial.provider.options.metadataURL
      let places = ["openid-configuration", "oauth-authorization-server"]
      let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      let path = WebAddress(base).path
      let origin = base.dropLast(path.utf8.count)
      let known = places.flatMap { ["\(base)/.well-known/\($0)", "\(origin)/.well-known/\($0)\(path)"] }
      return trial.finding(
        known.contains(WebAddress(url).base), "issuer fits \(WebAddress(url).shown)",
        "issuer is \(issuer), but the document is at \(WebAddress(url).shown)")
    },
    .init(
      topic, "issuer-https", "The issuer is an https address", "reads the scheme of issuer",
      .must("issuer has the scheme https", "RFC 8414, 2")
    ) { trial in try trial.member("issuer") { trial.problem(ofAddress: $0) } },
    .init(
      topic, "issuer-bare", "The issuer has no query and no fragment", "reads issuer",
      .must("issuer has neither a query nor a fragment", "RFC 8414, 2")
    ) {
      try $0.member("issuer") { ($0.string ?? "").contains { "?#".contains($0) } ? "has a query or a fragment" : nil }
    },
    .init(
      topic, "issuer-plain", "The issuer has no user name and no upper-case host", "reads issuer",
      .may("issuers are compared as text, so that a spelling with other letters is another issuer", "RFC 8414, 4")
    ) {
      try $0.member("issuer") { value in
        let authority = WebAddress(value.string ?? "").authority
        return authority.contains("@") || authority != authority.lowercased() ? "has the host \(authority)" : nil
      }
    },
    .init(
      topic, "rfc8414", "The metadata is at oauth-authorization-server, too",
      "fetches /.well-known/oauth-authorization-server",
      .may("the usual place of OAuth metadata is between host and path", "RFC 8414, 3.1"), [.oauth21, .mcp, .fapi2]
    ) { trial in
      let path = WebAddress(trial.provider.issuer).path
      let origin = trial.provider.issuer.dropLast(path.utf8.count)
      let tail = path == "/" ? "" : path
      let answer = try await trial.get("\(origin)/.well-known/oauth-authorization-server\(tail)")
      return trial.finding(answer["issuer"] != nil, "it is there", "it is not there: \(answer.status)")
    },
    .init(
      topic, "no-null", "No member of the metadata is null", "looks for null",
      .must("members without a value are left out", "\(discovery); RFC 8414, 3.2")
    ) { trial in
      let names = trial.provider.metadata.filter { $0.value == .null }.keys.sorted()
      return trial.finding(names.isEmpty, "no null", "null: \(names.joined(separator: ", "))")
    },
    .init(
      topic, "no-empty", "No list of the metadata is empty", "looks for empty lists",
      .must("claims with no elements are left out", "\(discovery); RFC 8414, 3.2")
    ) { trial in
      let names = trial.provider.metadata.filter { $0.value.array?.isEmpty == true }.keys.sorted()
      return trial.finding(names.isEmpty, "no empty list", "empty: \(names.joined(separator: ", "))")
    },
    .init(
      topic, "lists", "Members named …_supported are lists or booleans", "reads the types of the members",
      .must("several values are a JSON array", "\(discovery); RFC 8414, 3.2")
    ) { trial in
      trial.finding("all are", "another type") { name, value in
        name.hasSuffix("_values_supported") && value.array == nil
          || name.hasSuffix("_parameter_supported") && value.bool == nil
      }
    },
    .init(
      topic, "texts", "The lists of the metadata hold texts", "reads the types of the elements",
      .must("the values of the lists are strings", "RFC 8414, 2")
    ) { trial in
      trial.finding("all do", "not all are texts") { name, value in
        name.hasSuffix("_supported") && value.array?.contains { $0.string == nil } == true
      }
    },
    .init(
      topic, "no-doubles", "No list of the metadata has a value twice", "looks for values that come twice",
      .may("a value is listed once", "RFC 8414, 2")
    ) { trial in
      let names = trial.provider.metadata.filter { name, value in
        let texts = value.array?.compactMap(\.string) ?? []
        return Set(texts).count < texts.count
      }.keys.sorted()
      return trial.finding(names.isEmpty, "none has", "twice in \(names.joined(separator: ", "))")
    },
    .init(
      topic, "query-ignored", "An unknown parameter at the metadata is ignored", "fetches the metadata with ?conform=1",
      .should("a server ignores parameters that it does not know", "RFC 9110, 4.2.2; RFC 6749, 3.1")
    ) { trial in
      let url = WebAddress(trial.provider.options.metadataURL).appending("conform=1")
      let answer = try await trial.get(url)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(answer.string("issuer") == trial.provider.issuer, "the same issuer", answer.shown)
    },
    .init(
      topic, "stable", "The metadata is the same each time", "fetches the metadata again",
      .should("the members describe the provider, not a request", "RFC 8414, 3")
    ) { trial in
      let answer = try await trial.get(trial.provider.options.metadataURL)
      if let unclear = answer.unclear { return unclear }
      return trial.finding(
        answer.json?.object == trial.provider.metadata, "the same document", "another document came")
    },
    .init(
      topic, "cors", "Programs in a browser may read the metadata", "fetches the metadata with an Origin",
      .may("single-page applications need Access-Control-Allow-Origin", "Fetch Standard, 3.2")
    ) { trial in
      let answer = try await trial.get(trial.provider.options.metadataURL, ["Origin": "https://app.example"])
      let allowed = answer.headers["Access-Control-Allow-Origin"]
      return trial.finding(
        allowed != nil, "Access-Control-Allow-Origin: \(allowed ?? "")", "no Access-Control-Allow-Origin")
    },
    .init(
      topic, "cors-credentials", "CORS at the metadata allows no credentials for everybody",
      "fetches the metadata with a foreign Origin",
      .should("an origin that is merely repeated does not get credentials", "Fetch Standard, 3.2.5")
    ) { trial in
      let answer = try await trial.get(trial.provider.options.metadataURL, ["Origin": "https://attacker.example"])
      let allows =
        answer.headers["Access-Control-Allow-Credentials"] == "true"
        && answer.headers["Access-Control-Allow-Origin"] == "https://attacker.example"
      return trial.finding(!allows, "no credentials for others", "any origin may send credentials")
    },
    .init(
      topic, "post", "The metadata is not changed by POST", "sends an empty POST to the metadata",
      .should("the document is fetched by GET", "RFC 8414, 3.1; OpenID Connect Discovery 1.0, 4.1")
    ) { trial in
      let answer = try await trial.post(trial.provider.options.metadataURL, [:], as: nil)
      return trial.finding(
        answer.status >= 400 && answer.status < 500 || answer.string("issuer") == trial.provider.issuer, answer.shown,
        "the response is \(answer.shown)")
    },
    .init(
      topic, "signed", "signed_metadata is signed", "reads the header of signed_metadata",
      .must("signed metadata is a JWT with a signature; the issuer is among its claims", "RFC 8414, 2.1"),
      needs: ["signed_metadata"]
    ) { trial in
      try trial.member("signed_metadata") { value in
        guard let parts = value.string?.split(separator: "."), parts.count == 3 else { return "is not a signed JWT" }
        return nil
      }
    },
  ]

  // MARK: Endpoints

  private static let addresses: [(name: String, source: String)] = [
    ("authorization_endpoint", "RFC 6749, 3.1; RFC 9700, 2.6"), ("token_endpoint", "RFC 6749, 3.2"),
    ("jwks_uri", "RFC 8414, 2"), ("userinfo_endpoint", "OpenID Connect Core 1.0, 5.3"),
    ("registration_endpoint", "RFC 7591, 3"), ("revocation_endpoint", "RFC 7009, 2"),
    ("introspection_endpoint", "RFC 7662, 2"), ("pushed_authorization_request_endpoint", "RFC 9126, 2"),
    ("device_authorization_endpoint", "RFC 8628, 3.1"),
    ("backchannel_authentication_endpoint", "CIBA Core 1.0, 7.1"),
    ("end_session_endpoint", "OpenID Connect RP-Initiated Logout 1.0, 2"),
  ]

  private static let addressChecks: [ProviderCheck] = addresses.map { address in
    ProviderCheck(
      topic, "https-\(address.name.replacing("_", with: "-"))", "\(address.name) is an https address",
      "reads \(address.name)", .must("\(address.name) uses TLS", address.source), needs: [address.name]
    ) { trial in try trial.member(address.name) { trial.problem(ofAddress: $0) } }
  }

  private static let endpoints: [ProviderCheck] = [
    .init(
      topic, "no-fragment", "No endpoint has a fragment", "reads all endpoints",
      .must("the address of an endpoint has no fragment", "RFC 6749, 3.1 and 3.2")
    ) { trial in
      let names = trial.provider.metadata.filter { name, value in
        (name.hasSuffix("_endpoint") || name.hasSuffix("_uri")) && value.string?.contains("#") == true
      }.keys.sorted()
      return trial.finding(names.isEmpty, "none has", "a fragment in \(names.joined(separator: ", "))")
    },
    .init(
      topic, "one-origin", "All endpoints are at the origin of the issuer", "compares the hosts of the endpoints",
      .may("endpoints of other hosts are allowed, and need trust in each", "RFC 8414, 6")
    ) { trial in
      let origin = Origin(trial.provider.issuer)
      let others = addresses.compactMap { trial.provider.string($0.name).flatMap(Origin.init) }
        .filter { $0 != origin }.map(\.host)
      return trial.finding(others.isEmpty, "all are", "others: \(Set(others).sorted().joined(separator: ", "))")
    },
    .init(
      topic, "mtls-https", "mtls_endpoint_aliases are https addresses", "reads mtls_endpoint_aliases",
      .must("an alias is an endpoint for mutual TLS", "RFC 8705, 5"), needs: ["mtls_endpoint_aliases"]
    ) { trial in
      try trial.member("mtls_endpoint_aliases") { value in
        guard let members = value.object else { return "is not an object" }
        return members.compactMap { name, value in
          trial.problem(ofAddress: value).map { "\(name) \($0)" }
        }.sorted().first
      }
    },
    .init(
      topic, "mtls-known", "mtls_endpoint_aliases name endpoints", "reads the names of mtls_endpoint_aliases",
      .should("an alias has the name of an endpoint of the metadata", "RFC 8705, 5"), needs: ["mtls_endpoint_aliases"]
    ) { trial in
      try trial.member("mtls_endpoint_aliases") { value in
        let unknown = (value.object ?? [:]).keys.filter { trial.provider.metadata[$0] == nil }.sorted()
        return unknown.isEmpty ? nil : "has \(unknown.joined(separator: ", ")), which the metadata lacks"
      }
    },
  ]
}

extension Trial {
  /// The finding about all members of the metadata.
  /// - Parameter isWrong: true for a member that breaks the rule.
  fileprivate func finding(_ kept: String, _ broken: String, _ isWrong: (String, JSON) -> Bool) -> Finding {
    let names = provider.metadata.filter(isWrong).keys.sorted()
    return finding(names.isEmpty, kept, "\(broken): \(names.joined(separator: ", "))")
  }
}
