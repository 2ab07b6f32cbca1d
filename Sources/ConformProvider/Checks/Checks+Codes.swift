import Conform

extension ProviderCheck {
  private static let topic = Topic(
    "provider.code", "Authorization codes", wrong: .provider,
    means: "Whoever reads a code in a log, a browser history or a referrer may sign in as the user.",
    change: ["In general": "Bind each code to its client, its redirect URI and its challenge, and delete it at its first use."])

  static let codes: [ProviderCheck] = [
    ProviderCheck(
      topic, "once", "A code works once", "redeems a code a second time",
      .must("a code is used once; a second use is refused", "RFC 6749, 4.1.2"), peers: ["oidf:oidcc-codereuse"]
    ) { trial in
      let (attempt, code) = try await trial.code()
      try await trial.redeem(attempt, code).needed("the first use of the code")
      return try await trial.redeem(attempt, code).refused("invalid_grant")
    }
  ]
}
