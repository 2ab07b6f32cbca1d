import Core
import Coverage
import HostLoop
import Lua
import ScriptHost

extension ScriptHost {
  /// Counts the lines of the script from now on, if somebody wants them.
  func beginCoverage() throws {
    if watching.coverage != nil { try Watch.countLines(of: state) }
  }

  /// The same for the lines of a test file and of what it loads.
  func beginCoverage(into coverage: Coverage?) throws {
    guard let coverage else { return }
    watching.coverage = { state, paths in coverage.add(state, paths: paths) }
    try beginCoverage()
  }

  /// Hands the counts over, before the state is closed.
  func endCoverage(of path: String) { watching.coverage?(state, [path.lastName: path]) }
}
