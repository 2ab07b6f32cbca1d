import HTTPClient
import Testing

@Suite struct AuthenticationChallengeTests {
  private func response(_ fields: String..., status: Int = 401) -> HTTPResponse {
    var response = HTTPResponse(status: status)
    for field in fields { response.headers.append("WWW-Authenticate", field) }
    return response
  }

  @Test func challengesOfOneFieldAndOfSeveral() {
    let challenges = response(
      #"Basic realm="a, \"b\"", Bearer , error=invalid_token,Scope = "x y""#, "Negotiate", #"DPoP algs="ES256""#
    ).challenges
    #expect(challenges.map(\.scheme) == ["basic", "bearer", "negotiate", "dpop"])
    #expect(challenges[0].parameters == ["realm": #"a, "b""#])
    #expect(challenges[1].parameters == ["error": "invalid_token", "scope": "x y"])
    #expect(challenges[2].parameters.isEmpty)
  }

  @Test(arguments: ["", ",,", "=", "Bearer error=\"", "Bearer error=\"a\\", "Bearer x=,y=z", "\"quoted\""])
  func damagedFieldsAreNoDemand(field: String) { #expect(response(field).stepUp == nil) }

  @Test func theDemandForAnotherSignIn() {
    let demand = response(
      "Basic", #"Bearer error="insufficient_user_authentication", max_age="5", acr_values="a b""#
    ).stepUp
    #expect(demand?.details == ["acr_values": "a b", "max_age": "5"])
    #expect(response(#"Bearer error="invalid_token", acr_values="a""#).stepUp == nil)
    #expect(response(#"Bearer error="insufficient_user_authentication""#, status: 403).stepUp == nil)
    #expect(response("Bearer error=insufficient_user_authentication").stepUp?.details == [:])
  }
}
