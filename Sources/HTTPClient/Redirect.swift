/// The rules of redirects (RFC 9110, 15.4).
enum Redirect {
  static let maximum = 10

  static func request(after response: HTTPResponse, to request: HTTPRequest) throws(HTTPError) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else {
      return nil
    }
    guard let url = resolve(reference: location, against: request.url), let origin = Origin(url),
      let oldOrigin = Origin(request.url)
    else {
      throw HTTPError(
        .invalidURL,
        "\(request.target) redirects to \(HTTPError.shown(location)), which is not an http or https address",
        mayHaveBeenReceived: true)
    }
    var next = request
    next.url = url
    // Everyone turns a POST into a GET after 301 and 302, and 303 asks for it.
    let becomesGet = response.status == 303 || (response.status < 303 && request.method == "POST")
    if becomesGet, request.method != "HEAD" {
      next.method = "GET"
      next.body = nil
      for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Expect"] {
        next.headers[name] = nil
      }
    }
    if origin != oldOrigin {
      if oldOrigin.scheme == "https", origin.scheme == "http" {
        let carried = request.headers["Authorization"] != nil ? "token" : next.body != nil ? "body" : nil
        if let carried {
          throw HTTPError(
            .insecureRedirect,
            "\(request.target) redirects from https to \(origin), where a request with a \(carried) does not follow",
            mayHaveBeenReceived: true)
        }
      }
      for name in ["Authorization", "Cookie", "DPoP", "Proxy-Authorization"] { next.headers[name] = nil }
      next.certificate = nil
    }
    return next
  }
}
