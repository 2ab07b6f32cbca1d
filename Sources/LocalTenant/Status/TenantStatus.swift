import HTTPServer

/// The contents of the tenant's root page: the applications, the users and the latest requests. It has no password,
/// code, token or client secret, so the page may stay open beside a sign-in.
struct TenantStatus {
  static let requestLimit = 50
  static let userLimit = 100
  static let messageLimit = 20

  /// The tenant's address as the browser wrote it.
  let origin: String
  let isSecure: Bool
  let users: [User]
  let userCount: Int
  let taskCount: Int
  /// The messages, newest first. The page does not show their codes.
  let messages: [TenantMessage]
  /// The requests, newest first.
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
      // Requests for this page are left out, so that they do not displace other requests.
      requests: log.newest(TenantStatus.requestLimit) { $0.path != "/" })
    // Pages of other sites must not keep a reference to this page or embed it.
    return Page.status(status).response(headers: [
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ])
  }
}
