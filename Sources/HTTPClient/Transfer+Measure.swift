import CCurlShims

extension Transfer {
  /// Has libcurl tell what it sends, or not any more.
  func setRecording(_ measure: ExchangeMeasure?) {
    guard (measure != nil) != settings.isRecording else { return }
    settings.isRecording = measure != nil
    _ = ccurl_set_long(easy, CURLOPT_VERBOSE, settings.isRecording ? 1 : 0)
  }

  /// What libcurl knows of the exchange that has ended.
  func fill(_ measure: ExchangeMeasure) {
    let lookup = time(CURLINFO_NAMELOOKUP_TIME_T)
    let connect = time(CURLINFO_CONNECT_TIME_T)
    let tls = time(CURLINFO_APPCONNECT_TIME_T)
    measure.isReused = measure.begun > 0 && ccurl_info_long(easy, CURLINFO_NUM_CONNECTS) == 0
    if connect > 0, !measure.isReused {
      measure.phases.lookup = lookup
      measure.phases.connect = max(0, connect - lookup)
      if tls > 0 { measure.phases.tls = max(0, tls - connect) }
    }
    measure.fillPhases()
    measure.address = ccurl_info_string(easy, CURLINFO_PRIMARY_IP).map { String(cString: $0) } ?? ""
    measure.port = ccurl_info_long(easy, CURLINFO_PRIMARY_PORT)
    measure.version =
      switch ccurl_info_long(easy, CURLINFO_HTTP_VERSION) {
      case CURL_HTTP_VERSION_1_0: "1.0"
      case CURL_HTTP_VERSION_1_1: "1.1"
      case CURL_HTTP_VERSION_2_0: "2"
      case CURL_HTTP_VERSION_3: "3"
      default: ""
      }
  }

  /// Microseconds since the transfer began; 0 where it did not come to that.
  private func time(_ info: CURLINFO) -> Int { ccurl_info_large(easy, info) }
}
