import HTTPServer

/// What the tenant's root shows a person: what there is, and what was asked for last. No password, code, token or client
/// secret is in it, and so it may stay open beside a sign-in.
struct TenantStatus {
  static let requestLimit = 50
  static let userLimit = 100
  static let messageLimit = 20

  /// The tenant's address in the browser's own words.
  let origin: String
  let isSecure: Bool
  let users: [User]
  let userCount: Int
  let taskCount: Int
  /// The newest first; what is shown of them leaves the codes out.
  let messages: [TenantMessage]
  /// The newest first.
  let requests: [TenantRequest]
}

extension Engine {
  func status(_ request: ServerRequest, _ origin: String) throws -> ServerResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return Page.wrongMethod(Texts(request), allowed: "GET, HEAD").response(headers: [("Allow", "GET, HEAD")])
    }
    let status = TenantStatus(
      origin: origin, isSecure: isSecure, users: try directory.users(TenantStatus.userLimit),
      userCount: try directory.count(), taskCount: try tasks.count(),
      messages: postOffice.outbox.messages.suffix(TenantStatus.messageLimit).reversed(),
      // Looking at them must not push them out.
      requests: log.newest(TenantStatus.requestLimit) { $0.path != "/" })
    // No other site's page keeps a hold on it, or includes it.
    return Page.status(status).response(headers: [
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ])
  }
}
