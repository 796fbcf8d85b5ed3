internal import Crypto
public import Foundation
public import ThrongWire

/// A device's credentials: asks for one a month, keeps it, and makes identifiers by it that nobody can invent.
///
/// It asks at a random time, and a credential makes identifiers of windows that begin after it came. Everything kept is
/// written before a request leaves, so that a stopped device sends the same again and counts once.
///
/// ```swift
/// var options = ThrongOptions()
/// options.identifiers = try DeviceCredentials(app: "notes", vouching: login, storage: keychain)
/// ```
public actor DeviceCredentials: IdentifierSource {
    let app: AppName
    private let vouching: any Vouching
    private let storage: any CredentialStorage
    private let clock: @Sendable () -> Int64
    private var kept: KeptCredentials
    /// True if a request is under way: a second one would be another request.
    private var isAsking = false

    /// Reads what was kept.
    ///
    /// - Parameters:
    ///   - app: as the plan names it.
    ///   - clock: the Unix time, in seconds.
    /// - Throws: ``DeviceCredentialsError/stored``, and what the storage throws.
    public init(
        app: String, vouching: any Vouching, storage: any CredentialStorage,
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) throws {
        self.app = AppName(app)
        (self.vouching, self.storage, self.clock) = (vouching, storage, clock)
        kept = try storage.read().map { try KeptCredentials($0) } ?? KeptCredentials()
    }

    /// Returns the identifier of a window, and what shows it; nil if no credential was there when the window began. The
    /// identifier is the same each time; what shows it is not.
    ///
    /// - Complexity: a millisecond; most of a second where this package is built without optimization.
    public func identifier(of purpose: String, window: Int64, rotationSeconds: Int64) -> AttestedIdentifier? {
        guard (1...Rotation.longest.seconds).contains(rotationSeconds) else { return nil }
        let rotation = Rotation(seconds: rotationSeconds)
        // A window's number is a client's own; beyond this its first second is none.
        guard abs(window) < 1 << 40 else { return nil }
        let number = WindowNumber(window)
        let epoch = Epoch(of: number, rotation: rotation)
        guard let month = kept.months[epoch.description], let since = month.since,
            rotation.start(of: number) > since, let credential = credential(of: epoch)
        else { return nil }
        do {
            let context = try PresentationContext.window(number, of: PurposeName(purpose), app: app)
            let shown = credential.present(for: context.bytes)
            return AttestedIdentifier(
                id: Base64URL.text(of: shown.tag.rawRepresentation), proof: Base64URL.text(of: shown.rawRepresentation))
        } catch {
            // It was checked when it was read; only a name that is too long is left.
            return nil
        }
    }

    /// Returns a month's credential; nil if there is none.
    func credential(of epoch: Epoch) -> Credential? {
        guard let bytes = kept.months[epoch.description]?.credential else { return nil }
        do { return try Credential(rawRepresentation: bytes) } catch {
            // It was checked when it was read.
            return nil
        }
    }

    /// The time when ``renew(by:)`` asks next, in Unix seconds. It is drawn: it tells nobody apart.
    public var nextAsking: Int64 {
        let now = UnixSeconds(clock())
        let epoch = Epoch(containing: now)
        if kept.months[epoch.description]?.credential == nil { return (kept.asking ?? now).value }
        if kept.months[epoch.next.description]?.credential == nil { return (kept.askingNext ?? epoch.end).value }
        return epoch.next.end.value
    }

    /// Asks for a credential of this month, or of the next one in its last days, if its time has come. Call it as often as you
    /// like, such as each time the app starts: it does nothing before.
    ///
    /// - Parameter transport: the way to the daemon; `Throng` hands in its own.
    /// - Returns: whether there is a credential of this month.
    /// - Throws: ``DeviceCredentialsError``, and what parts throw; call it again later.
    @discardableResult public func renew(by transport: any CredentialTransport) async throws -> Bool {
        let now = UnixSeconds(clock())
        let epoch = Epoch(containing: now)
        if kept.draw(for: epoch, now: now) { try keep() }
        guard !isAsking else { return hasCredential(of: epoch) }
        isAsking = true
        defer { isAsking = false }
        if !hasCredential(of: epoch), let asking = kept.asking, asking <= now {
            try await ask(for: epoch, by: transport)
        } else if hasCredential(of: epoch), !hasCredential(of: epoch.next), let asking = kept.askingNext, asking <= now
        {
            try await ask(for: epoch.next, by: transport)
        }
        return hasCredential(of: epoch)
    }

    /// Forgets all credentials: from now on this is another device, as far as the daemon's allowance goes.
    public func forget() throws {
        kept = KeptCredentials()
        try keep()
    }

    private func hasCredential(of epoch: Epoch) -> Bool { kept.months[epoch.description]?.credential != nil }

    private func keep() throws { try storage.replace(with: try kept.bytes()) }

    // MARK: Asking

    private struct Terms: Decodable {
        struct Key: Decodable {
            let epoch: String
            let key: String
        }

        let app: String
        let `protocol`: String
        let epochs: [Key]
        let attesters: [String]
    }

    private func ask(for epoch: Epoch, by transport: any CredentialTransport) async throws {
        let terms = try await terms(by: transport)
        guard terms.attesters.contains(vouching.name) else {
            throw DeviceCredentialsError.attester(name: vouching.name)
        }
        guard let text = terms.epochs.first(where: { $0.epoch == epoch.description })?.key,
            let key = AnyBase64.bytes(text)
        else { throw DeviceCredentialsError.terms }
        let made = try precredential(of: epoch, key: key)
        let request = made.request.rawRepresentation
        var attestation = try await vouching.evidence(for: Array(SHA256.hash(data: request)))
        attestation["by"] = vouching.name
        let body = Question(
            app: app.text, epoch: epoch.description, request: Base64URL.text(of: request), attestation: attestation)
        let (status, answer) = try await transport.send(
            path: "/v1/credentials", body: Array(try JSONEncoder().encode(body)))
        guard status == 200 else { throw Self.refusal(status, answer) }
        guard let bytes = try Self.decoded(Answer.self, answer).flatMap({ AnyBase64.bytes($0.response) }) else {
            throw DeviceCredentialsError.answer
        }
        let credential: Credential
        do throws(AttestationError) {
            credential = try made.finalize(CredentialResponse(rawRepresentation: bytes))
        } catch { throw DeviceCredentialsError.answer }
        // Forgotten while it was under way, or asked for anew by another key.
        guard kept.months[epoch.description]?.request == made.rawRepresentation else { return }
        kept.months[epoch.description] = KeptCredentials.Month(
            request: nil, credential: credential.rawRepresentation, since: UnixSeconds(clock()))
        try keep()
    }

    private func terms(by transport: any CredentialTransport) async throws -> Terms {
        let (status, body) = try await transport.send(path: "/v1/credentials/\(app.text)", body: nil)
        guard status == 200 else { throw Self.refusal(status, body) }
        guard let terms = try Self.decoded(Terms.self, body), terms.app == app.text, terms.protocol == "throng-arc-1"
        else { throw DeviceCredentialsError.terms }
        return terms
    }

    /// The request that was made for this key, or a new one, which is kept before it is sent.
    private func precredential(of epoch: Epoch, key: [UInt8]) throws -> Precredential {
        let made: Precredential
        do throws(AttestationError) {
            let issuer = try IssuerKey(rawRepresentation: key)
            if let bytes = kept.months[epoch.description]?.request {
                let made = try Precredential(rawRepresentation: bytes)
                // A daemon that lost its key has another one.
                if made.isFor(issuer) { return made }
            }
            made = Precredential(for: issuer, requestContext: try epoch.requestContext(of: app))
        } catch { throw DeviceCredentialsError.terms }
        kept.months[epoch.description] = KeptCredentials.Month(
            request: made.rawRepresentation, credential: nil, since: nil)
        try keep()
        return made
    }

    private struct Question: Encodable {
        let app, epoch, request: String
        let attestation: [String: String]
    }

    private struct Answer: Decodable { let response: String }

    private static func refusal(_ status: Int, _ body: [UInt8]) -> DeviceCredentialsError {
        struct Problem: Decodable { let error: String }
        do { return .refused(status: status, error: try decoded(Problem.self, body)?.error ?? "") } catch {
            // This is no daemon's answer; its status says enough.
            return .refused(status: status, error: "")
        }
    }

    /// Nil if it is not of that form.
    private static func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value? {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch is DecodingError { return nil }
    }

    /// Returns what a device posts to `/v1/firsts` for a cell in which it was in a period; nil if it has no credential
    /// of the period's month, or the metric asks for no such first. Send it once the window of the event is over, and
    /// again until it is answered: it counts once.
    ///
    /// - Parameters:
    ///   - cell: as `ProvedFirst.cell`.
    ///   - calendar: the app's, by its plan's time zone.
    /// - Complexity: a millisecond; most of a second where this package is built without optimization.
    public func first(
        in cell: [DimensionName: BucketLabel], of metric: PublicPlan.Metric, period: Period, calendar: PeriodCalendar
    ) -> ProvedFirst? {
        guard let firsts = metric.provedFirsts, firsts.periods.contains(period.kind),
            let credential = credential(of: Epoch(of: period, in: calendar))
        else { return nil }
        do { return try credential.first(in: cell, of: metric.name, firsts, period: period, app: app) } catch {
            // Only a name or a bucket that is too long is left.
            return nil
        }
    }
}

