internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// Lets people in by their token, or once by a link, and knows them by a cookie afterwards.
final class Doorkeeper: Sendable {
    /// The answer to whoever shows a token or a link.
    enum Admission<Entry> {
        /// A cookie from now on, or the token itself.
        case entry(Entry)
        case refused
        /// Has a link that was used, or is too old.
        case spent
        /// Was not looked at. Unit: seconds.
        case tooFast(seconds: Int)
    }

    let access: AccessStore
    let now: @Sendable () -> UnixSeconds
    let onRefusal: @Sendable (SecurityLog.Refusal) -> Void
    private let throttle = Mutex(SignInThrottle())
    private let start = ContinuousClock.now

    init(
        access: AccessStore, now: @escaping @Sendable () -> UnixSeconds,
        onRefusal: @escaping @Sendable (SecurityLog.Refusal) -> Void
    ) { (self.access, self.now, self.onRefusal) = (access, now, onRefusal) }

    /// The prefix makes browsers take it only over TLS, or from this machine, for this host alone.
    private static let cookie = "__Host-throng"
    /// The largest form with a token. Unit: bytes.
    private static let largestForm = 4096
    /// A browser has one of this name; each is a question to PostgreSQL.
    private static let mostCookies = 4

    /// The token of whoever asks; nil where they have to sign in.
    func visitor(of request: Request) async throws -> AccessToken? { try await entry(of: request)?.token }

    /// The token of whoever asks, and the session by which they are in; nil where they have to sign in.
    func entry(of request: Request) async throws -> (token: AccessToken, session: PortalSession.ID)? {
        let now = now()
        for cookie in Self.cookies(of: request) {
            guard let id = try await access.session(of: cookie),
                let token = try await access.token(id), token.isGood(at: now)
            else { continue }
            return (token, PortalSession.ID(cookie: cookie))
        }
        return nil
    }

    /// Ends the sessions of whoever asks: their cookies open nothing any more, at any daemon.
    func leave(_ request: Request) async throws {
        for cookie in Self.cookies(of: request) { try await access.endSession(of: cookie) }
    }

    /// A cookie for whoever sent a form with a good token or link.
    func admit(_ request: Request) async throws -> Admission<String> {
        let form = try await Self.form(of: request)
        switch try await token(form["token"], link: form["link"], from: request) {
        case .entry(let token):
            let isPartner = if case .partner = token.role { true } else { false }
            return .entry(
                Self.cookie(
                    with: try await access.beginSession(of: token.id),
                    seconds: isPartner ? AccessStore.partners : AccessStore.longest))
        case .refused: return .refused
        case .spent: return .spent
        case .tooFast(let seconds): return .tooFast(seconds: seconds)
        }
    }

    /// The token of a program, which shows it with each request, or of whoever has signed in; nil where neither is there.
    ///
    /// Source: RFC 6750, section 2.1.
    func reader(of request: Request) async throws -> Admission<AccessToken>? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            // Another scheme is for a proxy before the pages.
            return try await visitor(of: request).map { .entry($0) }
        }
        return try await token(String(parts[1]), from: request)
    }

    /// Finds the good token that a text is or that a link opens, at the pace of ``SignInThrottle``.
    private func token(
        _ text: String?, link: String? = nil, from request: Request
    ) async throws -> Admission<AccessToken> {
        let secret = link == nil ? text.flatMap { AccessSecret($0) } : nil
        let (part, network) = (secret?.id ?? "", NetworkMark.network(of: request))
        var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
        if let wait = throttle.withLock({ $0.refuse(part, from: network, at: seconds) }) {
            return .tooFast(seconds: wait)
        }
        var token: AccessToken?
        if let secret { token = try await access.token(of: secret) }
        if let link = link.flatMap({ SignInLink($0) }) { token = try await access.open(link, now: now()) }
        guard let token, token.isGood(at: now()) else { return link == nil ? .refused : .spent }
        throttle.withLock { $0.succeed(part, from: network, at: seconds) }
        return .entry(token)
    }

    /// Notes a form that was sent from a page of another origin, as far as the browser says; returns true for all others.
    func accepts(_ form: Request) -> Bool {
        let isFromHere = Self.isFromHere(form)
        if !isFromHere { onRefusal(.foreignForm) }
        return isFromHere
    }

    /// Source: Fetch metadata; older browsers say only the origin, programs say nothing and hold no cookie.
    private static func isFromHere(_ request: Request) -> Bool {
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }) { return site == "same-origin" }
        guard let origin = request.headers[.origin] else { return true }
        return origin == "https://\(request.head.authority ?? "")" || origin == "http://\(request.head.authority ?? "")"
    }

    /// A cookie with a session; without one it ends the one that is there.
    static func cookie(with value: String?, seconds: Int = 0) -> String {
        "\(cookie)=\(value ?? ""); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Strict"
    }

    private static func cookies(of request: Request) -> ArraySlice<Substring> {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == cookie else { return nil }
            return parts[1]
        }.prefix(mostCookies)
    }

    /// A field of a small form; nil where it has none such, or an empty one.
    static func field(_ name: String, of request: Request) async throws -> String? {
        let value = try await form(of: request)[name] ?? ""
        return value.isEmpty ? nil : value
    }

    static func form(of request: Request) async throws -> [String: String] {
        PreviewTrial.form(try await request.body.collect(upTo: largestForm))
    }
}

