internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What an attempt to send a batch came to.
///
/// Only what Throng itself says counts as its word: a captive portal answers 200, a proxy 404, and neither knows what
/// became of a batch.
enum DaemonAnswer: Sendable {
    /// On disk there, and counted but for the refused events.
    case counted(BatchAnswer)
    /// Nothing was counted, and nothing will be.
    case rejected(status: Int, error: String)
    /// Nothing was counted by this attempt; come again. Unit: seconds from now, 0 where nothing is said.
    case busy(seconds: Int64)
    /// It never left.
    case notSent
    /// Nobody knows.
    case unanswered

    /// Nothing that anyone says keeps a device silent for longer. Unit: seconds.
    private static let longestWait: Int64 = 86_400

    init(_ response: ClientResponse, now: UnixSeconds) {
        struct Refusal: Decodable { let error: String }
        let decoder = JSONDecoder()
        // What is no refusal by a daemon comes from something between.
        let own = try? decoder.decode(Refusal.self, from: response.body)
        switch response.status {
        case 202:
            // Nobody knows what was counted, so the batch goes again, under the same name.
            if let answer = try? decoder.decode(BatchAnswer.self, from: response.body) {
                self = .counted(answer)
            } else {
                self = .unanswered
            }
        case 503 where own != nil:
            self = .busy(seconds: Self.wait(response.headers["retry-after"], now: now))
        case 400..<500 where own != nil && response.status != 408 && response.status != 429:
            self = .rejected(status: response.status, error: String((own?.error ?? "").prefix(64)))
        default:
            self = .unanswered
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
