package import FilePatterns
package import JSON
package import JobNotices
import Permissions

/// The permissions that a job needs: those that the header of its script names, and those to look for the files of its
/// declaration.
package enum JobNeeds {
  /// The most permissions of a job, and the most bytes of one.
  static let most = 100
  static let longest = 4096

  /// The permissions for the files of a declaration that the header does not name, as flags, each with the patterns that it
  /// is for. Nobody looks at files.
  /// - Parameters:
  ///   - header: the flags of the header.
  ///   - base: the folder where relative paths begin.
  package static func missing(
    in header: [String], for patterns: [FilePattern], _ notices: [Notice], from base: [UInt8]
  ) -> [(flag: String, reason: String)] {
    var named = header
    var missing: [(flag: String, reason: String)] = []
    for pattern in patterns {
      if let index = missing.firstIndex(where: { $0.flag == pattern.need }) {
        missing[index].reason += ", \(pattern.text)"
      } else if !Grants(flags: named).mentionsReading(pattern.place, from: base) {
        missing.append((pattern.need, "the files that start the job: \(pattern.text)"))
        named.append(pattern.need)
      }
    }
    for notice in notices where !named.contains(notice.need) {
      missing.append((notice.need, "the notices about the runs of the job"))
      named.append(notice.need)
    }
    return missing
  }

  /// All permissions of a job, as flags.
  package static func all(in header: [String], _ declaration: JSON?, from base: [UInt8]) -> [String] {
    let notices = declaration?["notify"].map { $0.array ?? [$0] }?.compactMap { try? Notice($0) } ?? []
    return header
      + missing(in: header, for: JobDeclaration.filePatterns(in: declaration), notices, from: base).map(\.flag)
  }

  /// The problem with the permissions that a header names; nil if there is none.
  package static func problem(_ flags: [String]) -> String? {
    if flags.count > most { return "the script names \(flags.count) permissions, more than \(most)" }
    let count = flags.map(\.utf8.count).max() ?? 0
    return count > longest ? "the script names a permission of \(count) bytes, more than \(longest)" : nil
  }
}

extension JobDeclaration {
  /// The patterns of files in the table that a script gave to `b2c.job`.
  package static func filePatterns(in declaration: JSON?) -> [FilePattern] {
    let entries = declaration?["on"].map { $0.array ?? [$0] } ?? []
    return entries.compactMap { entry in entry["files"]?.string.flatMap { try? FilePattern($0) } }
  }
}