/// Paces sign-ins that fail, so that nobody tries many tokens, and nobody keeps others out by trying.
///
/// Three bounds, of which each sign-in meets one or two:
/// - whoever shows the public part of a token that has opened the pages before has a bucket of that token's own:
///   nobody else can fill it who does not know that part;
/// - all others have a bucket of their network;
/// - and one of two that all networks share: those that have failed lately fill another one than those that have not,
///   so that a few that go on failing don't take the room of those that come for the first time.
///
/// A sign-in that succeeds costs nothing. Its memory never grows, and has neither addresses nor tokens: places of a
/// table, by a hash that is another one in each process.
struct SignInThrottle: Sendable {
    /// Empties at a steady pace.
    private struct Bucket {
        private var level = 0.0
        /// Unit: seconds.
        private var at = 0.0

        func level(_ pace: Pace, _ now: Double) -> Double { max(level - max(now - at, 0) * pace.perSecond, 0) }

        mutating func add(_ amount: Double, _ pace: Pace, _ now: Double) {
            (level, at) = (max(level(pace, now) + amount, 0), max(at, now))
        }
    }

    /// A limit: so many at once, and so many a second from then on.
    private struct Pace {
        let burst: Double
        let perSecond: Double

        static let one = Pace(burst: 10, perSecond: 1.0 / 6)
        static let failing = Pace(burst: 30, perSecond: 3)
        static let fresh = Pace(burst: 100, perSecond: 10)

        /// Returns the time until there is room again; 0 where there is. Unit: seconds.
        func wait(_ level: Double) -> Double { max(level + 1 - burst, 0) / perSecond }
    }

    /// The number of the table's places. Each token or network has two, and shares each of them with few others.
    private static let places = 4096
    private var buckets = [Bucket](repeating: Bucket(), count: places)
    private var (failing, fresh) = (Bucket(), Bucket())
    /// Hashes of public parts of tokens that have opened the pages; 0 is none.
    private var known = [Int](repeating: 0, count: places)

    /// Notes a sign-in by its token's public part, as it came, before the token is looked at; returns the seconds until
    /// there is room for it again, and nil if it is admitted. Sign-ins without a network share one. The clock is never
    /// set. Unit: seconds.
    mutating func refuse(_ part: String, from network: [UInt8], at now: Double) -> Int? {
        let isKnown = isKnown(part)
        let own = Self.places(of: part, network, isKnown: isKnown)
        let level = own.map { buckets[$0].level(.one, now) }.min() ?? 0
        // Less than one is a failure that is long over.
        let isFailing = level >= 1
        let pace: Pace = isFailing ? .failing : .fresh
        let shared = isKnown ? 0 : pace.wait((isFailing ? failing : fresh).level(pace, now))
        let wait = max(Pace.one.wait(level), shared)
        guard wait == 0 else { return Int(wait.rounded(.up)) }
        for place in own { buckets[place].add(1, .one, now) }
        guard !isKnown else { return nil }
        if isFailing { failing.add(1, pace, now) } else { fresh.add(1, pace, now) }
        return nil
    }

    /// The token of a sign-in that was admitted opens the pages.
    mutating func succeed(_ part: String, from network: [UInt8], at now: Double) {
        for place in Self.places(of: part, network, isKnown: isKnown(part)) { buckets[place].add(-1, .one, now) }
        // A link has no such part; if none were known, all who show none would share one bucket, and anyone could fill it.
        guard !part.isEmpty else { return }
        known[Self.place(part, 2)] = Self.hash(part, 3)
    }

    private func isKnown(_ part: String) -> Bool { known[Self.place(part, 2)] == Self.hash(part, 3) }

    private static func places(of part: String, _ network: [UInt8], isKnown: Bool) -> [Int] {
        (0..<2).map { isKnown ? place(part, $0) : place(network, $0) }
    }

    private static func place(_ value: some Hashable, _ turn: Int) -> Int {
        Int((UInt(bitPattern: hash(value, turn)) >> 1) % UInt(places))
    }

