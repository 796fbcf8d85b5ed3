internal import Crypto
internal import Foundation
internal import ThrongWire

/// The address that a plan comes from, and those that its events go to.
struct PlanSource: Sendable {
    /// The app's name, as its plan has it.
    let app: String
    /// `https://…/v1/plan/APP`.
    let plan: URL
    /// `https://…`, to which addresses of credentials and firsts are added.
    let root: String
    /// `https://…/v1/batches`, with the slot where that is known.
    private let batches: URL
    /// `https://…/v1/reveals`.
    let reveals: URL
    /// `https://…/v1/withdraw`.
    let withdrawals: URL

    /// A plan with more bytes is none.
    static let longestPlan = 4 << 20
    /// An answer to a batch with more bytes is none.
    static let longestAnswer = 1 << 20
    /// An evaluator's answer with more bytes is none.
    static let longestEvaluation = 4096

    init(_ url: URL) throws(ThrongError) {
        let parts = url.absoluteString.split(separator: "/v1/plan/", omittingEmptySubsequences: false)
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? ""), url.query() == nil, url.fragment() == nil,
            parts.count == 2, Self.isName(parts[1]),
            let batches = URL(string: parts[0] + "/v1/batches"), let reveals = URL(string: parts[0] + "/v1/reveals"),
            let withdrawals = URL(string: parts[0] + "/v1/withdraw")
        else { throw .planAddress }
        let host = url.host() ?? ""
        guard url.scheme?.lowercased() == "https" || RelayAddress.isLoopback(host) else {
            throw .unencrypted(host: host)
        }
        app = String(parts[1])
        plan = url
        root = String(parts[0])
        (self.batches, self.reveals, self.withdrawals) = (batches, reveals, withdrawals)
    }

    /// The address that everything a device keeps is bound to.
    var address: String { plan.absoluteString }

    /// Returns the address that a device's memory is bound to: a test's is no other's.
    func memoryAddress(isTest: Bool) -> String { isTest ? address + "#test" : address }

    /// Returns the address that a batch goes to. A balancer that knows slots saves several daemons a hop; a sealed
    /// batch has no slot, as it travels by its relay.
    func batches(of batch: Outstanding) -> URL {
        guard let slot = batch.slot, !batch.isSealed else { return batches }
        return batches.appending(queryItems: [URLQueryItem(name: "slot", value: "\(slot)")])
    }

    /// Says whether a text is an app's name in plans: 1 to 63 of `a-z`, `0-9` and `_`, a letter first.
    private static func isName(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count) && text.utf8.first.map { (0x61...0x7a).contains($0) } == true
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f }
    }

    /// Reads the answer of `GET /v1/plan/APP`. Another app's plan would count this app's events as that one's.
    func read(_ document: Data) throws(ThrongError) -> DevicePlan {
        let plan = try Self.read(document)
        guard plan.published.app.text == app else {
            throw .plan("it is the app \(plan.published.app)'s, and the address is \(app)'s.")
        }
        return plan
    }

    /// Reads the answer of `GET /v1/plan/APP`, whatever the app.
    static func read(_ document: Data) throws(ThrongError) -> DevicePlan {
        guard document.count <= longestPlan else { throw ThrongError.plan("it is too large.") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        // What exactly is wrong with it tells an app's developer nothing.
        guard let published = try? decoder.decode(PublicPlan.self, from: document) else {
            throw ThrongError.plan("it is no public plan of a Throng daemon of this version.")
        }
        do { return try DevicePlan(published) } catch { throw error as? ThrongError ?? ThrongError.plan("\(error).") }
    }
}

/// A plan as it is kept: the daemon's bytes, and what it takes to ask whether there are newer ones.
struct StoredPlan: Codable, Sendable {
    var document: Data
    var tag: String?
    /// The time at which the daemon said last that it is the newest.
    var unixSeconds: UnixSeconds
    var address: String
    /// SHA-256 of the documents that were followed, in hexadecimal, oldest first: none of them is newer.
    var followed: [String] = []
    /// The gateway behind the plan's relay, as the daemon named it.
    var gateway: String?

    /// The number of digests that are remembered.
    private static let most = 64

    /// Says whether a document was followed before.
    func hasFollowed(_ document: Data) -> Bool { followed.contains(Self.digest(document)) }

    /// The same with another document.
    func with(_ document: Data, tag: String?, unixSeconds: UnixSeconds) -> StoredPlan {
        let digest = Self.digest(document)
        return StoredPlan(
            document: document, tag: tag, unixSeconds: unixSeconds, address: address,
            followed: (followed.filter { $0 != digest } + [digest]).suffix(Self.most), gateway: gateway)
    }

