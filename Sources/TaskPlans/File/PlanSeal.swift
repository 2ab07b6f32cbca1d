import Core
import JSON

/// The last two lines of a plan's file, which show that it is complete and unchanged.
struct PlanSeal {
  /// So many bytes tell another file from a plan, and hold the last two lines.
  private static let most = 4 << 10

  let digest: String
  let counts: [PlannedRow.Action: Int]

  /// Reads the whole file once.
  init(_ bytes: PlanBytes, name: String) throws(PlanError) {
    let length: Int
    (counts, digest, length) = try Self.end(bytes, name)
    guard PlanFormat.name(try bytes.digest(besides: length)) == digest else {
      throw .changed(name, "its digest does not fit")
    }
  }

  /// Reads the last two lines alone.
  static func counts(_ bytes: PlanBytes, name: String) throws(PlanError) -> [PlannedRow.Action: Int] {
    try end(bytes, name).counts
  }

  /// The length is that of the line with the digest.
  private static func end(
    _ bytes: PlanBytes, _ name: String
  ) throws(PlanError) -> (counts: [PlannedRow.Action: Int], digest: String, length: Int) {
    let ends = try bytes.ends(most)
    let (first, last) = (String(decoding: ends.first, as: UTF8.self), String(decoding: ends.last, as: UTF8.self))
    try checkStart(first, name)
    guard let found = last.firstMatch(of: #/\n"counts": (\{.*\}),\n("digest": "(sha256:[0-9a-f]{64})"\}\n?)$/#) else {
      throw problem(ofEnd: last, name)
    }
    return (counts(String(found.1)), String(found.3), found.2.utf8.count)
  }

  /// Finds out about another file, a newer format and another layout.
  private static func checkStart(_ text: String, _ name: String) throws(PlanError) {
    if text.hasPrefix(PlanFormat.start) { return }
    if !text.isEmpty, PlanFormat.start.hasPrefix(text) { throw .cutOff(name) }
    guard text.contains(#/^\x{FEFF}?\s*\{/#), let found = text.firstMatch(of: #/"b2c_run_plan"\s*:\s*([0-9]{1,9})\b/#),
      let version = Int(found.1), version > 0
    else { throw .notAPlan(name) }
    if version > PlanFormat.version {
      let reader = text.firstMatch(of: #/"read_by"\s*:\s*"([0-9.]{1,20})"/#)
      throw .tooNew(name, format: String(version), readBy: reader.map { String($0.1) })
    }
    throw .changed(name, "another program has written its JSON anew")
  }

  /// The error of a file without a digest in its last line: it was cut off, or changed.
  private static func problem(ofEnd text: String, _ name: String) -> PlanError {
    let end = PlanFormat.end([UInt8](repeating: 0, count: 32))
    let last = text.split(separator: "\n", omittingEmptySubsequences: false).suffix(2)
    let isAsLong = last.last == "" && last.first.map { $0.utf8.count + 1 == end.utf8.count } ?? false
    let hasDigest = text.contains(#/"digest": "sha256:[0-9a-f]{64}"\}/#)
    return isAsLong || hasDigest ? .changed(name, "its last line is not as it was written") : .cutOff(name)
  }

  private static func counts(_ text: String) -> [PlannedRow.Action: Int] {
    let members = (try? JSON(parsing: text))?.object ?? [:]
    return members.reduce(into: [:]) { counts, member in
      if let action = PlannedRow.Action(rawValue: member.key) { counts[action] = PlanMembers.number(member.value) }
    }
  }
}
