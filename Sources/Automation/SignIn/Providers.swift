import Accounts
package import Core
package import HTTPClient
package import HostLoop
import JSON
package import OAuth
package import Settings

/// The identity providers of a run, one for each set of settings, so that metadata and keys are fetched once.
@HostActor
package final class Providers {
  private struct Key: Hashable {
    let values: JSON
    let clientSecret: Secret?
    let isOfAccount: Bool

    init(_ settings: Settings, isOfAccount: Bool) {
      self.isOfAccount = isOfAccount
      values = .object(Dictionary(uniqueKeysWithValues: settings.names.map { ($0, settings[$0] ?? .null) }))
      clientSecret = settings.clientSecret
    }
  }

  private let session: SessionContext
  private var providers: [Key: Provider] = [:]
  /// Has the keys and certificates of the settings.
  weak var accounts: RunAccounts?
  /// The nonces for proofs that servers have given to any of the providers' clients, and to requests of accounts.
  package let nonces = ProofNonces()

  /// The link to the provider of the run's settings, in place of the usual one; only `b2c-run experiment` sets it.
  package var link: ProviderLink?

  init(_ session: SessionContext) { self.session = session }

  /// The provider of a set of settings. Only the client of the run's provider, or of an account's, may connect to the
  /// origins that the metadata names. `isOfAccount` is true if an account signed in with the settings: a
  /// person allowed that then, so that the account's own client may go on to connect there.
  package func provider(for settings: Settings, isOfAccount: Bool = false) -> Provider {
    let key = Key(settings, isOfAccount: isOfAccount)
    if let provider = providers[key] { return provider }
    // A profile forbids some requests, and leads to no other provider.
    let isOfRun =
      (try? session.settings()).map { Key($0.withoutProfile, isOfAccount: isOfAccount) }
      == Key(settings.withoutProfile, isOfAccount: isOfAccount)
    let known = isOfAccount ? Locked(settings.origins) : isOfRun ? Locked([]) : nil
    let provider = Provider(
      settings: settings, http: known.map { session.client($0) } ?? session.http, nonces: nonces)
    // Scripts decide what the local tenant's documents say (tenant.fault).
    let ownTenant = session.tenant.flatMap { Origin($0.url) }
    let events = session.events
    provider.onMetadata = { metadata, url in
      events.emit(RunEvent.parties(metadata.origins, settings))
      guard let known, let origin = Origin(url), origin != ownTenant else { return }
      known.withLock { $0.formUnion(metadata.origins) }
    }
    provider.credentials.loadCertificate = { [weak self] in
      guard let accounts = self?.accounts else { throw AccountError.runEnded }
      return try await accounts.clientCertificate($0, $1)
    }
    provider.credentials.loadKey = { [weak self] in
      guard let accounts = self?.accounts else { throw AccountError.runEnded }
      return try await accounts.clientKey($0)
    }
    var remarks: Set<String> = []
    provider.onRemark = { [console = session.console] remark, address in
      guard address == nil || address.flatMap({ Origin($0) }) != ownTenant, remarks.insert(remark).inserted else {
        return
      }
      console.log(.warn, remark)
    }
    if let link, isOfRunProvider(settings) { provider.link = link }
    events.emit(RunEvent.parties(settings.origins, settings))
    providers[key] = provider
    return provider
  }

  /// True if the settings lead to no other server than the settings of the run.
  private func isOfRunProvider(_ settings: Settings) -> Bool {
    (try? session.settings()).map { settings.origins.isSubset(of: $0.origins) } ?? false
  }
}

extension Settings {
  fileprivate var withoutProfile: Settings {
    profile == nil ? self : (try? with([SettingsKey.profile.rawValue: .null])) ?? self
  }

  /// The origins of all addresses in these settings.
  package var origins: Set<Origin> {
    let services = serviceNames.compactMap { options(ofService: $0)?["url"]?.string.flatMap { Origin($0) } }
    return Set(SettingsKey.endpoints.compactMap { self[$0.rawValue]?.string.flatMap { Origin($0) } } + services)
  }
}

extension RunEvent {
  /// The parties that settings, or a metadata document found by them, name.
  package static func parties(_ origins: Set<Origin>, _ settings: Settings) -> RunEvent {
    let tasks = try? settings.taskAPI
    let api = tasks.flatMap { Origin($0) }
    // The task API is the provider's own only if the settings say so.
    let isShared = SettingsKey.endpoints.contains { key in
      key != .taskAPI && settings[key.rawValue]?.string.flatMap { Origin($0) } == api
    }
    return .parties(
      authority: Set((isShared ? origins : origins.filter { $0 != api }).map(\.description)),
      tasks: tasks.map { address in
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        return base + (settings.tasksPath.hasPrefix("/") ? "" : "/") + settings.tasksPath
      })
  }
}
