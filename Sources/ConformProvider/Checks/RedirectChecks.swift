import Conform
import Core
import HTTPClient

/// Redirect URIs that differ from the registered one.
enum RedirectChecks {
  private static let topic = Topic(
    "provider.redirect", "Redirect URIs", wrong: .provider,
    means: "An attacker who can place a link gets the user's code at an address of his own.",
    change: [
      "In general": "Compare redirect URIs as exact strings; only the port of a loopback address may differ.",
      "B2C": "Register each redirect URI in full; wildcards are not possible, and that is right.",
      "Entra": "Remove redirect URIs with wildcards from the manifest of the application.",
    ])

  private static let exact = Rule.must(
    "redirect URIs are compared as exact strings, apart from the port of a loopback address", "RFC 9700, 2.1 and 4.1.3")

  /// A change of the registered redirect URI; nil if it has nothing to change.
  private typealias Change = @Sendable (WebAddress) -> String?

  private static let variants: [(name: String, title: String, action: String, change: Change)] = [
    ("longer-path", "A longer path is refused", "adds /conform to the path", { "\($0.base)/conform" }),
    (
      "shorter-path", "A shorter path is refused", "leaves the last part of the path out",
      { address in
        let parts = address.path.split(separator: "/")
        guard !parts.isEmpty else { return nil }
        return address.origin + parts.dropLast().map { "/\($0)" }.joined() + (parts.count == 1 ? "/" : "")
      }
    ),
    ("other-path", "Another path is refused", "replaces the path", { $0.origin + "/conform-elsewhere" }),
    ("slash", "A slash at the end is refused", "adds a slash", { $0.base.hasSuffix("/") ? nil : "\($0.base)/" }),
    ("query", "A further query is refused", "adds ?conform=1", { $0.appending("conform=1") }),
    ("empty-query", "An empty query is refused", "adds a question mark", { $0.query == nil ? "\($0.base)?" : nil }),
    ("code-in-query", "A query with a code is refused", "adds ?code=attacker", { $0.appending("code=attacker") }),
    ("fragment", "A fragment is refused", "adds a fragment", { "\($0.base)#conform" }),
    (
      "path-case", "Another letter case in the path is refused", "writes the path in upper case",
      { address in
        let path = address.path.uppercased()
        return path == address.path ? nil : address.origin + path
      }
    ),
    (
      "host", "Another host is refused", "replaces the host",
      { address in
        address.scheme.map { "\($0)://attacker.example\(address.path)" }
      }
    ),
    (
      "subdomain", "A subdomain is refused", "puts a label in front of the host",
      { address in
        address.scheme.map { "\($0)://attacker.\(address.authority)\(address.path)" }
      }
    ),
    (
      "host-ending", "The host as the beginning of another is refused", "puts a label behind the host",
      { address in
        address.scheme.map { "\($0)://\(address.authority).attacker.example\(address.path)" }
      }
    ),
    (
      "user", "The host as a user name is refused", "writes https://HOST@attacker.example",
      { address in
        address.scheme.map { "\($0)://\(address.authority)@attacker.example\(address.path)" }
      }
    ),
    (
      "user-name", "A user name before the host is refused", "writes https://attacker@HOST",
      { address in
        address.scheme.map { "\($0)://attacker@\(address.authority)\(address.path)" }
      }
    ),
    (
      "scheme", "Another scheme is refused", "writes http in place of https, or the other way round",
      { address in
        address.scheme.map { "\($0 == "https" ? "http" : "https")://\(address.authority)\(address.path)" }
      }
    ),
    (
      "port", "Another port is refused", "writes another port",
      { address in
        guard let scheme = address.scheme, Origin(address.base)?.isLoopback == false else { return nil }
        return "\(scheme)://\(address.authority.prefix { $0 != ":" }):8443\(address.path)"
      }
    ),
    (
      "encoded", "A percent-encoded letter of the path is refused", "encodes a letter of the path",
      { address in
        guard let last = address.path.last(where: \.isLetter), let code = last.asciiValue else { return nil }
        let path = address.path.replacing(String(last), with: "%" + String(code, radix: 16), maxReplacements: 1)
        return address.origin + path
      }
    ),
    (
      "dots", "Dots in the path are refused", "writes /x/.. in front of the path",
      { address in
        "\(address.origin)/conform/..\(address.path)"
      }
    ),
    (
      "encoded-dots", "Encoded dots in the path are refused", "adds %2e%2e to the path",
      { "\($0.base)/%2e%2e/attacker" }
    ),
    ("double-slash", "A double slash in the path is refused", "writes two slashes", { "\($0.origin)/\($0.path)" }),
    (
      "backslash", "A backslash is refused", "puts a host and a backslash in front",
      { address in
        address.scheme.map { "\($0)://attacker.example\\@\(address.authority)\(address.path)" }
      }
    ),
    ("null", "A NUL byte is refused", "adds a NUL byte", { "\($0.base)\u{0}" }),
    ("newline", "A line break is refused", "adds a line break and a header field", { "\($0.base)\r\nX-Conform: 1" }),
    (
      "unicode", "A letter that looks alike is refused", "replaces a letter of the host by a Cyrillic one",
      { address in
        guard let scheme = address.scheme, address.authority.contains(where: { "aeo".contains($0) }) else { return nil }
        let host = address.authority.replacing("a", with: "а").replacing("e", with: "е").replacing("o", with: "о")
        return "\(scheme)://\(host)\(address.path)"
      }
    ),
    ("javascript", "A javascript address is refused", "asks for javascript:", { _ in "javascript:alert(1)" }),
    ("data", "A data address is refused", "asks for data:", { _ in "data:text/html,conform" }),
    ("relative", "A relative address is refused", "asks for the path alone", { String($0.path) }),
    ("empty", "An empty redirect URI is refused", "asks for an empty redirect URI", { _ in "" }),
    ("wildcard", "An asterisk is refused", "asks for a path with an asterisk", { "\($0.origin)/*" }),
  ]

