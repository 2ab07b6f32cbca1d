import HTTPClient

extension HTTPResponse {
  /// True if the answer says that a quota of requests is spent, so that `Retry-After` is about all requests: by
  /// `RateLimit-Remaining` and its older spellings, or by `r=0` in `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
  var saysThatAQuotaIsSpent: Bool {
    guard status == 429 || status == 503 else { return false }
    let names = ["RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining"]
    if names.contains(where: { headers[$0].map { Int($0.filter { $0 != " " }) == 0 } ?? false }) { return true }
    let parameters = (headers["RateLimit"] ?? "").split { $0 == ";" || $0 == "," }
    return parameters.contains { ["r=0", "remaining=0"].contains($0.filter { $0 != " " }.lowercased()) }
  }
}
