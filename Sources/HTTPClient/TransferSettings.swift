import CCurlShims

/// What a libcurl handle is set to, to set only what changes.
struct TransferSettings {
  var url = ""
  var origin: Origin?
  // A fresh handle sends a GET.
  var method = "GET"
  /// Nil: left to libcurl.
  var usesHTTP2: Bool?
  var methodHasBody = false
  var headers: HTTPHeaders = [:]
  var addedHeaders: [String] = []
  /// The header fields as libcurl has them; freed by the transfer.
  var list: UnsafeMutablePointer<curl_slist>?
  var userAgent: String?
  var caFile: String?
  var hasBody = false
  var hasSilenceLimit = false
  var hasProgress = false
  var isRecording = false
  var connectsAnew = false
}
