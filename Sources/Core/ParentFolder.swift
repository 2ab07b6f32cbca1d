extension String {
  /// The folder of the file at this path; the current folder for a name without a slash, such as `(command line)`.
  package var parentFolder: String {
    lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
  }
}
