import OAuth
import Testing

@Suite struct AADB2CErrorTests {
  /// Each code that Azure AD B2C is known to send, with what its user reads, and whether the same may be tried again.
  @Test(arguments: [
    (
      "AADB2C90006", "the redirect URI is not registered",
      "register exactly the redirectURL of the settings for this application", false
    ),
    (
      "AADB2C90007", "the application has no redirect URI",
      "register the redirectURL of the settings for this application",
      false
    ),
    ("AADB2C90008", "the request names no application", "put clientID into the settings", false),
    ("AADB2C90010", "the request has no scope", "put scopes into the settings", false),
    ("AADB2C90012", "a scope is not supported", "take the scope that the message names out of the settings", false),
    ("AADB2C90013", "the response type is not supported", "use response_type = \"code\"", false),
    ("AADB2C90014", "the response mode is not supported", "use query, fragment or form_post", false),
    (
      "AADB2C90018", "the application is not known to this tenant",
      "check clientID, and that authURL is of the tenant it is registered in", false
    ),
    ("AADB2C90035", "the service is not available", "try again later", true),
    ("AADB2C90052", "the user name or the password is wrong", "check the user name and the password", false),
    ("AADB2C90053", "no account has this user name", "check the user name, or sign up", false),
    ("AADB2C90054", "the user name or the password is wrong", "check the user name and the password", false),
    (
      "AADB2C90055", "a scope names no API", "write an API's scopes in full: https://TENANT.onmicrosoft.com/API/SCOPE",
      false
    ),
    (
      "AADB2C90057", "the implicit flow is not enabled",
      "sign in with the authorization_code flow, or enable it at the registration", false
    ),
    (
      "AADB2C90058", "public clients are not enabled",
      "allow public client flows at the registration, or put clientSecret into the settings", false
    ),
    ("AADB2C90077", "nobody is signed in", "sign in without prompt = \"none\"", false),
    ("AADB2C90079", "the client secret is missing", "put clientSecret into the settings", false),
    ("AADB2C90080", "the grant has expired", "sign in again", false),
    ("AADB2C90081", "the client secret is wrong", "put the secret's value, not its ID, into clientSecret", false),
    (
      "AADB2C90083", "a parameter is missing",
      "give the parameter that the message names, with parameters or additionalParameters", false
    ),
    (
      "AADB2C90084", "the application is public and must not send a secret", "take clientSecret out of the settings",
      false
    ),
    (
      "AADB2C90086", "the grant type is not supported",
      "use authorization_code, refresh_token, password or client_credentials", false
    ),
    (
      "AADB2C90087", "the grant is of another version of the protocol", "sign in again through the v2.0 endpoints",
      false
    ),
    (
      "AADB2C90088", "the grant is of another policy",
      "use the policy the user signed in with, or sign in again with this one", false
    ),
    ("AADB2C90091", "the user canceled", "sign in again when the user wants to", false),
    ("AADB2C90107", "the scope openid is missing", "add openid to the scopes", false),
    ("AADB2C90110", "the scope openid is missing", "add openid to the scopes", false),
    ("AADB2C90111", "the account is locked", "wait, or ask the tenant's administrator to unlock it", false),
    ("AADB2C90114", "the account is locked for a while", "wait some minutes, then sign in again", true),
    ("AADB2C90115", "a scope of an API is missing", "add the client ID or an API's scope to the scopes", false),
    ("AADB2C90117", "a scope is not supported", "take the scope that the message names out of the settings", false),
    (
      "AADB2C90118", "the user has forgotten the password", "sign in with the password reset policy (policies.reset)",
      false
    ),
    ("AADB2C90128", "the account is gone", "sign in again, with another account", false),
    ("AADB2C90129", "the grant was revoked", "sign in again", false),
    ("AADB2C90146", "the scopes are of several APIs", "ask for the scopes of one API at a time", false),
    (
      "AADB2C90182", "the code verifier does not match", "use the verifier whose challenge was in this sign-in's URL",
      false
    ),
    ("AADB2C90183", "the code verifier is not valid", "use a verifier of oauth.pkce()", false),
    ("AADB2C90184", "the challenge method is not supported", "use S256 or plain", false),
    (
      "AADB2C90205", "the application lacks a permission on the API",
      "grant it the API's permissions where it is registered, with admin consent", false
    ),
    ("AADB2C90208", "the ID token hint has expired", "leave id_token_hint out, or sign in again", false),
    ("AADB2C90209", "the ID token hint is of another application", "use an ID token of this application", false),
    ("AADB2C90210", "the ID token hint is not valid", "use the ID token as it was received", false),
    (
      "AADB2C90224", "the password flow is not enabled",
      "make a policy for it (policies.ropc) and allow it at the registration", false
    ),
    ("AADB2C90225", "the user name or the password is wrong", "check the user name and the password", false),
    ("AADB2C90244", "there are too many requests", "wait some seconds, then try again", true),
    ("AADB2C90273", "the user canceled at the identity provider", "sign in again when the user wants to", false),
    ("AADB2C90279", "the grant is of another application", "sign in again with the clientID of the settings", false),
    (
      "AADB2C90287", "the redirect URI is not valid",
      "set redirectURL in the settings to an absolute URL: https, or http://localhost", false
    ),
    (
      "AADB2C99059", "the application must use PKCE", "put a challenge of oauth.pkce() into the authorization URL",
      false
    ),
  ])
  func everyCodeSaysWhatItMeansAndWhatToDo(_ code: String, _ meaning: String, _ hint: String, _ isRetryable: Bool) {
    let parsed = AADB2CError.parse("\(code):")
    #expect(parsed?.message == meaning)
    #expect(parsed?.hint == hint)
    #expect(parsed?.isRetryable == isRetryable)
    #expect(AADB2CError.parse("\(code): Some reason.\r\nCorrelation ID: c")?.message == "Some reason")
  }

  @Test func linesAreTakenApart() {
    let parsed = AADB2CError.parse(
      "AADB2C90244: There are too many\r\nrequests.\r\nCorrelation ID: c-1\r\nTimestamp: 2019-09-17 09:50:39Z\r\n")
    #expect(parsed?.code == "AADB2C90244")
    #expect(parsed?.message == "There are too many requests")
    #expect(parsed?.correlationID == "c-1")
    #expect(parsed?.timestamp == "2019-09-17 09:50:39Z")
    #expect(parsed?.isRetryable == true)
  }

  @Test func codesWithoutAMessageAndUnknownOnesAreTold() {
    #expect(AADB2CError.parse("AADB2C90091:")?.message == "the user canceled")
    #expect(AADB2CError.parse("AADB2C12345: New.")?.message == "New")
    #expect(AADB2CError.parse("AADB2C12345: New.")?.hint == nil)
    #expect(AADB2CError.parse("AADSTS50076: MFA needed.")?.code == "AADSTS50076")
  }

  @Test(arguments: ["", "no colon", "AADB2C: nothing", "AADB2Cx1: no number", "Some: other text"])
  func otherTextIsNone(_ text: String) {
    #expect(AADB2CError.parse(text) == nil)
  }
}
