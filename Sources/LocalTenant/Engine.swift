import Core
import Databases
import HTTPServer
import JSON
import TenantTexts

/// The state of the tenant and its answers to requests. The mutex of `LocalTenant` guards it.
final class Engine {
  let directory: DirectoryStore
  let keys: KeyRing
  let clients: ClientRegistry
  let clock: TenantClock
  let tasks: TaskStore
  let bearer: BearerCheck
  let behavior: TenantBehavior
  var faults = FaultPlan()
  var log = RecentEntries<TenantRequest>()
  let postOffice: PostOffice
  private let proofs: ProofCheck
  /// The server's URL, used for requests without `Host`.
  var url = ""

  private let issuerForm: TenantConfiguration.IssuerForm
  private let signIn: SignInEndpoint
  private let pushedRequests: PushedRequestEndpoint
  private let tokens: TokenEndpoint
  private let native: NativeAuthentication
  private let deviceAuthorization: DeviceAuthorizationEndpoint
  private let device: DeviceEndpoint
  private let revocation: RevocationEndpoint
  let backchannel: BackchannelGrants
  private let backchannelEndpoint: BackchannelEndpoint
  private let introspection: IntrospectionEndpoint
  private let userinfo: UserinfoEndpoint
  private let taskEndpoint: TaskEndpoint
  private let nodeTaskEndpoint: NodeTaskEndpoint
  private let throttle: TaskThrottle
  let isSecure: Bool
  private let database: SQLiteConnection

  init(_ configuration: TenantConfiguration) throws {
    let database = try configuration.dataFile.map { try SQLiteConnection(path: $0) } ?? .inMemory()
    try database.migrate(Schema.steps)
    self.database = database
    clock = try TenantClock(time: configuration.time, offset: configuration.clockOffset, database)
    behavior = TenantBehavior(configuration.kind)
    directory = try DirectoryStore(database, clock)
    try directory.seed()
    keys = KeyRing(database, first: configuration.signingKey)
    clients = try ClientRegistry(database, clock)
    tasks = TaskStore(database, clock)
    postOffice = PostOffice(clock, report: configuration.onMessage)
    issuerForm = configuration.issuerForm
    isSecure = configuration.tls != nil
    let issuer = TokenIssuer(keys: keys, clock: clock, issuerForm: issuerForm, behavior: behavior)
    let grants = GrantStore(database, clock, behavior)
    backchannel = BackchannelGrants(clock)
    let devices = DeviceGrants(clock: clock, codes: ExpiringStore(clock))
    proofs = ProofCheck(clock, behavior, isSecure: isSecure)
    bearer = BearerCheck(
      keys: keys, clock: clock, grants: grants, clients: clients, proofs: proofs, behavior: behavior)
    let objects = RequestObjectCheck(clients: clients, key: keys.encryption, used: ExpiringStore(clock))
    let pushed = PushedRequests(clock: clock, clients: clients, objects: objects, requests: ExpiringStore(clock))
    pushedRequests = PushedRequestEndpoint(pushed: pushed, issuer: issuer)
    signIn = SignInEndpoint(
      grants: grants, directory: directory, issuer: issuer, postOffice: postOffice, isSecure: isSecure, pushed: pushed,
      transactions: ExpiringStore(clock), sessions: ExpiringStore(clock))
    tokens = TokenEndpoint(
      grants: grants, devices: devices, directory: directory, issuer: issuer, clients: clients, proofs: proofs,
      backchannel: backchannel)
    native = NativeAuthentication(tokens: tokens, postOffice: postOffice)
    deviceAuthorization = DeviceAuthorizationEndpoint(devices: devices, issuer: issuer, clients: clients)
    device = DeviceEndpoint(
      devices: devices, grants: grants, directory: directory, clock: clock, signIns: ExpiringStore(clock))
    revocation = RevocationEndpoint(grants: grants, issuer: issuer, clients: clients)
    backchannelEndpoint = BackchannelEndpoint(
      grants: backchannel, directory: directory, issuer: issuer, clients: clients)
    introspection = IntrospectionEndpoint(grants: grants, directory: directory, issuer: issuer, clients: clients)
    userinfo = UserinfoEndpoint(bearer: bearer, directory: directory, issuer: issuer, clients: clients)
    taskEndpoint = TaskEndpoint(store: tasks, bearer: bearer, behavior: behavior)
    nodeTaskEndpoint = NodeTaskEndpoint(store: tasks, bearer: bearer)
    throttle = TaskThrottle(clock, behavior)
    if let profile = configuration.profile { try setProfile(profile) }
  }

  func lastPort() throws -> UInt16? {
    try database.first("SELECT value FROM settings WHERE name = 'port'")?[0].text.flatMap { UInt16($0) }
  }

  func remember(port: UInt16) throws {
    try database.execute("INSERT OR REPLACE INTO settings VALUES ('port', ?)", .text(String(port)))
  }

