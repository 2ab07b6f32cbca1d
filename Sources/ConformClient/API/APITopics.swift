import Conform

extension Topic {
  static let apiSignature = Topic(
    "api.signature", "Signatures of access tokens at an API", wrong: .api,
    means: "Whoever can send a request to the API is any user.",
    change: [
      "In general":
        "Verify the signature with the keys of the issuer's jwks_uri, and accept only the algorithms that you expect.",
      "Entra": "Microsoft.Identity.Web and other JWT middleware do so by default; own code has to.",
    ])

  static let apiClaims = Topic(
    "api.claims", "Claims of access tokens at an API", wrong: .api,
    means: "A token of another issuer, for another API, or from the past opens this API.",
    change: [
      "In general":
        "Compare iss and aud with what you expect, and check exp and nbf with a minute or two of tolerance.",
      "Entra": "With tokens of every tenant (common), check tid and iss together.",
    ])

  static let apiTokens = Topic(
    "api.tokens", "Other tokens at an API", wrong: .api,
    means: "A token that another party may hold by right opens this API.",
    change: ["In general": "Take access tokens for this API only: check aud, and typ if the issuer sets it."])

  static let apiScopes = Topic(
    "api.scopes", "Scopes at an API", wrong: .api,
    means: "An application may do more than the user has allowed.",
    change: ["In general": "Check scp (or scope, or roles) for each operation, word by word."])

  static let apiWays = Topic(
    "api.ways", "Ways to send an access token to an API", wrong: .api,
    means: "Tokens end up in logs and addresses, or a right client is refused.",
    change: ["In general": "Read the token from the Authorization header only, with the scheme in any letter case."])

  static let apiDoors = Topic(
    "api.doors", "Requests without a right token", wrong: .api,
    means: "Data can be read or changed without a token.",
    change: [
      "In general":
        "Check the token before routing, for all methods and paths, and trust no header of a proxy from outside."
    ])

  static let apiAnswers = Topic(
    "api.answers", "Answers of an API", wrong: .api,
    means: "Clients cannot tell whether to sign in again, or an attacker learns about the API.",
    change: [
      "In general":
        "Answer 401 or 403 with WWW-Authenticate as RFC 6750, section 3, has it, and nothing about the cause in the code."
    ])

  static let apiProofs = Topic(
    "api.dpop", "Proofs of possession (DPoP) at an API", .fapi, wrong: .api,
    means: "A stolen token, or a copied request, is as good as the real one.",
    change: ["In general": "Check htm, htu, ath, iat, jti and the key of each proof, and the cnf of each token."])
}
