import Core

/// A code is as good as a password until it is redeemed, and tokens longer: they are kept out of logs and errors.
enum RedirectSecrets {
  /// Registers the secrets among a redirect's parameters with `Redaction`. Scripts get the redirect.
  static func register(_ redirect: String) {
    for parameter in WebAddress(redirect).parameters where SecretName.kind(parameter.name) != nil {
      if let value = parameter.value { Redaction.share(value) }
    }
  }
}
