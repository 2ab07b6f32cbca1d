package import HTTPClient
package import HostLoop
package import Permissions
package import Settings

/// The parts that scripts and `serve` share: settings, HTTP client, providers, account store, console and events. Everything below it
/// holds its `SessionContext`, and nothing refers back to it.
@HostActor
package final class Session {
  let context: SessionContext
  package let accounts: RunAccounts
  package let providers: Providers

  package init(_ configuration: Configuration, console: Console, tenant: (any RunTenant)?) {
    context = SessionContext(configuration, console: console, tenant: tenant)
    providers = Providers(context)
    accounts = RunAccounts(context, providers)
  }

  package var configuration: Configuration { context.configuration }
  /// The events of this run.
  package var events: Events { context.events }
  package var console: Console { context.console }
  /// The permissions that the command line grants. Others are denied, unless a `ScriptRun` asks the person.
  package var permissions: Permissions { context.permissions }
  /// The local tenant of this run, if there is one.
  package var tenant: (any RunTenant)? { context.tenant }
  /// The client of all requests but those of providers.
  package var http: HTTPClient { context.http }
  /// The settings of this run, read once.
  package func settings() throws -> Settings { try context.settings() }
  /// Makes the next call of `settings` read them again, because the local tenant has become another provider.
  package func forgetSettings() { context.forgetSettings() }
}
