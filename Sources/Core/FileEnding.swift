extension String {
  /// What stands behind the last dot of a path's last part, in lower case, such as `html`; empty where there is no dot.
  package var fileEnding: String {
    let name = split(separator: "/" as Character).last ?? ""
    return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// Whether a path says by its ending that it is a page.
  package var isPagePath: Bool { ["html", "htm"].contains(fileEnding) }
}
