/// Something that is not the same in two traces.
struct Difference: Equatable {
  /// Where: `browser → authority GET authorize`, `[id token #1]`.
  var place: String
  /// What: `query code_challenge_method`, `claim tfp`.
  var name: String
  /// Nil where it is missing.
  var first: String?
  var second: String?
}
