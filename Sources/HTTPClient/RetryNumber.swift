/// How often what is being done was tried before, for those who record it.
package enum RetryNumber {
  /// Nil where nobody counts.
  @TaskLocal package static var current: Int?
}
