import Automation
import CommandLine
import Commands
import Core
import DatabaseAddress
import Databases
import Files
import Glibc
import HTTPClient
import JSON
import LuaKit
import Permissions
import Settings

extension Invocation {
  /// Has the kernel hold a run of a script in which nobody is asked for permissions. It is called before a second thread
  /// starts, because Landlock holds threads. The stock scripts are the program's own, and use the files that a person typed.
  mutating func holdByKernel() throws(UsageError) {
    guard !options.asksForPermissions, !options.session.grants.needsNoSandbox, let folder = folderOfScript else {
      return
    }
    keepTemporaryFilesApart()
    do { _ = try sandbox(folder).hold() } catch {
      throw UsageError("--no-prompt: the kernel refuses to hold the run: \(error.reason)")
    }
    #if DEBUG
      // For tests: a mistake in all checks. The kernel is the only door then.
      if getenv("B2C_RUN_OPEN_DOOR") != nil { options.session.grants = .everything }
    #endif
  }

  /// The folder for temporary files of all users stays closed. The program's own are below its state.
  private func keepTemporaryFilesApart() {
    guard let state = UserFolder.state.path(Self.variable) else { return }
    let folder = "\(state)/tmp"
    guard (try? PrivateFolder.make(folder)) != nil else { return }
    for name in ["TMPDIR", "SQLITE_TMPDIR"] { setenv(name, folder, 1) }
  }

  private var folderOfScript: String? {
    switch subject {
    case .chunk, .script("-"): "."
    case .script(let name) where FileSystem.kind(of: name) == S_IFREG: GivenFiles.folder(ofScript: name)
    default: nil
    }
  }

  private func sandbox(_ folder: String) -> KernelSandbox {
    var sandbox = KernelSandbox()
    sandbox.readable = Self.systemFiles + ownFiles + [folder]
    // The script itself may be a link to elsewhere.
    if case .script(let name) = subject, let real = FileSystem.realPath(name) { sandbox.readable.append(real) }
    sandbox.writable =
      ["/dev/null", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/full"]
      + [Self.variable(RunOptions.tlsKeysVariable)].compactMap(\.self)
    // A folder that is not there would open the one above it.
    let own = [UserFolder.state.path(Self.variable), usesData ? UserFolder.data.path(Self.variable) : nil]
    for path in own + [options.session.storeFolder, options.session.importsFolder] {
      if let path, (try? PrivateFolder.make(path)) != nil { sandbox.writable.append(path) }
    }
    sandbox.readable += [UserFolder.config, .data].compactMap { $0.path(Self.variable) }
    // SQLite and new files need the folder.
    for path in [options.session.localTenant?.data, options.trace?.path].compactMap(\.self) {
      sandbox.writable.append(path.parentFolder)
    }
    openPorts(&sandbox)
    openDatabase(&sandbox)
    options.session.grants.open(&sandbox)
    return sandbox
  }

  /// The local tenant keeps its certificate among the user's data.
  private var usesData: Bool { options.session.localTenant != nil && options.tenant.usesTLS }

  /// Libraries, certificates, time zones, name service, and the facts of the own process.
  private static let systemFiles = [
    "/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc", "/opt", "/proc", "/dev/urandom", "/dev/random",
    "/dev/zero",
    "/sys/devices/system/cpu", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/run/nscd",
    "/var/lib/ca-certificates", "/var/lib/dbus/machine-id",
  ]

  /// The files of the program, and those that the options name.
  private var ownFiles: [String] {
    var files = [
      ProgramFolder.scripts, ProgramFolder.documentation,
      FileSystem.realPath("/proc/self/exe")?.parentFolder ?? "/usr/bin",
    ]
    files += [
      options.session.settings.file ?? Settings.fileAtHand, options.session.caFile,
      options.tenant.clientAuthorities,
    ]
    .compactMap(\.self)
    files += options.session.settings.secretFiles + options.configuration.plugins.allFolders
    files += options.configuration.plugins.files.map { FileSystem.isFolder($0.path) ? $0.path : $0.path.parentFolder }
    files += [ServiceCredentials.folder].compactMap(\.self)
    files += ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "TZDIR", "B2C_RUN_CLOCK"].compactMap(Self.variable)
    files += Self.variable("SSL_CERT_DIR")?.split(separator: ":").map(String.init) ?? []
    return files
  }

  /// The ports of the web, of the settings and of proxies. The port of a tenant in this process is not known yet.
  private func openPorts(_ sandbox: inout KernelSandbox) {
    guard options.session.localTenant == nil else {
      sandbox.ports = nil
      return
    }
    sandbox.ports = [53, 80, 443]
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
      guard let proxy = Self.variable(name) else { continue }
      sandbox.ports?.insert(Origin(proxy.contains("://") ? proxy : "http://\(proxy)")?.port ?? 1080)
    }
    // Wrong settings are reported by whoever needs them.
    guard
      let settings = try? Settings.load(
        file: options.session.settings.file,
        overrides: options.session.settings.overrides.map { ($0.key, $0.value) })
    else { return }
    sandbox.ports?.formUnion(settings.origins.map(\.port))
    for name in ["clientKey", "clientCertificate", "clientCertificateKey"] {
      if let path = settings[name]?.string { sandbox.readable.append(path) }
    }
  }

  /// The ports of the database, and the files that libpq reads.
  private func openDatabase(_ sandbox: inout KernelSandbox) {
    // A wrong address is reported by whoever needs the store.
    guard let text = try? options.session.storePlace(), PostgresAddress.isOne(text),
      let address = try? PostgresAddress(text)
    else { return }
    sandbox.ports?.formUnion(address.ports)
    sandbox.readable += address.files
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(path: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
