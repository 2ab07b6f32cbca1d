/// placeholder, replaced with curl's own cookie engine
@MainActor package final class CookieJar: Sendable {}
