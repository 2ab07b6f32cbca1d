/// The meanings of Azure AD B2C's error codes, with advice about each.
enum AADB2CCode {
  static let known: [String: KnownError] = [
    // Errors of the user.
    "AADB2C90118": .init(
      "the user has forgotten the password", "sign in with the password reset policy (policies.reset)"),
    "AADB2C90091": .init("the user canceled", "sign in again when the user wants to"),
    "AADB2C90273": .init("the user canceled at the identity provider", "sign in again when the user wants to"),
    "AADB2C90077": .init("nobody is signed in", "sign in without prompt = \"none\""),
    // The grant.
    "AADB2C90080": .init("the grant has expired", "sign in again"),
    "AADB2C90128": .init("the account is gone", "sign in again, with another account"),
    "AADB2C90129": .init("the grant was revoked", "sign in again"),
    "AADB2C90088": .init(
      "the grant is of another policy", "use the policy the user signed in with, or sign in again with this one"),
    "AADB2C90087": .init("the grant is of another version of the protocol", "sign in again through the v2.0 endpoints"),
    "AADB2C90279": .init("the grant is of another application", "sign in again with the clientID of the settings"),
    // The application and its registration.
    "AADB2C90205": .init(
      "the application lacks a permission on the API",
      "grant it the API's permissions where it is registered, with admin consent"),
    "AADB2C90006": .init(
      "the redirect URI is not registered", "register exactly the redirectURL of the settings for this application"),
    "AADB2C90007": .init(
      "the application has no redirect URI", "register the redirectURL of the settings for this application"),
    "AADB2C90287": .init(
      "the redirect URI is not valid", "set redirectURL in the settings to an absolute URL: https, or http://localhost"),
    "AADB2C90008": .init("the request names no application", "put clientID into the settings"),
    "AADB2C90010": .init("the request has no scope", "put scopes into the settings"),
    "AADB2C90018": .init(
      "the application is not known to this tenant",
      "check clientID, and that authURL is of the tenant it is registered in"),
    "AADB2C90083": .init(
      "a parameter is missing", "give the parameter that the message names, with parameters or additionalParameters"),
    // Scopes.
    "AADB2C90012": .init("a scope is not supported", "take the scope that the message names out of the settings"),
    "AADB2C90055": .init(
      "a scope names no API", "write an API's scopes in full: https://TENANT.onmicrosoft.com/API/SCOPE"),
    "AADB2C90117": .init("a scope is not supported", "take the scope that the message names out of the settings"),
    "AADB2C90146": .init("the scopes are of several APIs", "ask for the scopes of one API at a time"),
    "AADB2C90107": .init("the scope openid is missing", "add openid to the scopes"),
    "AADB2C90110": .init("the scope openid is missing", "add openid to the scopes"),
    "AADB2C90115": .init("a scope of an API is missing", "add the client ID or an API's scope to the scopes"),
    // Forms of request.
    "AADB2C90013": .init("the response type is not supported", "use response_type = \"code\""),
    "AADB2C90014": .init("the response mode is not supported", "use query, fragment or form_post"),
    "AADB2C90086": .init(
      "the grant type is not supported", "use authorization_code, refresh_token, password or client_credentials"),
    "AADB2C90057": .init(
      "the implicit flow is not enabled", "sign in with the authorization_code flow, or enable it at the registration"),
    "AADB2C90058": .init(
      "public clients are not enabled",
      "allow public client flows at the registration, or put clientSecret into the settings"),
    // Client secrets.
    "AADB2C90079": .init("the client secret is missing", "put clientSecret into the settings"),
    "AADB2C90081": .init("the client secret is wrong", "put the secret's value, not its ID, into clientSecret"),
    "AADB2C90084": .init(
      "the application is public and must not send a secret", "take clientSecret out of the settings"),
    // PKCE.
    "AADB2C90182": .init(
      "the code verifier does not match", "use the verifier whose challenge was in this sign-in's URL"),
    "AADB2C90183": .init("the code verifier is not valid", "use a verifier of oauth.pkce()"),
    "AADB2C90184": .init("the challenge method is not supported", "use S256 or plain"),
    "AADB2C99059": .init("the application must use PKCE", "put a challenge of oauth.pkce() into the authorization URL"),
    // Passwords and accounts.
    "AADB2C90052": .init("the user name or the password is wrong", "check the user name and the password"),
    "AADB2C90053": .init("no account has this user name", "check the user name, or sign up"),
    "AADB2C90054": .init("the user name or the password is wrong", "check the user name and the password"),
    "AADB2C90225": .init("the user name or the password is wrong", "check the user name and the password"),
    "AADB2C90224": .init(
      "the password flow is not enabled", "make a policy for it (policies.ropc) and allow it at the registration"),
    "AADB2C90111": .init("the account is locked", "wait, or ask the tenant's administrator to unlock it"),
    "AADB2C90114": .init(
      "the account is locked for a while", "wait some minutes, then sign in again", isRetryable: true),
    "AADB2C90244": .init("there are too many requests", "wait some seconds, then try again", isRetryable: true),
    "AADB2C90035": .init("the service is not available", "try again later", isRetryable: true),
    // ID token hints.
    "AADB2C90208": .init("the ID token hint has expired", "leave id_token_hint out, or sign in again"),
    "AADB2C90209": .init("the ID token hint is of another application", "use an ID token of this application"),
    "AADB2C90210": .init("the ID token hint is not valid", "use the ID token as it was received"),
  ]
}
