import FoundationEssentials

/// Where the stock scripts are: beside an installed binary, or in the project a built one belongs to.
enum ScriptsFolder {
  private static let landmark = "flows/authorization_code.lua"

  static func find() -> String {
    let binary = URL(filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
    var folder = binary.deletingLastPathComponent()
    let installed = folder.deletingLastPathComponent().appending(path: "share/b2c-run/scripts").path
    if isScripts(installed) { return installed }
    while folder.path != "/" && !folder.path.isEmpty {
      let candidate = folder.appending(path: "scripts").path
      if isScripts(candidate) { return candidate }
      folder.deleteLastPathComponent()
    }
    return installed
  }

  private static func isScripts(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(landmark)")
  }
}
