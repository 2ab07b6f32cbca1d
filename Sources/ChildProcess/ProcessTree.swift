import CLinuxShims
import Core
import Files
package import Glibc

/// The descendants of a child process: also those in other sessions and groups, and those whose parents have ended.
package struct ProcessTree: Sendable {
  /// The variable that all of them inherit.
  package static let variable = "B2C_RUN_PROGRAM"

  private let mark: [UInt8]

  /// Makes this process the parent of descendants that lose theirs.
  /// - Parameter mark: the value of the variable, which no other tree has.
  package init(mark: String) {
    self.mark = Array("\(Self.variable)=\(mark)".utf8)
    _ = cprocess_adopt_orphans()
  }

  /// Ends all processes of the tree but its first one.
  /// - Parameters:
  ///   - root: the first process, which the caller ends and reaps.
  ///   - others: the first processes of other trees.
  /// - Returns: true if there was nothing left to end.
  package func kill(under root: pid_t, others: Set<pid_t>) -> Bool {
    let parents = Self.parents()
    let own = getpid()
    func isInTree(_ process: pid_t) -> Bool {
      var (process, steps) = (process, 0)
      while let parent = parents[process], steps < 10_000 {
        if parent == root { return true }
        // An orphan: its variable tells whose it is, unless it has removed the variable. Then it belongs to the last tree.
        if parent == own {
          return process != root && !others.contains(process)
            && (hasMark(process) || others.isEmpty && !Self.isMarked(process))
        }
        (process, steps) = (parent, steps + 1)
      }
      return false
    }
    let members = parents.keys.filter(isInTree)
    for process in members {
      Glibc.kill(process, SIGKILL)
      // A child of this process keeps its number until here.
      if parents[process] == own { waitpid(process, nil, WNOHANG) }
    }
    return members.isEmpty
  }

  private func hasMark(_ process: pid_t) -> Bool { Self.environment(of: process).contains { $0.elementsEqual(mark) } }

  private static func isMarked(_ process: pid_t) -> Bool {
    environment(of: process).contains { $0.starts(with: Array("\(variable)=".utf8)) }
  }

  private static func environment(of process: pid_t) -> [ArraySlice<UInt8>] {
    let bytes = (try? FileSystem.contents(of: "/proc/\(process)/environ", limit: 8 << 20)) ?? []
    return bytes.split(separator: 0)
  }

  /// The parent of each process that this one sees.
  private static func parents() -> [pid_t: pid_t] {
    var parents: [pid_t: pid_t] = [:]
    for name in (try? FileSystem.names(in: "/proc")) ?? [] {
      guard let process = pid_t(name), let bytes = try? FileSystem.contents(of: "/proc/\(name)/stat", limit: 1 << 16),
        // The name, in parentheses, may contain any characters.
        let end = bytes.lastIndex(of: UInt8(ascii: ")"))
      else { continue }
      let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " "))
      if fields.count > 1 { parents[process] = pid_t(String(decoding: fields[1], as: UTF8.self)) }
    }
    return parents
  }
}