    private static func hash(_ value: some Hashable, _ turn: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(turn)
        hasher.combine(value)
        return hasher.finalize() | 1
    }
}

/// `GET /`, `GET /sign-in`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in
            guard let visitor = try await door.visitor(of: request) else { return try pages.signIn(for: request) }
            return Self.redirect(to: Self.start(of: visitor.role))
        }
        // A look at a link leaves it good: programs that check mails follow links, and press no buttons.
        router.get("/sign-in") { request, _ in
            try pages.signIn(for: request, link: request.uri.queryParameters["link"].map { String($0) })
        }
        router.post("/sign-in") { request, _ in
            guard door.accepts(request) else {
                return try pages.signIn(for: request, status: .forbidden, refusal: .foreign)
            }
            switch try await door.admit(request) {
            case .entry(let cookie): return Self.redirect(to: "/", cookie: cookie)
            // The same for every reason: who guesses learns nothing.
            case .refused: return try refuse(request, .unknown)
            case .spent: return try refuse(request, .spent)
            case .tooFast(let seconds):
                door.onRefusal(.signInPace)
                var response = try pages.signIn(for: request, status: .tooManyRequests, refusal: .fast, wait: seconds)
                response.headers[.retryAfter] = "\(seconds)"
                return response
            }
        }
        router.post("/sign-out") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            try await door.leave(request)
            return Self.redirect(to: "/", cookie: Doorkeeper.cookie(with: nil))
        }
    }

    private func refuse(_ request: Request, _ refusal: PortalPages.Refusal) throws -> Response {
        door.onRefusal(.signIn)
        return try pages.signIn(for: request, status: .forbidden, refusal: refusal)
    }

    static func start(of role: AccessRole) -> String {
        switch role {
        case .partner: "/reports"
        case .operations: "/operator"
        case .analysis: "/explore"
        }
    }

    static func redirect(to place: String, cookie: String? = nil) -> Response {
        var headers: HTTPFields = [.location: place, .cacheControl: "no-store"]
        if let cookie { headers[.setCookie] = cookie }
        return Response(status: .seeOther, headers: headers)
    }
}

/// `GET /sessions` and `POST /sessions`: where somebody has signed in with a token, and how to end that.
struct SessionRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore

    /// The form's word for all sessions but its own.
    private static let others = "others"

    func add(to router: Router<BasicRequestContext>) {
        router.get("/sessions") { request, _ in
            guard let (token, own) = try await door.entry(of: request) else {
                return try pages.signIn(for: request, status: .unauthorized)
            }
            return try page(
                of: try await access.sessions(of: token.id), own: own, token,
                in: pages.language(of: token.role, for: request))
        }
        router.post("/sessions") { request, _ in
            guard door.accepts(request) else { return Response(status: .forbidden) }
            guard let (token, own) = try await door.entry(of: request) else {
                return try pages.signIn(for: request, status: .unauthorized)
            }
            guard let end = try await Doorkeeper.field("end", of: request) else { return Response(status: .badRequest) }
            if end == Self.others {
                try await access.endSessions(of: token.id, but: own)
            } else if let session = PortalSession.ID(end) {
                try await access.endSession(session, of: token.id)
            }
            return SignInRoutes.redirect(to: "/sessions")
        }
    }

    private func page(of sessions: [PortalSession], own: PortalSession.ID, _ token: AccessToken, in language: Language)
        throws -> Response
    {
        let now = door.now()
        func minute(_ time: UnixSeconds) -> String { "\(PeriodCalendar.utc.instantTitle(of: time, in: language)) UTC" }
        let rows = sessions.map { session -> TemplateView in
            let seen = session.id == own ? "own" : Self.seen(now - session.lastLook)
            return [
                "id": session.id.text, "since": minute(session.since), "until": minute(session.until),
                "seen": language.say(.signInLook, ["seen": seen]),
                "ending": language.say(.signInEndOf, ["time": minute(session.since)]),
            ]
        }
        let visitor = language.say(.role, ["role": token.role.word])
        let view: TemplateView = [
            "frame": pages.frame(language.say(.signIns), in: language, visitor: visitor),
            "lede": language.say(.signInsOf, ["token": "\(token.id)"]), "rows": rows,
            "why": language.say(.signInsWhy, ["role": token.role.word]),
            "hasOthers": sessions.contains { $0.id != own },
        ]
        return try pages.response(view, by: "sessions")
    }

    /// Roughly when somebody looked last. Unit: seconds.
    private static func seen(_ age: Int64) -> String {
        age < 900 ? "quarter" : age < 3600 ? "hour" : age < 86_400 ? "day" : "before"
    }
}
