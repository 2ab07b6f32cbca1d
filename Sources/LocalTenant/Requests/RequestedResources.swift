import JSON

/// The APIs that a request names by the parameter `resource` (RFC 8707 §2), besides those of its scopes.
struct RequestedResources {
  let uris: [String]

  /// The name of the task API in scopes, without the slash at the end.
  static let taskAPI = String(Contoso.taskScopePrefix.dropLast())

  /// - Parameter scope: its scopes may be of the task API only, because that is the only API with a name; nil for all its
  ///   roles.
  /// - Throws: `invalid_target`.
  init(_ uris: [String], _ scope: Scope?, origin: String) throws(ProtocolError) {
    for uri in uris {
      guard StrictURI.isWellFormed(uri) else {
        throw Self.refused("The resource '\(uri)' is not an absolute URI without a fragment.")
      }
      let known = Self.known(origin)
      guard known.contains(uri) || uri == origin + Self.mcpPath else {
        throw Self.refused("The resource '\(uri)' is unknown here. Known are '\(known.joined(separator: "' and '"))'.")
      }
    }
    if let scope, let other = scope.resource, other != Contoso.tasksAPI, let uri = uris.first {
      throw Self.refused("The scope '\(scope.text)' is for '\(other)', and not for the resource '\(uri)'.")
    }
    self.uris = uris
  }

  /// The resources of a token: those of its request, which may not exceed the grant, else all of the grant.
  /// - Throws: `invalid_target`.
  init(
    _ form: Parameters, of grant: GrantStore.Grant, _ scope: Scope, origin: String
  ) throws(ProtocolError) {
    let asked = try RequestedResources(form.resources, scope, origin: origin).uris
    // The scopes of a grant without resources are for the task API, too.
    let isGranted = grant.resources.isEmpty && scope.resource == Contoso.tasksAPI
    if !isGranted, let uri = asked.first(where: { !grant.resources.contains($0) }) {
      throw Self.refused("The resource '\(uri)' was not granted at the sign-in.")
    }
    uris = asked.isEmpty ? grant.resources : asked
  }

  /// The names of the task API: the one in its scopes, and its address.
  static func known(_ origin: String) -> [String] { [taskAPI, origin + path] }
  private static let (path, mcpPath) = ("/api/tasks", "/mcp")

  /// True if `aud` of a token that the tenant has signed names the task API.
  static func isTaskAPI(_ audience: String) -> Bool {
    [Contoso.tasksAPI, taskAPI].contains(audience) || audience.hasSuffix(path) || audience.hasSuffix(mcpPath)
  }

  /// `aud` of an access token; nil if the request named no resource.
  var audience: JSON? {
    switch uris.count {
    case 0: nil
    case 1: .string(uris[0])
    default: .array(uris.map { .string($0) })
    }
  }

  private static func refused(_ reason: String) -> ProtocolError { ProtocolError("invalid_target", reason) }
}
