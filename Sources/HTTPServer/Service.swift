/// What all connections of a server share.
final class Service: Sendable {
  let handler: @Sendable (ServerRequest) -> ServerResponse
  let bodyLimit: Int
  let suspensions = Suspensions()

  init(bodyLimit: Int, handler: @escaping @Sendable (ServerRequest) -> ServerResponse) {
    self.bodyLimit = bodyLimit
    self.handler = handler
  }
}
