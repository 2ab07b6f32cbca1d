import HTTPServer

/// A form that a client sends to an endpoint directly, not through a browser: to the endpoints for tokens (RFC 6749
/// §3.2), revocation (RFC 7009 §2.1) and device codes (RFC 8628 §3.1).
struct ClientRequest {
  let form: Parameters
  /// The client, authenticated if it has a secret.
  let client: Application

  /// - Parameter endpoint: the name of the endpoint in errors: `token endpoint`.
  init(_ request: ServerRequest, to endpoint: String) throws(ProtocolError) {
    guard request.method == "POST" else {
      throw ProtocolError("invalid_request", nil, "The \(endpoint) takes POST, not \(request.method).", status: 405)
    }
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw ProtocolError(
        "invalid_request", nil,
        "The request's Content-Type must be application/x-www-form-urlencoded, not \(request.mediaType ?? "absent").")
    }
    form = Parameters(request.form)
    try form.checkRepetitions()
    client = try ClientAuthentication.client(request, form)
  }
}
