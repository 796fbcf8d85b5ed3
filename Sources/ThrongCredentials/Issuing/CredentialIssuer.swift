internal import Crypto
package import Logging
internal import Synchronization
package import ThrongAttestation
package import ThrongJournal
package import ThrongWire

/// Gives credentials to devices that somebody vouches for, so many to each in a month.
///
/// The work that costs time is done on a thread of its own, to which all others of the daemon are preferred, one
/// request after another. A limited number of requests may be under way at once, and fewer may wait for attesters that
/// ask others; further ones are told to come again.
///
/// A request that was answered is answered again, without asking an attester and without being counted: a device that
/// lost the answer is not locked out, and nobody else can use it. The note that it was answered is on disk before the answer goes out.
package final class CredentialIssuer: Sendable {
    private struct Places {
        var all = 0
        var asking = 0
    }

    private let rules: [AppName: CredentialRules]
    private let keys: EpochKeys
    private let data: DataDirectory
    private let clock: UnixClock
    private let logger: Logger
    private let thread = WorkThreads(nice: 10)
    private let counts = Mutex<[Epoch: IssuedCounts]>([:])
    private let places = Mutex(Places())

    private static let most = 128
    private static let mostAsking = 64

    package init(
        _ rules: [AppName: CredentialRules], keys: EpochKeys, data: DataDirectory, clock: UnixClock, logger: Logger
    ) { (self.rules, self.keys, self.data, self.clock, self.logger) = (rules, keys, data, clock, logger) }

    /// Returns the public terms of an app's credentials; nil if it has none.
    package func terms(of app: AppName) -> CredentialTerms? {
        guard let rules = rules[app] else { return nil }
        let epochs = keys.issued.compactMap { epoch in
            keys.issuer(of: epoch, app: app).map {
                CredentialTerms.Key(
                    epoch: epoch.description, key: Base64URL.text(of: $0.publicKey), ends: epoch.end.value)
            }
        }
        return CredentialTerms(
            app: app.text, protocol: "throng-arc-1", epochs: epochs, attesters: rules.attesters.map(\.name),
            credentials: rules.most)
    }

    /// Answers a request for a credential: 454 bytes.
    package func answer(_ question: CredentialQuestion) async throws(CredentialRefusal) -> [UInt8] {
        guard let rules = rules[question.app] else { throw .noCredentials }
        guard let attester = rules.attesters.first(where: { $0.name == question.attester }) else {
            throw .unknownAttester(known: rules.attesters.map(\.name))
        }
        let issued = keys.issued
        guard let epoch = issued.first(where: { $0.description == question.epoch }),
            let issuer = keys.issuer(of: epoch, app: question.app)
        else {
            // There is none while the disk takes no key.
            guard !issued.isEmpty else { throw .busy }
            throw .wrongEpoch(issued: issued)
        }
        guard let bytes = AnyBase64.bytes(question.request), bytes.count == AttestationForm.request.byteCount else {
            throw .malformed(pointer: "/request", expected: "226 bytes in base64url")
        }
        guard take(\.all, upTo: Self.most) else { throw .busy }
        defer { places.withLock { $0.all -= 1 } }
        let counts = try counts(of: epoch)
        let first = await thread.run { Self.look(bytes, question.app, counts, issuer) }
        let request: ProvedRequest
        switch first {
        case .unreadable: throw .malformed(pointer: "/request", expected: "a request for a credential of throng-arc-1")
        case .unproved: throw .unproved
        case .known(let answer): return try answer.get()
        case .new(let proved): request = proved
        }
        let device = try await self.device(of: question, by: attester, request, most: rules.most)
        let second = await thread.run { [logger] in
            Self.admit(request, device, question.app, counts, issuer, most: rules.most, logger)
        }
        guard let answer = try second.get() else {
            throw .tooMany(limit: rules.most, secondsLeft: max(1, epoch.end - clock.now))
        }
        return answer
    }

    // MARK: On the thread

    private enum Look: Sendable {
        case unreadable
        case unproved
        case known(Result<[UInt8], CredentialRefusal>)
        case new(ProvedRequest)
    }

    private static func look(_ bytes: [UInt8], _ app: AppName, _ counts: IssuedCounts, _ issuer: Issuer) -> Look {
        let request: ProvedRequest?
        do { request = try ProvedRequest(bytes) } catch { return .unreadable }
        guard let request else { return .unproved }
        return counts.knows(request, of: app) ? .known(issue(request, issuer)) : .new(request)
    }

    /// Counts a request and issues its credential; nil if the device has got all that it may.
    private static func admit(
        _ request: ProvedRequest, _ device: AttestedDevice, _ app: AppName, _ counts: IssuedCounts, _ issuer: Issuer,
        most: Int, _ logger: Logger
    ) -> Result<[UInt8]?, CredentialRefusal> {
        do throws(JournalError) {
            guard try counts.admit(request, of: app, device: device, most: most) else { return .success(nil) }
        } catch {
            logger.error("a credential could not be counted, and was not given", metadata: ["error": "\(error)"])
            return .failure(.busy)
        }
        return issue(request, issuer).map { $0 }
    }

    private static func issue(_ request: ProvedRequest, _ issuer: Issuer) -> Result<[UInt8], CredentialRefusal> {
        do { return .success(try issuer.issue(request)) } catch {
            // swift-crypto checks the proof once more, by code of its own.
            return .failure(.unproved)
        }
    }

    // MARK: Attesters and places

    private func device(
        of question: CredentialQuestion, by attester: any Attester, _ request: ProvedRequest, most: Int
    ) async throws(CredentialRefusal) -> AttestedDevice {
        if attester.asksOthers, !take(\.asking, upTo: Self.mostAsking) { throw .busy }
        defer { if attester.asksOthers { places.withLock { $0.asking -= 1 } } }
        do throws(AttesterError) {
            let key = try await attester.device(
                by: question.evidence, challenge: Array(SHA256.hash(data: request.bytes)), app: question.app)
            return AttestedDevice(attester: attester.name, key: key)
        } catch {
            switch error {
            case .evidence(let member, let expected):
                throw .malformed(pointer: "/attestation/\(member)", expected: expected)
            case .refused(let flaw): throw .notAttested(flaw)
            case .spent:
                let now = clock.now
                throw .tooMany(limit: most, secondsLeft: max(1, Epoch(containing: now).end - now))
            case .unavailable:
                logger.warning(
                    "an attester can't be asked", metadata: ["attester": "\(attester.name)", "error": "\(error)"])
                throw .busy
            }
        }
    }

    private func take(_ place: any WritableKeyPath<Places, Int> & Sendable, upTo most: Int) -> Bool {
        places.withLock { places in
            guard places[keyPath: place] < most else { return false }
            places[keyPath: place] += 1
            return true
        }
    }

    /// Returns the counts of what was issued in an epoch, read when they are first needed.
    private func counts(of epoch: Epoch) throws(CredentialRefusal) -> IssuedCounts {
        let found: Result<IssuedCounts, CredentialRefusal> = counts.withLock { known in
            if let counts = known[epoch] { return .success(counts) }
            // Counts of months whose keys are gone by now are forgotten.
            known = known.filter { keys.deviceKey(of: $0.key) != nil }
            guard let key = keys.deviceKey(of: epoch) else { return .failure(.busy) }
            do throws(JournalError) {
                let counts = try IssuedCounts(data, epoch: epoch, key: key)
                known[epoch] = counts
                return .success(counts)
            } catch {
                logger.error("what was issued can't be read", metadata: ["error": "\(error)"])
                return .failure(.busy)
            }
        }
        return try found.get()
    }
}

