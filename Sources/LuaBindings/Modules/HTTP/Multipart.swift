import Core
import HTTPClient
import HostLoop
import Lua
import Permissions

/// A multipart/form-data body (RFC 7578) from the option `multipart`.
@HostActor
struct Multipart {
  let body: [UInt8]
  let contentType: String

  init(_ arguments: Arguments, _ permissions: Permissions) throws {
    let form = MultipartForm()
    contentType = form.contentType
    var parts: [MultipartForm.Part] = []
    let meter = WorkMeter(arguments.state)
    for pair in (arguments["multipart"].table?.pairs ?? []).sorted(by: { ($0.key.string ?? "") < ($1.key.string ?? "") }
    ) {
      guard let name = pair.key.string else {
        throw arguments.failure(option: "multipart", "expected names, got a \(pair.key.typeName) as key")
      }
      let expected = "option 'multipart': \(name): expected a string or { file = PATH }"
      switch pair.value {
      case .table(let part):
        guard let path = part["file"].string else { throw arguments.failure("\(expected), got a table without file") }
        let type = part["type"].string ?? "application/octet-stream"
        try meter.count(1 << 10)
        guard type.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7f }) else {
          throw arguments.failure(option: "multipart", "\(name): expected a media type as 'type', such as text/csv")
        }
        parts.append(
          .init(
            name, try permissions.body(path, arguments),
            filename: part["filename"].string ?? path.split(separator: "/").last.map(String.init) ?? "", type: type))
      case .bytes(let bytes):
        // The part, and the body with all parts.
        try meter.count(2 * bytes.count)
        parts.append(.init(name, bytes))
      case .integer, .number, .boolean: parts.append(.init(name, arguments.state.rawText(of: pair.value)))
      default:
        guard let secret = pair.value.asSecret else {
          throw arguments.failure("\(expected), got \(pair.value.typeName)")
        }
        parts.append(.init(name, secret.reveal()))
      }
    }
    body = form.encode(parts)
  }
}
