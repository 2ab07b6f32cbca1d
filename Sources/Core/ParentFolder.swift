extension String {
  /// The folder that the file at this path is in; the current one for what is no path, such as `(command line)`.
  package var parentFolder: String {
    lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
  }
}
