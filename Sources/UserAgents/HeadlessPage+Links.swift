import HostLoop

/// A link of a page, as a script sees it.
package struct PageLink: Sendable, Equatable {
  /// Absolute.
  package let url: String
  package let text: String
  package let id: String?
}

extension HeadlessPage {
  /// Follows the link of that text, address (as written or absolute) or id, in place of submitting a form:
  /// "Forgot your password?", "Sign up now".
  /// - Throws: `no_such_element`, with the nearest one.
  package func follow(_ link: String) throws(UserAgentError) {
    let candidates = links.filter { $0.text == link || $0.url == link || $0.id == link }
    let loose = links.filter { $0.text.lowercased() == link.lowercased() || resolved(link) == $0.url }
    guard let target = candidates.first ?? loose.first else {
      throw missing("link", link, links.map(\.text).filter { !$0.isEmpty })
    }
    leave(for: target.url)
  }
}
