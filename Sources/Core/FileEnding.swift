extension String {
  /// The ending of a path's last part in lower case, without the dot, such as `html`; empty if there is no dot.
  package var fileEnding: String {
    let name = utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    return name.lastIndex(of: UInt8(ascii: ".")).map { String(name[name.index(after: $0)...])?.lowercased() ?? "" }
      ?? ""
  }

  /// True for a path with the ending of an HTML page.
  package var isPagePath: Bool { ["html", "htm"].contains(fileEnding) }
}
