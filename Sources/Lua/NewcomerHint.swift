/// Hints for habits of other languages.
enum NewcomerHint {
  private static let operators = "Lua writes ~= and not, where other languages write != and !"
  private static let waiting =
    "Lua has no await: a call that waits returns its result; b2c.async.all { … } runs several functions at the same time"

  /// The hint for an error of the compiler or of a script; nil for another error.
  static func text(forError message: String) -> String? {
    if message.hasSuffix("near '!'") { return operators }
    return message.hasSuffix("(global 'await')") ? waiting : nil
  }
}
