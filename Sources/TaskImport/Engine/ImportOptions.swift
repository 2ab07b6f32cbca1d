/// How an import goes about it.
package struct ImportOptions: Sendable {
  /// How many requests are under way at a time, at most.
  package var concurrency: Int
  /// How often a row that the server could not take just now (429, 503, unreachable) is sent again while no other row
  /// gets through either.
  package var retries: Int
  /// The wait before the first of these, in seconds; each further one is up to twice as long, and never longer than
  /// `longestDelay`. `Retry-After` goes before.
  package var firstDelay: Double
  package var longestDelay: Double
  /// Whether the server takes requests with one `Idempotency-Key` for one. Only then is a row sent again whose request
  /// got no answer.
  package var honorsIdempotencyKey: Bool
  /// Seconds that requests under way get to finish when the import is canceled.
  package var drain: Double

  package init(
    concurrency: Int = 16, retries: Int = 5, firstDelay: Double = 0.25, longestDelay: Double = 10,
    honorsIdempotencyKey: Bool = false, drain: Double = 5
  ) {
    self.concurrency = max(1, concurrency)
    self.retries = max(0, retries)
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.honorsIdempotencyKey = honorsIdempotencyKey
    self.drain = drain
  }
}
