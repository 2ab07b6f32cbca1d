package import Files
import Glibc

/// A file of rows that is open to be read, or standard input.
package struct SourceFile: Sendable {
  /// The path as it was given; "-" is standard input.
  let path: String
  /// Nil for standard input.
  let file: OpenFile?

  package static let standardInput = SourceFile(path: "-", file: nil)

  /// - Parameters:
  ///   - path: as it was given, which messages show.
  ///   - opener: opens the file at that path.
  /// - Throws: `ImportError` for a file that cannot be opened, and what else `opener` throws.
  package init(_ path: String, _ opener: (Opening) throws -> OpenFile) throws {
    do { self.init(path: path, file: try opener(.streaming)) } catch let failure as FileFailure {
      throw failure.problem.error(path, line: 1)
    }
  }

  private init(path: String, file: OpenFile?) {
    self.path = path
    self.file = file
  }

  /// As messages call it.
  var name: String { file == nil ? "standard input" : path }
}

extension FileFailure {
  fileprivate var problem: FileProblem {
    number == ENOENT
      ? FileProblem(kind: .fileNotFound, message: "does not exist")
      : FileProblem(kind: .unreadable, message: "cannot be opened: \(reason)")
  }
}
