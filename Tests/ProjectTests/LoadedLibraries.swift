import CommandLineSupport
import Foundation
import Testing

/// The libraries that the program loads on use, from its sources and from its runs.
enum LoadedLibraries {
  /// The names of the files that the shims name: `libcurl.so.4`.
  static func declared() throws -> Set<String> {
    var names: Set<String> = []
    for folder in try FileManager.default.contentsOfDirectory(atPath: sources.path)
    where folder.wholeMatch(of: #/C[A-Za-z0-9]+Shims/#) != nil {
      let path = sources.appending(path: folder)
      for file in try FileManager.default.contentsOfDirectory(atPath: path.path) where file.hasSuffix(".c") {
        let text = try String(contentsOf: path.appending(path: file), encoding: .utf8)
        for line in text.matches(of: #/(?m)^#define LAZY_FILES (.+)$/#) {
          names.formUnion(line.1.matches(of: #/"([^"]+)"/#).map { String($0.1) })
        }
      }
    }
    return names
  }

  /// The packages that messages name, such as `libcurl4`.
  static func packagesInMessages() throws -> Set<String> {
    var names: Set<String> = []
    for case let name as String in try #require(FileManager.default.enumerator(atPath: sources.path))
    where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
      names.formUnion(text.matches(of: #/LazyLibrary\("[^"]+", package: "([^"]+)"/#).map { String($0.1) })
    }
    return names
  }

  /// The package of a library of the system, by the name of its file; nil for a library that is not installed.
  static func package(of file: String, _ program: Program) throws -> String? {
    let cache = try program.run(list: ["-p"], executable: URL(filePath: "/sbin/ldconfig")).output
    guard let entry = cache.split(separator: "\n").first(where: { $0.contains("\t\(file) ") }),
      let path = entry.split(separator: " ").last.map(String.init)
    else { return nil }
    let real = URL(filePath: path).resolvingSymlinksInPath().path
    // dpkg may know a file below /usr by its old place in /lib.
    let places = [real, real.replacing(#/^\/usr/#, with: "")]
    return try program.run(list: ["--search"] + places, executable: URL(filePath: "/usr/bin/dpkg")).output
      .split(separator: ":").first.map(String.init)
  }

  /// The environment in which the dynamic linker tells what the program loads.
  static func watch(_ program: Program) -> [String: String] {
    ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": program.folder.appending(path: "ld").path]
  }

  /// The files that the watched runs opened: `byProgram` has those that were not in memory yet and that the program itself
  /// opened, and `all` has those that another library may have loaded before or opened.
  static func loaded(_ program: Program) throws -> (byProgram: Set<String>, all: Set<String>) {
    var names: (byProgram: Set<String>, all: Set<String>) = ([], [])
    for file in try FileManager.default.contentsOfDirectory(atPath: program.folder.path) where file.hasPrefix("ld.") {
      let text = try String(contentsOf: program.folder.appending(path: file), encoding: .utf8)
      for line in text.matches(of: #/file=(\S+) \[0\];  dynamically loaded by (\S+) \[0\]/#)
      where line.2.hasSuffix("/b2c-run") { names.byProgram.insert(String(line.1)) }
      for line in text.matches(of: #/opening file=\S*\/(\S+) \[0\]; direct_opencount=/#) {
        names.all.insert(String(line.1))
      }
    }
    return names
  }

  private static let sources = Program.project.appending(path: "Sources")
}
