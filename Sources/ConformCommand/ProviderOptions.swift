import Automation
import CommandLine
import Conform
import ConformProvider
import Core
import HTTPClient
import HostLoop
import JOSE
import LocalTenant
import Settings

/// The options of `conform provider`.
struct ProviderOptions: Sendable {
  var isPassive = false
  var registers = false
  var isActive = false
  var mayLock = false
  var rate: Double?
  var username: String?
  var passwordSecret: String?
  var party: String?
  var profileFile: String?

  static let flags: [Flag<ConformCommand>] = [
    Flag("--passive", "only read what everybody may read", with: ["provider"], \.provider.isPassive),
    Flag(
      "--active", "sign in with mistakes, or send them to an API, without asking first",
      with: ["provider", "api", "mcp"],
      \.provider.isActive),
    Flag(
      "--may-lock", "also the checks after which a provider may lock the user or the application", with: ["provider"],
      \.provider.mayLock),
    Flag("--rate N", "send at most N requests a second (5 if not given; no limit on this machine)", with: ["provider"])
    {
      guard let rate = $1.flatMap(Double.init), rate > 0, rate <= 1000 else {
        throw UsageError("--rate: expected a number from 0.1 to 1000, got '\($1 ?? "")'")
      }
      $0.provider.rate = rate
    },
    Flag(
      "--register", "register the clients of the run at the provider, and remove them at the end", with: ["provider"],
      \.provider.registers),
    Flag("--username NAME", "the user of the sign-ins", with: ["provider"], \.provider.username),
    Flag(
      "--password-secret NAME", "take the password from the secret NAME of b2c-run secrets, and ask nothing",
      with: ["provider"], \.provider.passwordSecret),
    Flag(
      "--as PROFILE", "with the habits of this real client, such as authlib: a profile of scripts/profiles, or a file",
      with: ["provider"], \.provider.party),
    Flag(
      "--write-profile FILE", "write a profile for tenant --like to FILE, made from the metadata", with: ["provider"],
      \.provider.profileFile),
  ]
}