/// The public terms of an app's credentials, the same for all: the answer of `GET /v1/credentials/{app}`.
package struct CredentialTerms: Sendable, Hashable, Codable {
    package let app: String
    /// `throng-arc-1`.
    package let `protocol`: String
    /// The months for which credentials are issued now, the present one first.
    package let epochs: [Key]
    package let attesters: [String]
    package let credentials: Int

    /// One month's key.
    package struct Key: Sendable, Hashable, Codable {
        /// `2026-11`.
        package let epoch: String
        /// The public key: 99 bytes in base64url.
        package let key: String
        /// The Unix time of the month's end.
        package let ends: Int64
    }
}

/// A client's request for a credential: the body of `POST /v1/credentials`, read.
package struct CredentialQuestion: Sendable {
    package let app: AppName
    package let epoch: String
    package let request: String
    package let attester: String
    /// The other members of its attestation.
    package let evidence: Evidence

    package init(app: AppName, epoch: String, request: String, attester: String, evidence: Evidence) {
        (self.app, self.epoch, self.request, self.attester) = (app, epoch, request, attester)
        self.evidence = evidence
    }
}

/// The reason why a device gets no credential. No case holds anything that a client sent.
package enum CredentialRefusal: Error, Sendable, Hashable {
    case noCredentials
    case wrongEpoch(issued: [Epoch])
    case unknownAttester(known: [String])
    /// A member is not of its form.
    case malformed(pointer: String, expected: String)
    case unproved
    case notAttested(AttesterError.Flaw)
    /// The device has all that it gets in the month.
    case tooMany(limit: Int, secondsLeft: Int64)
    /// Not now: too many ask, the attester can't be asked, or the disk takes nothing.
    case busy

    /// A stable word for programs.
    package var code: String {
        switch self {
        case .noCredentials: "no_credentials"
        case .wrongEpoch: "wrong_epoch"
        case .unknownAttester: "unknown_attester"
        case .malformed: "wrong_shape"
        case .unproved: "unproved_request"
        case .notAttested: "not_attested"
        case .tooMany: "too_many_credentials"
        case .busy: "overloaded"
        }
    }

    /// Every ``code``, for metric labels.
    package static let codes = [
        "no_credentials", "wrong_epoch", "unknown_attester", "wrong_shape", "unproved_request", "not_attested",
        "too_many_credentials", "overloaded",
    ]

    package var message: String {
        switch self {
        case .noCredentials:
            "Nobody vouches for this app's devices here, so that there are no credentials. Send without one."
        case .wrongEpoch(let issued):
            """
            Credentials are issued for \(issued.map(\.description).joined(separator: " and ")) now. Fetch the keys, and ask \
            with a new request.
            """
        case .unknownAttester(let known):
            "by names none who vouches for this app's devices; allowed: \(known.joined(separator: ", "))."
        case .malformed(let pointer, let expected): "\(pointer) has to be \(expected)."
        case .unproved: "The request's proof does not hold. Make a new one by the key that is published."
        case .notAttested(let flaw):
            "The attestation does not vouch for this request: \(flaw.rawValue). Make one over the SHA-256 of the request."
        case .tooMany(let limit, _):
            "The device has got \(limit) in this month, and no more are given. Use one of them, or wait for the next month."
        case .busy: "No room now: too many ask at once, the attester can't be asked, or the disk is full or slow."
        }
    }
}