  func answer(_ request: ServerRequest) -> ServerResponse {
    let fault = faults.take(request)
    var response = fault?.replacement ?? respond(request, fault)
    if let fault {
      if fault.error != nil { response.headers += fault.headers }
      response.delay = fault.delay
      response.drop = fault.losesRequest ? .beforeResponse : fault.drop
      response.isReset = fault.isReset
    }
    log.add(TenantRequest(method: request.method, path: request.path, status: response.status, time: clock.now))
    return response
  }

  private func respond(_ request: ServerRequest, _ fault: TenantFault?) -> ServerResponse {
    do {
      return try route(request, fault)
    } catch {
      let message = (error as? any Failure)?.message ?? String(describing: error)
      return .error(500, "server_error", message)
    }
  }

  private func route(_ request: ServerRequest, _ fault: TenantFault?) throws -> ServerResponse {
    guard let origin = origin(request) else {
      return .error(421, "misdirected_request", "the local tenant answers for loopback hosts alone, see Host")
    }
    return switch Route(request, origin: origin, behavior.kind) {
    case .status:
      try Page.refusal(of: request, unless: ["GET", "HEAD"]) ?? StatusPage(engine: self, origin: origin).response()
    case .tasks(let rest): try answerTasks(request, rest, fault?.proof)
    case .policy(.metadata, let address): document(try metadata(address, fault?.mtls), request)
    case .policy(.keys, _): document(try keys.published(), request)
    case .policy(.authorize, let address): try signIn.authorize(request, address, fault: fault)
    case .native(let step, let address): try native.answer(request, step, address, fault: fault?.native)
    case .policy(.token, let address):
      try tokens.answer(request, address, fault: fault)
    case .policy(.par, let address):
      try pushedRequests.answer(request, address, fault: fault?.par, objectFault: fault?.requestObject)
    case .policy(.deviceCode, let address): try deviceAuthorization.answer(request, address)
    case .policy(.device, let address): try device.answer(request, address)
    case .policy(.revoke, let address): try revocation.answer(request, address)
    case .policy(.register, let address): try RegistrationEndpoint(clients: clients).answer(request, address)
    case .policy(.introspection, let address):
      try introspection.answer(request, address, fault: fault?.introspection)
    case .policy(.userinfo, let address): try answerUserinfo(request, address, fault)
    case .policy(.backchannel, let address): try backchannelEndpoint.answer(request, address)
    case .backchannelAnswer: StatusPage(engine: self, origin: origin).answer(request)
    case .policy(.logout, _): try signIn.logout(request)
    case .policy(let page, _): try signIn.page(page, request)
    case .unknown(let address) where request.header("Accept")?.contains("text/html") == true:
      Page.nothingHere(Texts(request), address).response()
    case .unknown(let address): .error(404, "not_found", address.message)
    }
  }

  private func metadata(_ address: PolicyAddress, _ fault: CertificateFault?) throws -> JSON {
    let algorithm = try keys.algorithm
    let document = Metadata.document(
      address, issuer: address.issuer(issuerForm), algorithm: algorithm, behavior.requirements,
      isSecure ? .some(fault) : nil)
    return behavior.profile?.adapted(document, signing: algorithm.rawValue) ?? document
  }

  private func answerTasks(
    _ request: ServerRequest, _ rest: [String], _ fault: ProofFault?
  ) throws -> ServerResponse {
    if let refusal = throttle.refusal() { return refusal }
    bearer.fault = fault
    var response =
      switch behavior.tasksDialect {
      case .dotnet: try taskEndpoint.answer(request, rest)
      case .node: try nodeTaskEndpoint.answer(request, rest)
      }
    if response.status != 401, let nonce = proofs.nonce { response.headers.append(("DPoP-Nonce", nonce)) }
    return response
  }

  private func answerUserinfo(
    _ request: ServerRequest, _ address: PolicyAddress, _ fault: TenantFault?
  ) throws -> ServerResponse {
    bearer.fault = fault?.proof
    var response = try userinfo.answer(request, address, fault: fault?.userinfo)
    if response.status != 401, let nonce = proofs.nonce { response.headers.append(("DPoP-Nonce", nonce)) }
    return response
  }

  /// Single-page apps of other origins may read it. It is cached shortly, so that clients soon see a key rotation.
  private func document(_ json: JSON, _ request: ServerRequest) -> ServerResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return .error(405, "method_not_allowed", "this address takes GET", headers: [("Allow", "GET, HEAD")])
    }
    return .json(200, json, headers: [("Cache-Control", "no-cache"), ("Access-Control-Allow-Origin", "*")])
  }

  /// The origin as the client wrote it; nil if the host is not a loopback host. Otherwise a page whose host name
  /// resolves to this machine (DNS rebinding) would have the tenant's origin and could read its responses.
  private func origin(_ request: ServerRequest) -> String? {
    let hosts = request.headers.filter { $0.0.lowercased() == "host" }
    guard let host = hosts.first?.1 else { return url }
    let scheme = isSecure ? "https" : "http"
    guard hosts.count == 1, let uri = LoopbackURI("\(scheme)://\(host)"), uri.authority == host else { return nil }
    return "\(scheme)://\(host)"
  }
}
