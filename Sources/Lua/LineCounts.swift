import CLuaShims
import HostLoop

/// How often the lines of a chunk have run, and which of its branches were taken.
package struct LineCounts: Sendable {
  package var lines: [Int: Int] = [:]
  /// The ways of branches that were taken: the line of the branch and the line that it led to.
  package var ways: Set<Way> = []

  package struct Way: Hashable, Sendable {
    package let from: Int
    package let to: Int

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  package init() {}

  package mutating func merge(_ other: LineCounts) {
    lines.merge(other.lines, uniquingKeysWith: +)
    ways.formUnion(other.ways)
  }
}

extension Watch {
  /// Counts the lines that a state runs from now on. Throws without memory.
  package static func countLines(of state: LuaState) throws(LuaError) {
    guard state.watching.watch == nil else { return }
    let made = Watch(state)
    state.watching.watch = made
    guard made.count() else { throw LuaError.outOfMemory }
  }

  /// The counts of a state whose lines are counted.
  package static func of(_ state: LuaState) -> Watch? { state.watching.watch }

  /// The names of the files whose lines were counted, as Lua has them.
  package var countedFiles: [String] {
    guard let cover = content.pointee.cover else { return [] }
    return (0..<luas_coveredsources(cover)).compactMap { index in
      let name = String(cString: luas_coveredname(cover, index))
      return name.hasPrefix("@") && name != "@\(LuaState.hostChunk)" ? String(name.dropFirst()) : nil
    }
  }

  /// The counts of all chunks of this name, for the lines and branches of its code.
  package func counts(of file: String, _ code: CompiledCode) -> LineCounts {
    var counts = LineCounts()
    guard let cover = content.pointee.cover else { return counts }
    for index in 0..<luas_coveredsources(cover) where String(cString: luas_coveredname(cover, index)) == "@\(file)" {
      for line in code.lines {
        counts.lines[line, default: 0] += Int(luas_coveredcount(cover, index, Int32(truncatingIfNeeded: line)))
      }
      for branch in code.functions.flatMap(\.branches) {
        for target in branch.targets
        where luas_hasway(cover, index, Int32(truncatingIfNeeded: branch.line), Int32(truncatingIfNeeded: target)) {
          counts.ways.insert(LineCounts.Way(from: branch.line, to: target))
        }
      }
    }
    return counts
  }
}
