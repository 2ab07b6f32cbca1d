import Core
import Files
import Glibc

/// The Lua files that a command was given.
package enum GivenFiles {
  /// The files of `paths`, each once: a file is taken as it is; of a folder those whose names end in `suffix`, and those
  /// of the folders in it, in the order of the alphabet. Hidden files are left out.
  /// - Throws: `usage` for a path that is not there.
  package static func find(_ paths: [String], endingIn suffix: String, for command: String) throws(NoSuchPath)
    -> [String]
  {
    var files: [String] = []
    for path in paths {
      guard let kind = FileSystem.kind(of: path) else {
        throw NoSuchPath(
          message: "\(command): there is no file or folder '\(path)'", hint: didYouMean(path, among: beside(path)))
      }
      files += kind == S_IFDIR ? inside(path, suffix) : [path]
    }
    var known = Set<FilePath>()
    return files.filter { known.insert(FilePath($0)).inserted }
  }

  /// The Lua files in the folder in which the file at `path` would be, as paths like it.
  package static func beside(_ path: String) -> [String] {
    let prefix = String(path.dropLast(path.lastName.count))
    let names = (try? FileSystem.names(in: prefix.isEmpty ? "." : prefix)) ?? []
    return names.filter { $0.hasSuffix(".lua") }.sorted().map { prefix + $0 }
  }

  private static func inside(_ folder: String, _ suffix: String) -> [String] {
    let names = ((try? FileSystem.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
    let path = { (name: String) in folder == "." ? name : "\(folder.hasSuffix("/") ? folder : "\(folder)/")\(name)" }
    let kinds = names.sorted().map { name in
      // Links to folders are not followed: they may lead back.
      (path: path(name), isFolder: FileSystem.kind(of: path(name), followsLink: false) == S_IFDIR)
    }
    return kinds.filter { !$0.isFolder && $0.path.hasSuffix(suffix) && FileSystem.isReadable($0.path) }.map(\.path)
      + kinds.filter(\.isFolder).flatMap { inside($0.path, suffix) }
  }

  /// The folder where a script finds its modules: that of the real file if the script is a link to another folder. The script
  /// may read the files in this folder, and not those beside the link.
  package static func folder(ofScript path: String) -> String {
    let folder = path.parentFolder
    guard let real = FileSystem.realPath(path)?.parentFolder, !FileSystem.areOne(folder, real) else { return folder }
    return real
  }

  /// Blanks a first line that starts with `#`, so that the numbers of the others stay, and drops byte order marks.
  package static func withoutInterpreterLine(_ source: [UInt8]) -> [UInt8] {
    var source = source[...]
    while source.starts(with: [0xef, 0xbb, 0xbf]) { source = source.dropFirst(3) }
    return Array(source.first == UInt8(ascii: "#") ? source.drop { $0 != UInt8(ascii: "\n") } : source)
  }

  /// A path that is not there.
  package struct NoSuchPath: Failure {
    package let message: String
    package let hint: String?
    package var code: String { "usage" }
  }
}
