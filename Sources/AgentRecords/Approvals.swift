import Core
import Files
import Glibc
import JSON

/// The requests for approvals and their answers, a file each: a server writes the request, and a person at another terminal or page
/// writes the answer.
package struct Approvals: Sendable {
  /// Seconds. Nobody remembers what an older request was about.
  package static let lifetime = 3600
  private static let mostBytes = 16 << 20

  private let folder: AgentFolder

  package init(_ folder: AgentFolder) { self.folder = folder }

  /// Makes a request known to people.
  package func add(_ request: ApprovalRequest) throws {
    try folder.make()
    try write(request.json, to: path(request.id, "json"))
  }

  /// The requests without an answer, the oldest first.
  package func waiting(now: Int = Int(UnixTime.now.seconds)) throws -> [ApprovalRequest] {
    guard FileSystem.exists(folder.requests) else { return [] }
    try folder.check()
    return try FileSystem.names(in: folder.requests).filter { $0.hasSuffix(".json") }.compactMap { name in
      let id = String(name.dropLast(5))
      guard !FileSystem.exists(path(id, "answer")), let bytes = try? contents(path(id, "json")) else { return nil }
      let request = try ApprovalRequest(JSON(parsing: bytes), id: id)
      return request.created + Self.lifetime > now ? request : nil
    }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
  }

  /// The waiting request that a person names: by the beginning of its digest, or by its ID.
  package func request(named name: String) throws -> ApprovalRequest {
    let all = try waiting()
    let digits = name.hasPrefix("sha256:") ? String(name.dropFirst(7)) : name
    let found = all.filter { $0.id == name || !digits.isEmpty && $0.digest.dropFirst(7).hasPrefix(digits) }
    guard let request = found.first else {
      throw AgentRecordError(
        .noRequest, "no change with the digest '\(name)' waits for an approval", hint: "b2c-run mcp waiting lists them")
    }
    guard found.count == 1 else {
      throw AgentRecordError(
        .noRequest, "\(found.count) changes begin with the digest '\(name)'",
        hint: "give one of these instead: \(found.map(\.id).joined(separator: ", "))")
    }
    return request
  }

  /// Writes the answer. Only the first answer of a request counts.
  package func answer(_ request: ApprovalRequest, _ answer: ApprovalAnswer) throws {
    try folder.check()
    guard FileSystem.exists(path(request.id, "json")) else { throw Self.gone(request) }
    try write(
      [
        "approved": .bool(answer.isApproved), "by": .string(answer.by), "digest": .string(request.digest),
      ], to: path(request.id, "answer"))
  }

  /// The answer of a person; nil without one. An answer to another change is none.
  package func answer(to request: ApprovalRequest) throws -> ApprovalAnswer? {
    let path = path(request.id, "answer")
    guard FileSystem.exists(path) else { return nil }
    try folder.check()
    let json = try JSON(parsing: contents(path))
    guard json["digest"]?.string == request.digest, let isApproved = json["approved"]?.bool else { return nil }
    return ApprovalAnswer(isApproved: isApproved, by: json["by"]?.string ?? "somebody")
  }

  /// Forgets a request and its answer: it was used, or its session has ended.
  package func remove(_ request: ApprovalRequest) {
    for ending in ["json", "answer"] { _ = FileSystem.unlink(path(request.id, ending)) }
  }

  private static func gone(_ request: ApprovalRequest) -> AgentRecordError {
    AgentRecordError(
      .answered, "nobody waits for the approval of \(request.shortDigest) any more",
      hint: "the agent has to ask again")
  }

  private func path(_ id: String, _ ending: String) -> String { "\(folder.requests)/\(id).\(ending)" }

  private func contents(_ path: String) throws(FileFailure) -> [UInt8] {
    try OpenFile(path, Opening(O_RDONLY | O_NOFOLLOW, expecting: .file)).contents(limit: Self.mostBytes)
  }

  /// Writes a new file. A reader sees all of it or nothing.
  private func write(_ json: JSON, to path: String) throws {
    let draft = "\(path).\(getpid()).new"
    let file = try OpenFile(draft, Opening(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    defer { _ = FileSystem.unlink(draft) }
    try file.write(Array(json.encoded().utf8))
    guard FileSystem.link(draft, path) == 0 else {
      let number = errno
      guard number == EEXIST else { throw FileFailure(number: number) }
      throw AgentRecordError(.answered, "the change has an answer already")
    }
  }
}