  static let redirects: [ProviderCheck] =
    variants.map { variant in
      ProviderCheck(
        topic, variant.name, variant.title, "\(variant.action) in redirect_uri", exact,
        peers: variant.name == "longer-path" ? ["oidf:oidcc-ensure-registered-redirect-uri"] : []
      ) { trial in
        guard let changed = variant.change(WebAddress(try trial.client.redirectURI)) else {
          return .notUsed("the redirect URI has nothing to change")
        }
        return try await trial.openWrong(changed)
      }
    } + moreRedirects

  private static let moreRedirects: [ProviderCheck] = [
    .init(
      topic, "twice", "Two redirect URIs are refused", "sends the right and a wrong redirect_uri",
      .must("parameters come once", "RFC 6749, 3.1")
    ) { trial in
      var attempt = Attempt(try trial.client)
      attempt.fields.add("redirect_uri", "https://attacker.example/callback")
      let landing = try await trial.authorize(attempt)
      return landing.refused()
    },
    .init(
      topic, "missing", "A request without redirect_uri is safe", "sends no redirect_uri",
      .must(
        "without redirect_uri only the one registered redirect URI is used; OpenID Connect demands it",
        "RFC 6749, 3.1.2.3; OpenID Connect Core 1.0, 3.1.2.1"),
      .openID
    ) { try await $0.authorize { $0["redirect_uri"] = nil }.refused() },
    .init(
      topic, "unknown-client", "An error about the client stays at the provider", "asks as an unknown client",
      .must("without a valid client the provider does not redirect", "RFC 6749, 4.1.2.1")
    ) { try await $0.authorize { $0["client_id"] = "conform-unknown" }.refusedOnPage() },
    .init(
      topic, "no-open-redirect", "A wrong request does not lead to a foreign host",
      "sends a wrong response_type with a foreign redirect URI",
      .must(
        "the provider does not redirect to an address that is not registered", "RFC 9700, 4.11.2; RFC 6749, 4.1.2.1")
    ) {
      try await $0.authorize {
        $0["redirect_uri"] = "https://attacker.example/callback"
        $0["response_type"] = "conform"
      }.refusedOnPage()
    },
    .init(
      topic, "loopback-port", "Any port of a loopback address is accepted", "asks for another port of 127.0.0.1",
      .must("the port of a loopback redirect URI may vary", "RFC 8252, 7.3"), [.oauth21, .mcp]
    ) { trial in
      guard let origin = Origin(try trial.client.redirectURI), origin.isLoopback else {
        return .notUsed("the redirect URI is not of this machine")
      }
      let address = WebAddress(try trial.client.redirectURI)
      return try await trial.authorize { $0["redirect_uri"] = "\(origin.scheme)://\(origin.host):53111\(address.path)" }
        .accepted()
    },
  ]
}

extension WebAddress {
  var scheme: String? { base.firstRange(of: "://").map { String(base[..<$0.lowerBound]) } }
  /// The address without its path.
  var origin: String { String(base.dropLast(path.count)) }
}
