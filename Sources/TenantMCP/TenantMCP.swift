import HTTPServer
import JSON
package import LocalTenant
import MCP
import Synchronization

/// The local tenant as an MCP server at `/mcp` and as its authorization server. It stands between the clients and the tenant: the
/// tenant signs users in and keeps their tasks.
package final class TenantMCP: Sendable {
  private struct State {
    let endpoint: MCPEndpoint
    let tools: TaskTools
    /// The tenant keeps this object.
    weak var tenant: LocalTenant?
  }

  private let state = Mutex<State?>(nil)
  private let documents: ClientDocuments
  /// The address of the tenant without its host.
  private let place: Resource.Place

  /// Puts itself between the clients and the tenant that the configuration makes.
  /// - Parameter allowsPrivate: true if client ID metadata documents may come from private addresses.
  package init(in configuration: inout TenantConfiguration, allowsPrivate: Bool = false) {
    documents = ClientDocuments(allowsPrivate: allowsPrivate)
    place = Resource.Place(
      scheme: configuration.tls == nil ? "http" : "https",
      issuerPath: "/contoso.onmicrosoft.com" + (configuration.kind == .b2c ? "/b2c_1_susi/v2.0" : "/v2.0"))
    configuration.between = { [self] request, tenant in answer(request, tenant) }
  }

  /// Answers from now on, in front of the tenant.
  package func begin(before tenant: LocalTenant) {
    let port = tenant.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    let tools = TaskTools()
    let server = MCPServer(
      MCPImplementation(name: "local-tenant", version: "1"), instructions: "The tasks of the user who has signed in.",
      tools: tools.all)
    state.withLock { $0 = State(endpoint: MCPEndpoint(server, port: port), tools: tools, tenant: tenant) }
  }

  private func answer(
    _ request: ServerRequest, _ tenant: @escaping @Sendable (ServerRequest) -> ServerResponse
  ) -> ServerResponse {
    guard let state = state.withLock(\.self) else { return tenant(request) }
    let (endpoint, tools) = (state.endpoint, state.tools)
    let origin = "\(place.scheme)://\(request.header("Host") ?? "")"
    guard let address = Address(request) else {
      if let json = documents.hosted(request.path, at: origin) {
        return ServerResponse(text: json.encoded(), type: "application/json")
      }
      return Resource(request, place, tenant).refusal()
        ?? documents.answer(request, at: origin, state.tenant, tenant)
        ?? Resource.takingDocuments(tenant(request), request)
    }
    if let refusal = endpoint.refusal(of: request) { return refusal }
    // Faults happen in the tenant, which has no answer at these addresses.
    let usual = tenant(request)
    guard usual.status == 404 else { return usual }
    let resource = Resource(request, place, tenant)
    switch address {
    case .resourceMetadata: return resource.metadata()
    case .serverMetadata(let path): return resource.serverMetadata(at: path)
    case .server:
      switch resource.admission() {
      case .refused(let response): return response
      case .admitted(let user):
        tools.remember(user, request, tenant)
        return endpoint.response(to: request, principal: user)
      }
    }
  }

  private enum Address {
    case server
    case resourceMetadata
    /// The path of the issuer.
    case serverMetadata(String)

    init?(_ request: ServerRequest) {
      let known = "/.well-known/"
      switch request.path {
      case Resource.path: self = .server
      case "\(known)oauth-protected-resource\(Resource.path)", "\(known)oauth-protected-resource":
        self = .resourceMetadata
      default:
        let starts = ["oauth-authorization-server/", "openid-configuration/"].map { known + $0 }
        guard let start = starts.first(where: request.path.hasPrefix) else { return nil }
        self = .serverMetadata(String(request.path.dropFirst(start.count - 1)))
      }
    }
  }
}
