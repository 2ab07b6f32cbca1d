import FoundationEssentials
import HostLoop
import JOSE
import Lua
import Secrets

/// A multipart/form-data body (RFC 7578) from the option `multipart`.
@HostActor
struct Multipart {
  private(set) var body: [UInt8] = []
  let contentType: String

  init(_ arguments: Arguments, _ host: ScriptHost) throws {
    // Random, so that no part contains it.
    let boundary = "b2c-run-" + Base64URL.encode(SecureRandom.bytes(18))
    contentType = "multipart/form-data; boundary=\(boundary)"
    for pair in (arguments["multipart"].table?.pairs ?? []).sorted(by: { ($0.key.string ?? "") < ($1.key.string ?? "") }
    ) {
      guard let name = pair.key.string else {
        throw arguments.failure("option 'multipart': expected names, got a \(pair.key.typeName) as key")
      }
      var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\""
      let content: [UInt8]
      let expected = "option 'multipart': \(name): expected a string or { file = PATH }"
      switch pair.value {
      case .table(let part):
        guard let path = part["file"].string else { throw arguments.failure("\(expected), got a table without file") }
        content = try HTTPRequestOptions.read(path, arguments, host)
        let filename = part["filename"].string ?? URL(filePath: path).lastPathComponent
        head +=
          "; filename=\"\(Self.quoted(filename))\"\r\nContent-Type: \(part["type"].string ?? "application/octet-stream")"
      case .bytes(let bytes): content = bytes
      case .integer, .number, .boolean: content = Array(arguments.state.rawText(of: pair.value).utf8)
      default:
        guard let secret = pair.value.asSecret else {
          throw arguments.failure("\(expected), got \(pair.value.typeName)")
        }
        content = Array(secret.reveal().utf8)
      }
      body += Array(head.utf8) + Array("\r\n\r\n".utf8) + content + Array("\r\n".utf8)
    }
    body += Array("--\(boundary)--\r\n".utf8)
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
