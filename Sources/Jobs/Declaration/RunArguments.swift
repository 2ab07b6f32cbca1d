/// The bounds of the arguments of a script. The system takes no more of them (execve(2)).
enum RunArguments {
  static let most = 1000
  /// In bytes of UTF-8.
  static let longest = 16 << 10
  private static let mostBytes = 256 << 10

  /// The problem with a list of arguments; nil if there is none.
  static func problem(_ arguments: [String]) -> String? {
    if arguments.count > most { return "a run has at most \(most) arguments, got \(arguments.count)" }
    if let text = arguments.first(where: { $0.utf8.count > longest }) {
      return "an argument has at most \(longest) bytes, got one of \(text.utf8.count)"
    }
    if arguments.contains(where: { $0.utf8.contains(0) }) { return "an argument contains a NUL character" }
    let bytes = arguments.reduce(0) { $0 + $1.utf8.count }
    return bytes > mostBytes ? "the arguments of a run have at most \(mostBytes) bytes, got \(bytes)" : nil
  }
}
