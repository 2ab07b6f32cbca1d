/// The rules for the URIs of a registration (RFC 7591 §5; RFC 8252 §7, §8.4).
enum RegisteredURI {
  /// The reason why the tenant does not redirect to the URI; nil if it does.
  static func problem(ofRedirect text: String) -> String? {
    guard StrictURI.isWellFormed(text) else { return "is not an absolute URL without a fragment" }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "https", "http": return problem(ofPage: text)
    case "urn": return Application.outOfBand.contains(text) ? nil : "is not a redirect URI that the tenant knows"
    default:
      // A scheme of an application is made of a domain name, so that no other application has it.
      return scheme.contains(".") || scheme.wholeMatch(of: #/msal[0-9a-f-]{36}/#) != nil
        ? nil : "has the scheme \(scheme), which belongs to no application; a scheme such as com.example.app does"
    }
  }

  /// The reason why a browser is not sent to the page; nil if it is.
  static func problem(ofPage text: String) -> String? {
    guard StrictURI.isWellFormed(text), let separator = text.firstRange(of: "://") else {
      return "is not an absolute URL"
    }
    let scheme = text[..<separator.lowerBound].lowercased()
    if LoopbackURI(text) != nil { return nil }
    guard scheme == "https" else {
      return scheme == "http" ? "is http, which only loopback addresses may be" : "is not an https URL"
    }
    let authority = text[separator.upperBound...].prefix { !"/?".contains($0) }
    return authority.isEmpty || authority.contains { "@*".contains($0) }
      ? "has no host, a user name or a wildcard" : nil
  }
}