/// The number of credentials that each device of an epoch has got, and the requests that they were given for.
///
/// Devices and requests are hashes of 64 bits, keyed with the epoch's secret: among ten million devices, two share one, and
/// their allowance, with a chance of three in a million. About 50 bytes of memory a credential.
final class IssuedCounts: Sendable {
    private struct State {
        var requests: Set<UInt64> = []
        var counts: [UInt64: Int] = [:]

        mutating func add(_ record: IssuedRecord) {
            if requests.insert(record.request).inserted { counts[record.device, default: 0] += 1 }
        }
    }

    private let key: SymmetricKey
    private let records: IssuedRecords
    private let state: Mutex<State>

    init(_ data: DataDirectory, epoch: Epoch, key: SymmetricKey) throws(JournalError) {
        self.key = key
        var found = State()
        records = try IssuedRecords(data, month: epoch.number) { found.add($0) }
        state = Mutex(found)
    }

    /// Says whether a request was answered before: then its answer may be given again: nobody else can use it.
    func knows(_ request: ProvedRequest, of app: AppName) -> Bool {
        let hash = hash("request", app, request.bytes)
        return state.withLock { $0.requests.contains(hash) }
    }

    /// Counts a request of a device, on disk before it returns; false if the device has got all that it may. A request
    /// that is known is not counted again. Blocks; one at a time.
    func admit(_ request: ProvedRequest, of app: AppName, device: AttestedDevice, most: Int) throws(JournalError)
        -> Bool
    {
        let record = IssuedRecord(
            device: hash("device", app, Array(device.attester.utf8) + [0] + device.key),
            request: hash("request", app, request.bytes))
        let verdict: Bool? = state.withLock { state in
            if state.requests.contains(record.request) { return true }
            return state.counts[record.device, default: 0] < most ? nil : false
        }
        if let verdict { return verdict }
        try records.append([record])
        state.withLock { $0.add(record) }
        return true
    }

    /// Returns a keyed hash of 64 bits. An app's name has no byte 0, so that its end is clear.
    private func hash(_ kind: String, _ app: AppName, _ bytes: [UInt8]) -> UInt64 {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(kind.utf8) + [0] + Array(app.text.utf8) + [0] + bytes, using: key)
        return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

struct AttestedDevice: Sendable, Hashable {
    let attester: String
    /// The bytes by which the attester knows the device, of any length. They are hashed at once, and never kept.
    let key: [UInt8]
}
