import Core
import Files

/// The files whose paths a person typed behind a command that ships with the host, and those that such a command makes beside
/// one of them: the plans of both sides of a sync, and what became of them.
struct TypedFiles: Sendable {
  private var paths: Set<ResolvedPath> = []

  private static let endingsOfPlans = [".a.json", ".b.json", ".a.html", ".b.html", ".undo.csv"].map { Array($0.utf8) }
  /// A plan of `monday.json` is `monday.a.json`, and one of `home.sync` is `home.sync.a.json`.
  private static let endingsOfNames = ["", ".json", ".html"].map { Array($0.utf8) }

  mutating func insert(_ path: ResolvedPath) { paths.insert(path) }

  func contains(_ path: ResolvedPath) -> Bool {
    if paths.contains(path) { return true }
    guard !paths.isEmpty,
      let ending = Self.endingsOfPlans.first(where: { path.bytes.suffix($0.count).elementsEqual($0) })
    else {
      return false
    }
    let stem = path.bytes.dropLast(ending.count)
    return paths.contains { typed in
      Self.endingsOfNames.contains {
        typed.bytes.count == stem.count + $0.count && typed.bytes.elementsEqual(stem + $0)
      }
    }
  }
}
