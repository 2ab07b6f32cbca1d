import Conform
import Core
import HTTPClient
import JSON

/// The pages of the provider and the transport.
enum PageChecks {
  private static let topic = Topic(
    "provider.pages", "Pages and transport", danger: .passive, wrong: .provider,
    means: "A foreign page can show or read the sign-in page, or a script of others runs in it.",
    change: [
      "In general": "Send Content-Security-Policy with frame-ancestors, Referrer-Policy and no-store with each page.",
      "B2C": "Custom pages bring their own headers: set them where the HTML is hosted.",
    ])

  static let pages: [ProviderCheck] = [
    .init(
      topic, "frames", "The sign-in page cannot be put into a frame", "opens the sign-in page",
      .must("clickjacking is prevented, by frame-ancestors or X-Frame-Options", "RFC 9700, 4.16; RFC 6749, 10.13")
    ) { trial in
      let page = try await trial.signInPage()
      let policy = page.headers.all("Content-Security-Policy").joined(separator: ";")
      return trial.finding(
        policy.contains("frame-ancestors") || page.headers["X-Frame-Options"] != nil, "it cannot",
        "neither frame-ancestors nor X-Frame-Options")
    },
    .init(
      topic, "policy", "The sign-in page has a Content-Security-Policy", "opens the sign-in page",
      .should("a policy limits the scripts of the page", "RFC 9700, 4.16; Content Security Policy Level 3")
    ) { trial in
      trial.finding(
        try await trial.signInPage().headers["Content-Security-Policy"] != nil, "it has",
        "there is no Content-Security-Policy")
    },
    .init(
      topic, "referrer", "The sign-in page sends no referrer", "opens the sign-in page",
      .should("Referrer-Policy keeps state and codes away from other hosts", "RFC 9700, 4.2.4")
    ) { trial in
      let page = try await trial.signInPage()
      let policy = page.headers["Referrer-Policy"]?.lowercased() ?? ""
      let isStrict = ["no-referrer", "same-origin", "strict-origin", "origin"].contains { policy.contains($0) }
      return trial.finding(
        isStrict || page.text.contains("name=\"referrer\""), "it sends none",
        "Referrer-Policy: \(policy.isEmpty ? "missing" : policy)")
    },
    .init(
      topic, "no-store", "The sign-in page is not stored", "opens the sign-in page",
      .should("a page with the request's parameters stays out of caches", "RFC 6749, 10.5; RFC 9111, 5.2.2.5")
    ) { trial in
      let page = try await trial.signInPage()
      return trial.finding(
        !page.cacheControl.isDisjoint(with: ["no-store", "no-cache"]), "it is not",
        "Cache-Control: \(page.headers["Cache-Control"] ?? "missing")")
    },
    .init(
      topic, "type-options", "The sign-in page has X-Content-Type-Options", "opens the sign-in page",
      .should("nosniff makes browsers keep to the content type", "Fetch Standard, 3.6")
    ) { trial in
      trial.finding(
        try await trial.signInPage().headers["X-Content-Type-Options"]?.lowercased() == "nosniff", "it has",
        "there is no X-Content-Type-Options: nosniff")
    },
    .init(
      topic, "charset", "The sign-in page names its charset", "opens the sign-in page",
      .should("without a charset browsers guess", "HTML Standard, 4.2.5.4")
    ) { trial in
      let page = try await trial.signInPage()
      return trial.finding(
        page.headers["Content-Type"]?.lowercased().contains("charset=") == true
          || page.text.lowercased().contains("charset="), "it does", page.headers["Content-Type"] ?? "no content type")
    },
    .init(
      topic, "foreign-scripts", "The sign-in page loads no script of another host", "reads the sign-in page",
      .should("the page does not include resources of third parties", "RFC 9700, 4.2.4")
    ) { trial in
      let hosts = try await trial.signInPage().foreignHosts("<script", "src=\"")
      return trial.finding(hosts.isEmpty, "none", "scripts of \(hosts.joined(separator: ", "))")
    },
    .init(
      topic, "form-target", "The sign-in form goes to the provider", "reads the sign-in page",
      .must("the password goes to the provider, over TLS", "RFC 6749, 3.1; RFC 9700, 2.6")
    ) { trial in
      let page = try await trial.signInPage()
      let hosts = page.foreignHosts("<form", "action=\"")
      return trial.finding(hosts.isEmpty, "it does", "the form goes to \(hosts.joined(separator: ", "))")
    },
    .init(
      topic, "cookies-http-only", "Cookies cannot be read by scripts", "reads the cookies of the sign-in page",
      .should("session cookies are HttpOnly", "RFC 6265, 4.1.2.6")
    ) { trial in
      try await trial.cookies(have: "HttpOnly", "they cannot")
    },
    .init(
      topic, "cookies-secure", "Cookies are sent over TLS alone", "reads the cookies of the sign-in page",
      .must("session cookies are Secure", "RFC 6265, 4.1.2.5 and 8.3")
    ) { trial in
      guard Origin(try trial.endpoint("authorization_endpoint"))?.scheme == "https" else {
        return .notUsed("http on this machine")
      }
      return try await trial.cookies(have: "Secure", "they are")
    },
    .init(
      topic, "cookies-same-site", "Cookies name their SameSite", "reads the cookies of the sign-in page",
      .should("SameSite limits requests of other pages", "RFC 6265bis, 4.1.2.7")
    ) { trial in
      try await trial.cookies(have: "SameSite", "they do")
    },
    .init(
      topic, "hsts", "The provider wants https always", "reads Strict-Transport-Security",
      .should("Strict-Transport-Security keeps browsers from http", "RFC 6797, 6.1; FAPI 2.0 Security Profile, 5.2.2")
    ) { trial in
      guard Origin(try trial.endpoint("authorization_endpoint"))?.scheme == "https", !trial.provider.isLoopback else {
        return .notUsed("this machine")
      }
      return trial.finding(
        try await trial.signInPage().headers["Strict-Transport-Security"] != nil, "it does",
        "there is no Strict-Transport-Security")
    },
    .init(
      topic, "http", "The token endpoint does not answer over http", "asks the token endpoint over http",
      .must("the endpoint uses TLS", "RFC 6749, 3.2; RFC 9700, 2.6")
    ) { trial in
      let url = try trial.endpoint("token_endpoint")
      guard Origin(url)?.scheme == "https", !trial.provider.isLoopback else { return .notUsed("this machine") }
      do {
        let answer = try await trial.get("http" + url.dropFirst("https".count))
        return trial.finding(
          (300..<400).contains(answer.status) || answer.status >= 400 && answer.json == nil, answer.shown,
          "it answers over http: \(answer.shown)")
      } catch is EndOfProbe { return .kept("nothing answers") }
    },
    .init(
      topic, "error-escaped", "An error page does not repeat a script", "asks as a client with a script in its ID",
      .must("parameters are escaped on pages", "RFC 6749, 10.14; RFC 9700, 4.11")
    ) { trial in
      let mark = "<script>conform</script>"
      let fields: Fields = [
        "client_id": mark, "response_type": "code", "redirect_uri": "https://conform.example/\(mark)", "state": mark,
      ]
      let answer = try await trial.get(
        WebAddress(try trial.endpoint("authorization_endpoint")).appending(fields.encoded))
      return trial.finding(
        answer.mediaType != "text/html" || !answer.text.contains(mark), "it does not",
        "the script is in the page as it is")
    },
    .init(
      topic, "error-status", "An error page has the status of an error", "asks as an unknown client",
      .should("programs see the error by its status", "RFC 9110, 15.5")
    ) { trial in
      let fields: Fields = [
        "client_id": "conform-unknown", "response_type": "code", "redirect_uri": "https://conform.example/callback",
      ]
      let answer = try await trial.get(
        WebAddress(try trial.endpoint("authorization_endpoint")).appending(fields.encoded))
      if let unclear = answer.unclear { return unclear }
      return trial.finding((400..<500).contains(answer.status), "\(answer.status)", "the status is \(answer.status)")
    },
    .init(
      topic, "error-frames", "An error page cannot be put into a frame", "asks as an unknown client",
      .should("error pages are protected like the others", "RFC 9700, 4.16")
    ) { trial in
      let fields: Fields = [
        "client_id": "conform-unknown", "response_type": "code", "redirect_uri": "https://conform.example/callback",
      ]
      let page = try await trial.get(WebAddress(try trial.endpoint("authorization_endpoint")).appending(fields.encoded))
      guard page.mediaType == "text/html" else { return .notUsed("the error is not a page") }
      let policy = page.headers.all("Content-Security-Policy").joined(separator: ";")
      return trial.finding(
        policy.contains("frame-ancestors") || page.headers["X-Frame-Options"] != nil, "it cannot",
        "neither frame-ancestors nor X-Frame-Options")
    },
    .init(
      topic, "long", "A very long parameter is not a server error", "sends a state of 8000 characters",
      .should("a request that is too large gets a status of 4xx", "RFC 9110, 15.5.15 and 15.6")
    ) { trial in
      let fields: Fields = [
        "client_id": "conform-unknown", "response_type": "code", "state": String(repeating: "a", count: 8000),
      ]
      let answer = try await trial.get(
        WebAddress(try trial.endpoint("authorization_endpoint")).appending(fields.encoded))
      return trial.finding(answer.status < 500, "\(answer.status)", "the status is \(answer.status)")
    },
    .init(
      topic, "percent", "A broken percent sign is not a server error", "sends state=%ZZ",
      .should("a malformed request gets a status of 4xx, or its text is taken as it is", "RFC 9110, 15.5.1")
    ) { trial in
      let answer = try await trial.get(
        WebAddress(try trial.endpoint("authorization_endpoint")).appending("client_id=conform-unknown&state=%ZZ"))
      return trial.finding(answer.status < 500, "\(answer.status)", "the status is \(answer.status)")
    },
    .init(
      topic, "methods", "Another method is refused by 4xx", "sends PUT to the authorization endpoint",
      .should("unknown methods get 405", "RFC 9110, 15.5.6")
    ) { trial in
      let answer = try await trial.send(
        HTTPRequest(method: "PUT", url: try trial.endpoint("authorization_endpoint"), body: []))
      return trial.finding(
        (400..<500).contains(answer.status) || answer.status == 501, "\(answer.status)",
        "the status is \(answer.status)")
    },
    .init(
      topic, "trace", "TRACE is refused", "sends TRACE to the token endpoint",
      .should("TRACE would repeat header fields with secrets", "RFC 9110, 9.3.8")
    ) { trial in
      let answer = try await trial.send(HTTPRequest(method: "TRACE", url: try trial.endpoint("token_endpoint")))
      return trial.finding(answer.status >= 400, "\(answer.status)", "the status is \(answer.status)")
    },
  ]
}

