extension String {
  /// The folder of the file at this path; the current folder for a name without a slash, such as `(command line)`.
  package var parentFolder: String {
    // By bytes: a mark behind the slash would be one character with it.
    utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
  }

  /// The part behind the last slash: the name of a file in its folder.
  package var lastName: String {
    utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { String(utf8[utf8.index(after: $0)...]) } ?? self
  }
}
