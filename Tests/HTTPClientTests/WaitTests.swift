import HTTPClient
import Testing

/// The forms in which servers say how long to wait.
@Suite struct WaitTests {
  private static let now = "Sun, 06 Nov 1994 08:49:00 GMT"

  @Test(
    arguments: [
      (["Retry-After": "30"], 30), (["Retry-After": "0.5"], 0.5), (["Retry-After": "-3"], 0),
      (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], 37), (["Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"], 37),
      (["Retry-After": "Sun Nov  6 08:49:37 1994"], 37), (["Retry-After": "Sun, 06 Nov 1994 08:48:00 GMT"], 0),
      (["Retry-After": "soon"], nil), (["Retry-After": "nan"], nil), (["Retry-After": "1e999"], 31 * 86400),
      (["x-ms-retry-after-ms": "1500"], 1.5), (["Retry-After": "2", "retry-after-ms": "1500"], 2),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111760"], 784_111_760 - 784_111_740),
      (["X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "1"], nil),
      (["RateLimit-Remaining": "0", "RateLimit-Reset": "9"], 9),
      (["RateLimit": "\"default\";r=0;t=5"], 5), (["RateLimit": "limit=10, remaining=0, reset=6"], 6),
      (["RateLimit": "\"default\";r=2;t=5"], nil), ([:], nil),
    ] as [([String: String], Double?)])
  func forms(fields: [String: String], seconds: Double?) {
    var headers = HTTPHeaders(fields.map { ($0, $1) })
    headers["Date"] = Self.now
    #expect(HTTPResponse(status: 429, headers: headers).retryAfter == seconds, "\(fields)")
  }

  /// A quota that is spent says nothing about a response that has done its work.
  @Test func onlyAFailureIsAboutAQuota() {
    let headers: HTTPHeaders = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"]
    #expect(HTTPResponse(status: 403, headers: headers).retryAfter == 60)
    #expect(HTTPResponse(status: 200, headers: headers).retryAfter == nil)
  }
}
