/// The state that all connections of a server share.
final class Service: Sendable {
  let handler: @Sendable (ServerRequest) -> ServerResponse
  let bodyLimit: Int
  let suspensions = Suspensions()
  let connections: Connections

  init(bodyLimit: Int, requestTime: Double, handler: @escaping @Sendable (ServerRequest) -> ServerResponse) {
    self.bodyLimit = bodyLimit
    connections = Connections(requestTime: requestTime)
    self.handler = handler
  }
}
