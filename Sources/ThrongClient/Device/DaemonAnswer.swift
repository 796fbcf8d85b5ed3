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

extension Encodable {
    /// The value as it is sent: JSON with sorted keys.
    var sentText: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
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
