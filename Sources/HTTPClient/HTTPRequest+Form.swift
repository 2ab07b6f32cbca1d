extension HTTPRequest {
  /// A POST of form fields, `application/x-www-form-urlencoded`.
  package static func form(url: String, fields: [(String, String)], headers: HTTPHeaders = [:]) -> HTTPRequest {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return HTTPRequest(method: "POST", url: url, headers: headers, body: Array(URLEncodedForm.encode(fields).utf8))
  }
}
