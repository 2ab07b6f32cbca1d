import Core
import Files
import Glibc
package import HostLoop
import JSON
package import Jobs

/// The folder with the scripts of jobs: `jobs/NAME.lua`. Tests and folders in it are no jobs.
@HostActor
package final class JobFolder {
  package nonisolated let path: String
  private let launcher: ScriptLauncher
  /// Reads the needs of a script: the flags of its header.
  private let needs: @Sendable ([UInt8]) -> [String]
  /// The last definitions, by the names of the jobs.
  private var known: [String: JobDefinition] = [:]
  private let digest: @Sendable ([UInt8]) -> String

  package init(
    _ path: String, launcher: ScriptLauncher, digest: @escaping @Sendable ([UInt8]) -> String,
    needs: @escaping @Sendable ([UInt8]) -> [String]
  ) {
    self.path = path
    self.launcher = launcher
    self.digest = digest
    self.needs = needs
  }

  /// The names of the jobs, sorted by their bytes: the order of names that are equal in the eyes of Unicode is the same each time.
  package nonisolated static func names(in path: String) throws(JobError) -> [String] {
    do {
      return try FileSystem.names(in: path).filter {
        $0.hasSuffix(".lua") && !$0.hasSuffix("_test.lua") && !$0.hasPrefix(".")
          && FileSystem.isReadable("\(path)/\($0)")
      }.map { String($0.dropLast(4)) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    } catch {
      throw JobError(
        "no_folder", "cannot read the folder \(path): \(error.reason)",
        hint: error.number == ENOENT ? "b2c-run new --job NAME writes a first job into the folder jobs" : nil)
    }
  }

  /// The digests of the scripts as they are now, by the names of the jobs.
  package func digests() throws(JobError) -> [String: String] {
    var digests: [String: String] = [:]
    for name in try Self.names(in: path) {
      // One that cannot be read is none. Several files of one job all count.
      digests[name, default: ""] +=
        (try? FileSystem.contents(of: "\(path)/\(name).lua", limit: 16 << 20)).map(digest) ?? ""
    }
    return digests
  }

  /// The trouble of each name that several files have.
  ///
  /// A job is known by its name, and strings are equal that Unicode calls canonically equivalent, such as the two spellings of `é`.
  package nonisolated static func clashes(among names: [String]) -> [String: String] {
    var files: [String: [String]] = [:]
    for name in names { files[name, default: []].append("\(name).lua".withEscapes) }
    return files.filter { $0.value.count > 1 }.mapValues { files in
      "the names of the files \(files.joined(separator: " and ")) differ only in the spelling of their characters: rename "
        + "\(files.count == 2 ? "one of them" : "all but one")"
    }
  }

  /// Reads the definitions of all jobs. The declaration of a script that has not changed is not read again.
  /// - Parameter progress: gets the number of jobs that are known, and that of all.
  package func definitions(
    progress: @escaping @HostActor (Int, Int) -> Void = { _, _ in }
  ) async throws -> [JobDefinition] {
    let files = try Self.names(in: path)
    let clashes = Self.clashes(among: files)
    let reading = Reading(files.filter { clashes[$0] == nil })
    for (name, trouble) in clashes {
      reading.found[name] = JobDefinition(
        name: name, path: "\(path)/\(name).lua", digest: "", declaration: nil, trouble: trouble)
    }
    var seen: Set<String> = []
    let names = files.filter { seen.insert($0).inserted }
    let readers = (0..<min(Self.width, names.count)).map { _ in
      HostActor.task {
        let process = DeclarationProcess(self.launcher)
        defer { process.end() }
        while let name = reading.rest.popFirst(), !Task.isCancelled {
          reading.found[name] = try await self.definition(of: name, by: process)
          progress(reading.found.count, names.count)
        }
      }
    }
    try await withTaskCancellationHandler {
      for reader in readers { try await reader.value }
    } onCancel: {
      for reader in readers { reader.cancel() }
    }
    try Task.checkCancellation()
    known = reading.found
    return names.compactMap { reading.found[$0] }
  }

  /// The jobs whose definitions are still to be read, and those that have been.
  @HostActor
  private final class Reading {
    var rest: ArraySlice<String>
    var found: [String: JobDefinition] = [:]

    init(_ names: [String]) { rest = names[...] }
  }

  /// The processes that read declarations at once.
  private static let width = 4

  private func definition(of name: String, by process: DeclarationProcess) async throws -> JobDefinition {
    let file = "\(path)/\(name).lua"
    do throws(FileFailure) {
      let source = try FileSystem.contents(of: file, limit: 16 << 20)
      let digest = digest(source)
      if let known = known[name], known.digest == digest, known.trouble == nil, !known.hasHolidays { return known }
      let header = needs(source)
      var definition = JobDefinition(name: name, path: file, digest: digest, declaration: nil, needs: header)
      if let problem = JobNeeds.problem(header) {
        (definition.needs, definition.trouble) = ([], problem)
        return definition
      }
      do { definition.declaration = try await process.declaration(of: file) } catch let error as JobError {
        definition.trouble = error.description
      } catch is CancellationError { return definition } catch { definition.trouble = "\(error)" }
      definition.needs = JobNeeds.all(in: header, definition.declaration, from: Array(path.parentFolder.utf8))
      return definition
    } catch {
      return JobDefinition(
        name: name, path: file, digest: "", declaration: nil, trouble: "cannot read \(file): \(error.reason)")
    }
  }
}

extension JobDefinition {
  /// True if the declaration has days that come from another file, which may have changed.
  fileprivate var hasHolidays: Bool {
    let events = declaration?["on"].map { $0.array ?? [$0] } ?? []
    return events.contains { $0[JobDeclaration.exceptKey] != nil }
  }
}

extension String {
  /// The text with each character outside of ASCII as its number, in the way of Lua: two spellings of a character look alike.
  fileprivate var withEscapes: String {
    unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
  }
}
