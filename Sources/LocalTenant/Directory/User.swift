/// A user of the directory.
struct User {
  /// `oid` and `sub` of the tokens.
  let id: String
  let username: String
  let email: String
  var displayName: String
  /// The secret of an authenticator app; nil for none.
  let otp: TimeBasedPassword?
  /// Where "SMS" go; nil for none.
  let phone: String?
}

/// A user to be added.
struct NewUser {
  var username: String
  var email: String?
  var password: String
  var displayName: String?
  /// Base32.
  var otp: String?
  var phone: String?
}
