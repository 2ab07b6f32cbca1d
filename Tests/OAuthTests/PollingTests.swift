import Core
import HTTPServer
import HostLoop
import JSON
import OAuth
import Testing

/// The waits between token requests, without waiting.
@HostActor @Suite struct PollingTests {
  private final class Clock {
    var waits: [Double] = []
    var now = 0.0
  }

  private func error(_ code: String, isRetryable: Bool = true, retryAfter: String? = nil) -> OAuthError {
    var details = ["error": code]
    details["retry_after"] = retryAfter
    return OAuthError(code, .token, code, isRetryable: isRetryable, details: details)
  }

  /// - Parameter answers: the errors of the token endpoint, such as `server_error 30` with `Retry-After: 30`; `done` ends.
  /// - Parameter latency: the seconds that each request takes.
  private func run(
    _ polling: Polling, _ answers: [String], latency: Double = 0
  ) async -> (waits: [Double], error: OAuthError?) {
    let clock = Clock()
    var rest = answers[...]
    let failure = await oauthError {
      try await polling.run(
        now: { clock.now },
        sleep: {
          clock.waits.append($0)
          clock.now += $0
        }
      ) {
        clock.now += latency
        let answer = (rest.popFirst() ?? "authorization_pending").split(separator: " ").map(String.init)
        if answer[0] == "done" { return }
        throw error(
          answer[0], isRetryable: answer[0] != "access_denied", retryAfter: answer.count > 1 ? answer[1] : nil)
      }
    }
    return (clock.waits, failure)
  }

  @Test func theIntervalGrowsAfterSlowDown() async {
    let result = await run(
      Polling(interval: nil, expiresIn: 100),
      ["authorization_pending", "slow_down", "slow_down", "server_error", "done"])
    #expect(result.waits == [5, 5, 10, 15, 15])
    #expect(result.error == nil)
  }

  @Test func theIntervalIsAtLeastASecond() async {
    for interval in [0, -7, 1] {
      #expect(await run(Polling(interval: interval, expiresIn: 100), ["done"]).waits == [1])
    }
  }

  @Test func theWaitEndsWithTheRequest() async {
    let result = await run(Polling(interval: 4, expiresIn: 10), [])
    #expect(result.waits == [4, 4, 2])
    #expect(result.error?.code == "expired_token")
    #expect(result.error?.message == "nobody answered the request within 10 s")
  }

  /// Whatever the provider asks for: an interval, `slow_down` or `Retry-After`.
  @Test(
    arguments: [
      ([], 60, 0, [10]), (["slow_down"], 8, 0, [8, 2]), (["server_error 5"], 2, 0, [2, 5, 2, 1]),
      (["server_error 3600"], 2, 0, [2, 8]), ([], 2, 5, [2, 2]),
    ] as [([String], Int, Double, [Double])])
  func noWaitIsLongerThanTheRest(_ answers: [String], _ interval: Int, _ latency: Double, _ waits: [Double]) async {
    let result = await run(Polling(interval: interval, expiresIn: 10), answers, latency: latency)
    #expect(result.waits == waits)
    #expect(result.error?.code == "expired_token")
  }

  @Test func anAnswerInTheLastMomentCounts() async {
    let result = await run(Polling(interval: 60, expiresIn: 3), ["done"])
    #expect(result.waits == [3])
    #expect(result.error == nil)
  }

  @Test func otherErrorsEndTheWait() async {
    let result = await run(Polling(interval: 1, expiresIn: 10), ["authorization_pending", "access_denied"])
    #expect(result.waits == [1, 1])
    #expect(result.error?.code == "access_denied")
  }

  @Test func fiveSecondsIfTheProviderDoesNotSay() async throws {
    let provider = try Provider()
    provider.change {
      $0.metadata = ["backchannel_authentication_endpoint": .string("\(provider.url)/bc")]
    }
    provider.answer("/bc", #"{"auth_req_id": "r-1", "expires_in": "120"}"#)
    var request = BackchannelRequest()
    request.loginHint = "alice"
    request.bindingMessage = "W4SCT"
    request.requestedExpiry = 90
    request.userCode = Secret("1234")
    let answer = try await BackchannelEndpoint(provider.client(["clientSecret": "hidden value"])).authentication(
      request)
    #expect(answer.requestID == Secret("r-1"))
    #expect(answer.polling.interval == 5)
    #expect(answer.polling.expiresIn == 120)
    let form = Dictionary(uniqueKeysWithValues: try #require(provider.last).form)
    #expect(form["binding_message"] == "W4SCT")
    #expect(form["requested_expiry"] == "90")
    #expect(form["user_code"] == "1234")
    #expect(form["client_secret"] == "hidden value")
    #expect(form["scope"] == "openid app offline_access")
  }
}
