import Core
import Files
import Glibc

/// The folder whose files agents may name. No other file reaches a tool, whatever the name says and wherever its links lead.
struct ToolFolder: Sendable {
  /// The most Lua files and folders.
  private static let most = 2000

  let path: String
  /// The current folder of tools: that of the server, so that the settings at hand are the same.
  let current = String(pathBytes: ResolvedPath.currentFolder)

  /// The real path of a file in the folder.
  func file(_ name: String) throws(ToolError) -> String {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw problem(name, "is not the name of a file") }
    let given = name.hasPrefix("/") ? name : "\(path)/\(name)"
    guard let real = FileSystem.realPath(given) else { throw problem(name, "is not there") }
    guard contains(real) else { throw problem(name, "is outside of the folder of this server") }
    guard FileSystem.kind(of: real) == S_IFREG else { throw problem(name, "is not a file") }
    return real
  }

  /// True for a path in the folder, whether there is a file or not.
  func contains(_ path: String) -> Bool {
    ResolvedPath(path, from: ResolvedPath.currentFolder).isWithin(ResolvedPath(self.path, from: []))
  }

  /// The paths of the Lua files in the folder and the folders in it, in order. Folders behind links are not searched.
  func luaFiles() throws -> [String] {
    var (found, folders): ([String], [String]) = ([], [path])
    while let folder = folders.popLast() {
      for name in try FileSystem.names(in: folder) {
        let file = "\(folder)/\(name)"
        if FileSystem.kind(of: file, followsLink: false) == S_IFDIR {
          folders.append(file)
        } else if name.hasSuffix(".lua"), FileSystem.kind(of: file) == S_IFREG {
          found.append(file)
        }
        guard found.count + folders.count <= Self.most else {
          throw ToolError(
            "usage", "\(path) has more than \(Self.most) scripts and folders", hint: "give agents a smaller folder"
          )
        }
      }
    }
    return found.sorted()
  }

  private func problem(_ name: String, _ text: String) -> ToolError {
    ToolError("no_file", "the file '\(name.displayable.clipped(to: 200))' \(text)", hint: "name a file in \(path)")
  }
}
