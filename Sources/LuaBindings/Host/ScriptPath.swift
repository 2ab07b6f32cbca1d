/// The path a script was run by, which may be no file: `(command line)`.
enum ScriptPath {
  /// The folder it is in; the current one for what is no file.
  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }
}
