internal import Foundation
internal import ThrongWire

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
