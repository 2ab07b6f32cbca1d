import Core
import Files
import HTTPServer
import Lua
import LuaBindings

/// The addresses of `serve`.
struct ServeOptions {
  /// The address of the pages and the API.
  var listen: String?
  /// The address of the webhooks.
  var hooks: String?
  var certificate: String?
  var key: String?
  var isBehindProxy = false

  static let flags: [Flag] = [
    Flag("--listen ADDRESS", "show the jobs on pages at ADDRESS of this machine, such as 8080", \.serve.listen),
    Flag("--hooks ADDRESS", "receive webhooks at ADDRESS, such as 127.0.0.1:9000", \.serve.hooks),
    Flag("--certificate FILE", "the certificate of --hooks, in PEM, with its chain", \.serve.certificate),
    Flag("--key FILE", "the private key of the certificate, in PEM", \.serve.key),
    Flag("--behind-proxy", "a proxy in front of --hooks has the TLS", \.serve.isBehindProxy),
  ]

  /// The listener of the pages; nil if there are none.
  func pages(_ sockets: [String: Int32]) throws -> Listener? {
    if let socket = sockets["dashboard"] { return .descriptor(socket, nil) }
    guard let listen else { return nil }
    let address = try Self.address(listen, "--listen")
    guard address.isLoopback else {
      throw UsageError(
        "--listen: \(address) is an address for other machines, and the pages have no sign-in",
        hint: "listen on 127.0.0.1, and reach it by a tunnel, ssh -L, or a proxy that asks who it is")
    }
    return .loopback(address)
  }

  /// The listener of the webhooks; nil if there are none.
  func receiver(_ sockets: [String: Int32]) throws -> Listener? {
    let identity = try identity()
    if let socket = sockets["hooks"] { return .descriptor(socket, identity) }
    guard let hooks else {
      guard identity == nil, !isBehindProxy else {
        throw UsageError("--certificate and --behind-proxy belong to --hooks", hint: "add --hooks ADDRESS")
      }
      return nil
    }
    let address = try Self.address(hooks, "--hooks")
    if let identity { return .secure(address, identity) }
    if isBehindProxy { return .behindProxy(address) }
    guard address.isLoopback else {
      throw UsageError(
        "--hooks: \(address) is an address for other machines, which needs TLS",
        hint: "add --certificate and --key, or --behind-proxy if a proxy has the TLS")
    }
    return .loopback(address)
  }

  private static func address(_ text: String, _ option: String) throws -> ListenAddress {
    do { return try ListenAddress(parsing: text) } catch {
      throw UsageError("\(option): \(error.message)", hint: error.hint)
    }
  }

  private func identity() throws -> TLSIdentity? {
    guard let certificate, let key else {
      guard certificate == nil, key == nil else {
        throw UsageError(
          certificate == nil ? "--key needs --certificate" : "--certificate needs --key", hint: "give both files")
      }
      return nil
    }
    func read(_ path: String, _ option: String, _ mark: String) throws -> String {
      let bytes: [UInt8]
      do { bytes = try FileSystem.contents(of: path, limit: 1 << 20) } catch {
        throw UsageError("\(option): cannot read \(path): \(error.reason)")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.contains(mark) else {
        throw UsageError("\(option): \(path) is no PEM file: there is no '\(mark)' in it")
      }
      return text
    }
    return TLSIdentity(
      certificate: try read(certificate, "--certificate", "BEGIN CERTIFICATE"),
      key: try read(key, "--key", "PRIVATE KEY"))
  }
}
