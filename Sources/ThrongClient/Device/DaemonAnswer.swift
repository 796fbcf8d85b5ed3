internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The outcome of an attempt to send a batch.
///
/// Only what Throng itself says counts as its word: a captive portal answers 200, a proxy 404, and neither knows what
/// became of a batch.
enum DaemonAnswer: Sendable {
    /// The batch is on disk there, and counted except for the refused events.
    case counted(BatchAnswer)
    /// Nothing was counted, and nothing will be.
    case rejected(status: Int, error: String)
    /// Nothing was counted by this attempt; come again. Unit: seconds from now, 0 if nothing is said.
    case busy(seconds: Int64)
    /// It never left.
    case notSent
    /// Nobody knows.
    case unanswered

    /// Nothing that anyone says keeps a device silent for longer. Unit: seconds.
    private static let longestWait: Int64 = 86_400

    init(_ response: ClientResponse, now: UnixSeconds) {
        if response.status == 202 {
            // Nobody knows what was counted, so the batch goes again, under the same name.
            if let answer = try? JSONDecoder().decode(BatchAnswer.self, from: response.body) {
                self = .counted(answer)
            } else {
                self = .unanswered
            }
        } else {
            self = Self.refusal(response, now: now)
        }
    }

    /// A daemon's word for a refusal; nil for what comes from something between.
    static func error(in response: ClientResponse) -> String? {
        struct Refusal: Decodable { let error: String }
        // A body that can't be read is somebody else's page, which says nothing about a batch.
        return (try? JSONDecoder().decode(Refusal.self, from: response.body))?.error
    }

    /// Returns the outcome of a request that was not taken; only Throng's own words make it busy or rejected.
    fileprivate static func refusal(_ response: ClientResponse, now: UnixSeconds) -> DaemonAnswer {
        let own = error(in: response)
        switch response.status {
        case 429 where own != nil, 503 where own != nil:
            return .busy(seconds: wait(response.headers["retry-after"], now: now))
        case 400..<500 where own != nil && response.status != 408 && response.status != 429:
            return .rejected(status: response.status, error: String((own ?? "").prefix(64)))
        default:
            return .unanswered
        }
    }

    /// `Retry-After` as seconds or as a date (RFC 9110, sections 10.2.3 and 5.6.7), within a day.
    static func wait(_ header: String?, now: UnixSeconds) -> Int64 {
        guard let header else { return 0 }
        if let seconds = Int64(header) { return min(max(seconds, 0), longestWait) }
        guard let then = instant(header) else { return 0 }
        return min(max(then - now, 0), longestWait)
    }

    /// The date of a header, such as "Sun, 06 Nov 1994 08:49:37 GMT"; nil for anything else.
    static func instant(_ header: String) -> UnixSeconds? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = header.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            let date = CalendarDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = parts[4].split(separator: ":").map { Int64($0) ?? -1 }
        guard clock.count == 3, clock.allSatisfy({ (0..<61).contains($0) }) else { return nil }
        return UnixSeconds(date.daysSince1970 * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }
}

/// The outcome of an attempt to take something back.
enum WithdrawalAnswer: Sendable {
    /// The withdrawal is on disk there: nothing of the identifier counts any more.
    case taken
    /// It stays.
    case rejected(status: Int, error: String)
    /// Come again. Unit: seconds from now, 0 if nothing is said.
    case busy(seconds: Int64)
    /// It never left.
    case notSent
    /// Nobody knows.
    case unanswered

    init(_ response: ClientResponse, now: UnixSeconds) {
        struct Receipt: Decodable { let receipt: String }
        if response.status == 202 {
            // An answer without a receipt is somebody else's.
            self = (try? JSONDecoder().decode(Receipt.self, from: response.body)) == nil ? .unanswered : .taken
            return
        }
        switch DaemonAnswer.refusal(response, now: now) {
        case .rejected(let status, let error): self = .rejected(status: status, error: error)
        case .busy(let seconds): self = .busy(seconds: seconds)
        case .notSent: self = .notSent
        case .counted, .unanswered: self = .unanswered
        }
    }
}
