import HTTPServer
import JSON

/// `…/register`: registration of applications, which is open to everybody (RFC 7591), and its management (RFC 7592).
struct RegistrationEndpoint {
  let clients: ClientRegistry

  func answer(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    do {
      guard let id = request.query.first(where: { $0.0 == "client_id" })?.1 else {
        return try register(request, address)
      }
      return try manage(id, request, address)
    } catch let error as ProtocolError {
      return refusal(error.status, error.error, error.text)
    } catch let error as TenantError { return refusal(400, error.code, error.message) }
  }

  private func register(_ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    guard request.method == "POST" else {
      throw ProtocolError("invalid_request", "The registration endpoint takes POST.", status: 405)
    }
    return document(201, try clients.add(body(request)), address)
  }

  private func manage(_ id: String, _ request: ServerRequest, _ address: PolicyAddress) throws -> ServerResponse {
    let header = request.header("Authorization") ?? ""
    let token = header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst(7)) : ""
    // An unknown application and a wrong token are the same error (RFC 7592 §2).
    guard let application = clients.application(id),
      let expected = application.metadata["registration_access_token"]?.string, token == expected
    else { throw ProtocolError("invalid_token", "The registration access token is not valid.", status: 401) }
    switch request.method {
    case "GET": return document(200, application, address)
    case "PUT":
      let metadata = try body(request)
      guard metadata["client_id"]?.string == application.id,
        metadata["client_secret"] == nil || metadata["client_secret"]?.string == application.secret
      else {
        throw ProtocolError("invalid_client_metadata", "The request must have the client_id and secret as they are.")
      }
      return document(200, try clients.replace(application, with: metadata), address)
    case "DELETE":
      try clients.remove(application)
      return ServerResponse(status: 204, headers: ServerResponse.notStored)
    default: throw ProtocolError("invalid_request", "A registration takes GET, PUT and DELETE.", status: 405)
    }
  }

  private func body(_ request: ServerRequest) throws -> JSON {
    guard request.mediaType == "application/json", let json = try? JSON(parsing: request.body, maximumDepth: 16),
      json.object != nil
    else { throw ProtocolError("invalid_client_metadata", "The request must be a JSON object (application/json).") }
    return json
  }

  private func document(_ status: Int, _ application: Application, _ address: PolicyAddress) -> ServerResponse {
    var members = application.metadata.object ?? [:]
    let url = address.url(.register)
    members["registration_client_uri"] = .string("\(url)\(url.contains("?") ? "&" : "?")client_id=\(application.id)")
    return .json(status, .object(members), headers: ServerResponse.notStored)
  }

  private func refusal(_ status: Int, _ error: String, _ text: String) -> ServerResponse {
    var headers = ServerResponse.notStored
    if status == 401 { headers.append(("WWW-Authenticate", "Bearer error=\"\(error)\"")) }
    return .json(status, ["error": .string(error), "error_description": .string(text)], headers: headers)
  }
}
