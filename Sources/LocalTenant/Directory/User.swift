/// A user of the directory.
struct User {
  /// `oid` and `sub` of the tokens.
  let id: String
  let username: String
  let email: String
  var displayName: String
  /// The user's authenticator app; nil if the user has none.
  let otp: TimeBasedPassword?
  /// The phone number that receives text messages; nil if the user has none.
  let phone: String?
}

/// A user to be added.
struct NewUser {
  var username: String
  var email: String?
  var password: String
  var displayName: String?
  /// The secret in Base32.
  var otp: String?
  var phone: String?
}
