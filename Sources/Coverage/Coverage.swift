import Core
import Files
package import HostLoop
package import Lua

/// The lines and branches of files that have run, in one or more Lua states.
@HostActor
package final class Coverage {
  /// A file that has run, with its code and its counts.
  package struct File: Sendable {
    package let path: String
    package let source: [UInt8]
    package let code: CompiledCode
    package var counts = LineCounts()

    /// The lines with code, and how often each has run.
    package var lines: [(line: Int, count: Int)] { code.lines.sorted().map { ($0, counts.lines[$0] ?? 0) } }

    /// The branches between lines, with the lines that each leads to; true for those that it has led to.
    package var branches: [(line: Int, targets: [(line: Int, isTaken: Bool)])] {
      code.functions.flatMap(\.branches).sorted { $0.line < $1.line }.map { branch in
        (branch.line, branch.targets.map { ($0, counts.ways.contains(LineCounts.Way(from: branch.line, to: $0))) })
      }
    }

    package var coveredLines: Int { lines.count { $0.count > 0 } }
  }

  private var found: [String: File] = [:]
  /// Files that are left out, such as those of tests.
  private let leavesOut: @Sendable (String) -> Bool

  package init(leavingOut leavesOut: @escaping @Sendable (String) -> Bool) { self.leavesOut = leavesOut }

  /// The files in the order of their paths.
  package var files: [File] { found.values.sorted { $0.path < $1.path } }

  /// Adds what a state has counted. Chunks that are not files are left out.
  /// - Parameter paths: the paths of the chunks whose names are not paths.
  package func add(_ state: LuaState, paths: [String: String]) {
    guard let watch = Watch.of(state) else { return }
    for name in watch.countedFiles {
      let path = paths[name] ?? name
      guard !leavesOut(path), var file = found[path] ?? read(path, in: state) else { continue }
      file.counts.merge(watch.counts(of: name, file.code))
      found[path] = file
    }
  }

  /// Nil for a chunk that has the name of no file.
  private func read(_ path: String, in state: LuaState) -> File? {
    guard let source = try? FileSystem.contents(of: path) else { return nil }
    // A first line for the shell becomes an empty one.
    let text = source.first == UInt8(ascii: "#") ? Array(source.drop { $0 != UInt8(ascii: "\n") }) : source
    guard let code = (try? state.load(text, name: path.lastName))?.compiledCode else { return nil }
    return File(path: path, source: source, code: code)
  }
}