    private static func digest(_ document: Data) -> String { SHA256.hash(data: document).lowerHex }
}

extension ClientRequest {
    /// Returns a request that brings JSON to the daemon.
    static func post(_ json: Data, to url: URL, headers: [String: String] = [:]) -> ClientRequest {
        ClientRequest(
            method: "POST", url: url, headers: headers.merging(["Content-Type": "application/json"]) { $1 },
            body: json, answerLimit: PlanSource.longestAnswer)
    }
}

/// The outcome of an attempt to send something. Only Throng's own word counts: a captive portal answers 200, a proxy
/// 404.
enum DaemonAnswer<Word: Decodable & Sendable>: Sendable {
    /// It is on disk there, with what the daemon says of it.
    case taken(Word)
    /// Nothing was counted, and nothing will be.
    case rejected(status: Int, error: String)
    /// Nothing was counted by this attempt; come again. Unit: seconds from now, 0 if nothing is said.
    case busy(seconds: Int64)
    /// It never left.
    case notSent
    /// Nobody knows.
    case unanswered

    init(_ response: ClientResponse, now: UnixSeconds) {
        let own = response.daemonError
        switch response.status {
        case 202:
            // Nobody knows what an answer means that can't be read: it goes again, under the same name.
            self = (try? JSONDecoder().decode(Word.self, from: response.body)).map { .taken($0) } ?? .unanswered
        case 429 where own != nil, 503 where own != nil: self = .busy(seconds: response.wait(from: now))
        case 400..<500 where own != nil && response.status != 408 && response.status != 429:
            self = .rejected(status: response.status, error: String((own ?? "").prefix(64)))
        default: self = .unanswered
        }
    }

    init(_ failure: TransportFailure) { self = failure == .notSent ? .notSent : .unanswered }
}

/// The daemon's word for a withdrawal.
struct WithdrawalReceipt: Decodable, Sendable { let receipt: String }

extension ClientResponse {
    /// A daemon's word for a refusal; nil for what comes from something between.
    var daemonError: String? {
        struct Refusal: Decodable { let error: String }
        // A body that can't be read is somebody else's page, which says nothing about a batch.
        return (try? JSONDecoder().decode(Refusal.self, from: body))?.error
    }

    /// `Retry-After` as seconds or as a date (RFC 9110, sections 10.2.3 and 5.6.7), within a day. Unit: seconds.
    func wait(from now: UnixSeconds) -> Int64 {
        guard let header = headers["retry-after"] else { return 0 }
        let seconds = Int64(header) ?? UnixSeconds(httpDate: header).map { $0 - now } ?? 0
        return min(max(seconds, 0), 86_400)
    }
}

/// The correction of the device's clock by the daemon's: hours off, no window would be open.
struct ClockCorrection: Codable, Sendable {
    /// The amount to add to the clock. Unit: seconds.
    private(set) var seconds: Int64 = 0
    /// The number of changes so far.
    private var changes = 0
    /// The clock's reading at the last change; nil before the first.
    private var changed: UnixSeconds?

    /// The last time that calendars know: the year 9999's.
    static let latest = UnixSeconds(253_402_214_400)

    /// The largest error that is not corrected: a plan's date may be five minutes old. Unit: seconds.
    private static let tolerance: Int64 = 360
    /// The least time between two changes, by the device's own clock. Unit: seconds.
    private static let pause: Int64 = 3600

    /// Returns the time, from the reading of a device's clock.
    func applied(to clock: UnixSeconds) -> UnixSeconds {
        min(max(min(max(clock, .epoch), Self.latest) + seconds, .epoch), Self.latest)
    }

    /// Learns what time it is.
    ///
    /// - Parameters:
    ///   - date: what the daemon's clock shows.
    ///   - clock: what the device's clock shows.
    /// - Returns: by how much the time has changed; 0 if it has not. Unit: seconds.
    mutating func learn(_ date: UnixSeconds, at clock: UnixSeconds) -> Int64 {
        let wanted = abs(date - clock) <= Self.tolerance ? 0 : date - clock
        let shift = wanted - seconds
        guard abs(shift) > Self.tolerance, changed.map({ abs(clock - $0) >= Self.pause }) ?? true else { return 0 }
        seconds = wanted
        changes += 1
        changed = clock
        return shift
    }

    /// The mark that tells identifiers before and after a change apart, so that none is seen in two windows.
    var mark: String { changes == 0 ? "" : "\u{1f}\(changes)" }
}