extension Answer {
  /// The hosts that an attribute of an element names, apart from the provider's own.
  fileprivate func foreignHosts(_ element: String, _ attribute: String) -> [String] {
    let own = Origin(url)
    let pieces = text.components(after: element).compactMap { piece -> String? in
      let tag = piece.prefix { $0 != ">" }
      guard let start = tag.firstRange(of: attribute)?.upperBound else { return nil }
      return String(tag[start...].prefix { $0 != "\"" })
    }
    return Set(pieces.compactMap(Origin.init).filter { $0.host != own?.host }.map(\.host)).sorted()
  }
}

extension String {
  /// The texts behind each occurrence of a mark.
  fileprivate func components(after mark: String) -> [Substring] {
    ranges(of: mark).map { self[$0.upperBound...].prefix(4096) }
  }
}

extension Trial {
  /// The finding about an attribute of the cookies that the sign-in page sets (RFC 6265, 4.1.2).
  fileprivate func cookies(have attribute: String, _ kept: String) async throws -> Finding {
    let cookies = try await signInPage().headers.all("Set-Cookie")
    guard !cookies.isEmpty else { return .notUsed("no cookies") }
    let open = cookies.filter { cookie in
      let attributes = cookie.split(separator: ";").dropFirst().map { $0.prefix { $0 != "=" } }
      return !attributes.contains { $0.filter { $0 != " " }.lowercased() == attribute.lowercased() }
    }.compactMap { $0.split(separator: "=").first }
    return finding(open.isEmpty, kept, "without \(attribute): \(open.joined(separator: ", "))")
  }
}