extension Credential {
    /// Returns the proof, to be posted once, that this credential's device is in a cell of a metric in a period.
    ///
    /// - Parameters:
    ///   - cell: a bucket for each dimension of one of the metric's `proved_firsts.groupings`, and of its `partition`.
    ///   - firsts: as the public plan has them.
    ///   - period: of the app's calendar, one of the metric's lengths of time.
    package func first(
        in cell: [DimensionName: BucketLabel], of metric: MetricName, _ firsts: PublicPlan.ProvedFirsts, period: Period,
        app: AppName
    ) throws(AttestationError) -> ProvedFirst {
        let own = cell.filter { !firsts.partition.contains($0.key) }
        let context = try PresentationContext.first(
            in: own, of: metric, layout: firsts.layout, period: period, app: app)
        return ProvedFirst(
            app: app, metric: metric, period: period, cell: cell,
            proof: Base64URL.text(of: present(for: context.bytes).rawRepresentation))
    }
}

/// The reason why a device has no credential.
public enum DeviceCredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The daemon's terms are none that this version knows, or another app's.
    case terms
    /// The daemon does not take this device's attester.
    case attester(name: String)
    /// The daemon refused, with its status and word; what it may do about it.
    case refused(status: Int, error: String)
    /// The daemon's answer is none, or does not hold for its key.
    case answer
    /// The stored bytes can't be read; they are left as they are.
    case stored

    /// The message: what was found and what to do.
    public var description: String {
        switch self {
        case .terms: "the daemon's terms are not those of throng-arc-1 for this app. Update the app or the daemon."
        case .attester(let name): "the daemon does not take the attester \(name). Ask its operator, or use another one."
        case .refused(let status, let error): "the daemon refused a credential with \(status) \(error)."
        case .answer: "the daemon's answer is no credential by the key that it publishes. Ask again later."
        case .stored: "what was stored of credentials can't be read. Read it again, or forget it."
        }
    }
}

