import Core
import Files

/// Folders that are installed beside the program, or lie in the project that a built program belongs to.
package enum ProgramFolder {
  /// The folder of the stock scripts.
  package static let scripts = find(
    installed: "share/b2c-run/scripts", "scripts", holding: "flows/authorization_code.lua")
  /// The folder of the documentation.
  package static let documentation = find(
    installed: "share/doc/b2c-run", "Sources/b2c-run/Documentation.docc", holding: "Concepts.md")

  /// The folder of the examples.
  package static let examples = find(installed: "share/doc/b2c-run/examples", "examples", holding: "quickstart.lua")

  private static func find(installed: String, _ place: String, holding landmark: String) -> String {
    let link = FileSystem.target(ofLink: "/proc/self/exe").map { String(pathBytes: $0) } ?? ""
    var folder = link.parentFolder
    let installed = "\(folder.parentFolder)/\(installed)"
    if FileSystem.exists("\(installed)/\(landmark)") { return installed }
    while folder.count > 1 {
      if FileSystem.exists("\(folder)/\(place)/\(landmark)") { return "\(folder)/\(place)" }
      folder = folder.parentFolder
    }
    return installed
  }
}
