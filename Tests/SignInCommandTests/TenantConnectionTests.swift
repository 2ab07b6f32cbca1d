import CommandLineSupport
import Foundation
import Testing

@Suite("b2c-run tenant, with more connections than descriptors")
struct TenantConnectionTests {
  @Test("connections that say nothing, or half a request, keep nobody out")
  func fewDescriptors() throws {
    let tenant = try RunningTenant(descriptors: 48)
    let url = try #require(
      tenant.settings.firstMatch(of: #/<key>taskAPI<\/key>\s*<string>http:\/\/127\.0\.0\.1:([0-9]+)/#))
    let port = try #require(UInt16(url.1))
    var connections: [CInt] = []
    defer { for connection in connections { close(connection) } }
    for number in 0..<120 {
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      connections.append(descriptor)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let result = withUnsafeBytes(of: &address) {
        connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
      }
      #expect(result == 0)
      if number.isMultiple(of: 2) { send(descriptor, "GET /", 5, CInt(MSG_NOSIGNAL)) }
    }
    try tenant.signIn()
    #expect(try tenant.names() == "Alice Liddell\tb2c_1_susi\n")
  }
}