/// Makes an attestation of this device: by the platform, a sign-in, or whatever the daemon's operator takes.
public protocol Vouching: Sendable {
    /// The name by which the daemon's terms call it, such as `http` or `app-attest`.
    var name: String { get }

    /// The attestation's other members.
    ///
    /// - Parameter challenge: SHA-256 of the request for a credential, 32 bytes: what is attested has to be bound to it.
    func evidence(for challenge: [UInt8]) async throws -> [String: String]
}

/// Keeps what a device must not lose: by it anybody could pretend to be this device.
public protocol CredentialStorage: Sendable {
    /// Returns the bytes that were kept; nil if none were.
    func read() throws -> [UInt8]?
    /// Keeps bytes instead of those that were kept, durably before it returns.
    func replace(with bytes: [UInt8]) throws
}

/// A device's credentials as kept, in JSON: by month, an unanswered request or a credential; and when it asks.
struct KeptCredentials: Codable, Sendable {
    struct Month: Codable, Sendable {
        /// A ``Precredential``, until its answer is there.
        var request: [UInt8]?
        /// A ``Credential``.
        var credential: [UInt8]?
        var since: UnixSeconds?
    }

    /// The months, by ``Epoch/description``.
    var months: [String: Month] = [:]
    private(set) var asking: UnixSeconds?
    private(set) var askingNext: UnixSeconds?
    /// The month for which these were drawn.
    private var drawn: String?

    /// A device that has no credential of the month asks within so long. Unit: seconds.
    private static let spread: Int64 = 3600

    init() {}

    /// - Throws: ``DeviceCredentialsError/stored`` for what is none of it.
    init(_ bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
            for month in months.values {
                if let request = month.request { _ = try Precredential(rawRepresentation: request) }
                if let credential = month.credential { _ = try Credential(rawRepresentation: credential) }
            }
        } catch { throw DeviceCredentialsError.stored }
    }

    func bytes() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// Draws when to ask, once a month, and forgets months that are over. Returns whether anything changed.
    mutating func draw(for epoch: Epoch, now: UnixSeconds) -> Bool {
        guard drawn != epoch.description else { return false }
        drawn = epoch.description
        months = months.filter { name, _ in Epoch(name).map { $0.over > now } ?? false }
        asking = now + .random(in: 0..<Self.spread)
        askingNext = epoch.end - .random(in: 1...Epoch.lead)
        return true
    }
}
