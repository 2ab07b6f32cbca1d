import CommandLine
import Core
import Files
import HTTPServer

/// Who may use the pages of `serve`.
struct ServeSignIn: Sendable {
  /// The settings of the pages' own application.
  var settings: String?
  /// The subjects that may use the pages.
  var subjects: [String] = []
}

/// The addresses of `serve`, and their certificate.
struct ServeListeners: Sendable {
  /// The address of the pages and the API.
  var pages: String?
  /// The address of the webhooks.
  var hooks: String?
  var certificate: String?
  var key: String?
  var isBehindProxy = false

  /// The place of a listener: an address, or a socket of systemd.
  private enum Place {
    case address(ListenAddress)
    case socket(Int32, ListenAddress?)

    /// Nil for a socket with a path, whose file says who may connect.
    var address: ListenAddress? {
      switch self {
      case .address(let address): address
      case .socket(_, let address): address
      }
    }

    var isOfThisMachine: Bool { address?.isLoopback ?? true }
  }

  /// The listener of the pages; nil if there are none.
  /// - Parameter isSecure: true if browsers reach the pages by https; nil without a sign-in.
  func pageListener(_ sockets: [String: Int32], isSecure: Bool?) throws -> Listener? {
    guard let place = try place("--listen", pages, sockets["dashboard"]) else {
      guard isSecure == nil else {
        throw UsageError("--sign-in belongs to the pages", hint: "add --listen ADDRESS")
      }
      return nil
    }
    if !place.isOfThisMachine, isSecure == nil {
      throw UsageError(
        "--listen: \(name(of: place)) is an address for other machines, where people have to sign in",
        hint: "add --sign-in FILE and --allow-subject SUBJECT, or listen on 127.0.0.1 and use a tunnel, ssh -L")
    }
    if !place.isOfThisMachine, isSecure == false {
      throw UsageError(
        "--listen: \(name(of: place)) is an address for other machines, and the redirect URI is not",
        hint: "set redirectURL in the file of --sign-in to an address of the pages that begins with https")
    }
    // With webhooks, the certificate is theirs: the pages of this machine need none.
    let hasHooks = hooks != nil || sockets["hooks"] != nil
    let usesTLS = isSecure ?? !hasHooks
    guard usesTLS || hasHooks || !hasCertificate else {
      throw UsageError(
        "--certificate and --key: the redirect URI of --sign-in begins with http, so that nothing uses them",
        hint: "set redirectURL in the file of --sign-in to an address of the pages that begins with https")
    }
    return try listener(place, "--listen", usesTLS: usesTLS)
  }

  /// The listener of the webhooks; nil if there are none.
  func hookListener(_ sockets: [String: Int32]) throws -> Listener? {
    guard let place = try place("--hooks", hooks, sockets["hooks"]) else {
      let isOfPages = pages != nil || sockets["dashboard"] != nil
      guard isOfPages || !hasCertificate && !isBehindProxy else {
        throw UsageError(
          "--certificate, --key and --behind-proxy belong to an address",
          hint: "add --hooks ADDRESS or --listen ADDRESS")
      }
      return nil
    }
    return try listener(place, "--hooks", usesTLS: true)
  }

  private var hasCertificate: Bool { certificate != nil || key != nil }

  private func place(_ option: String, _ text: String?, _ socket: Int32?) throws -> Place? {
    if let socket { return .socket(socket, ListenAddress(of: socket)) }
    return try text.map { .address(try Self.address($0, option)) }
  }

  private func listener(_ place: Place, _ option: String, usesTLS: Bool) throws -> Listener {
    let identity = usesTLS ? try identity() : nil
    guard identity != nil || isBehindProxy || place.isOfThisMachine else {
      throw UsageError(
        "\(option): \(name(of: place)) is an address for other machines, which needs TLS",
        hint: "add --certificate and --key, or --behind-proxy if a proxy has the TLS")
    }
    switch place {
    case .socket(let socket, _): return .descriptor(socket, identity)
    case .address(let address):
      if let identity { return .secure(address, identity) }
      return isBehindProxy ? .behindProxy(address) : .loopback(address)
    }
  }

  private func name(of place: Place) -> String { place.address.map { "\($0)" } ?? "the socket" }

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
      do {
        let most = 1 << 20
        bytes =
          try option == "--key"
          ? PrivateFile.contents(of: path, limit: most) : FileSystem.contents(of: path, limit: most)
      } catch {
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
