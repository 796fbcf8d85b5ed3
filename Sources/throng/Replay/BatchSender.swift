import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

/// Posts batches to a daemon until each was answered for good.
///
/// A batch that got no answer, or 503, is sent again under the same batch id, so that it counts once.
struct BatchSender: Sendable {
    let endpoint: String
    /// The time for which a batch is tried before the sender gives up.
    let patience: Duration
    let connections: Int
    /// Certificates in PEM that vouch for the server, beside the system's.
    private let authorities: String?

    struct Tally: Encodable, Sendable {
        var batches = 0
        var sent = 0
        var accepted = 0
        var refused = 0
        var retried = 0
        var refusals: [String: Int] = [:]
        var refusedBatches: [String: Int] = [:]

        fileprivate mutating func add(_ other: Tally) {
            batches += other.batches
            sent += other.sent
            accepted += other.accepted
            refused += other.refused
            retried += other.retried
            refusals.merge(other.refusals, uniquingKeysWith: +)
            refusedBatches.merge(other.refusedBatches, uniquingKeysWith: +)
        }
    }

    typealias Parcel = Crowd.Parcel

    private struct ServerRefusal: Decodable { let error: String }

    init(to base: String, patience: Duration = .seconds(60), connections: Int = 8, authorities: String? = nil) throws {
        guard let url = URL(string: base), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            throw CommandFailure("'\(AddressText.shown(base))' is no address of a server; write http://127.0.0.1:8080.")
        }
        endpoint = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/v1/batches"
        (self.patience, self.connections, self.authorities) = (patience, connections, authorities)
    }

    /// Sends every parcel; the order between parcels is not kept.
    func send(_ parcels: [Parcel], progress: ProgressBar) async throws -> Tally {
        try await withThrowingTaskGroup(of: Tally.self) { group in
            for worker in 0..<min(connections, parcels.count) {
                group.addTask {
                    var rules = ConnectionRules()
                    rules.authorities = authorities
                    let connection = HTTPConnection(rules)
                    var tally = Tally()
                    for place in stride(from: worker, to: parcels.count, by: connections) {
                        try await send(parcels[place], over: connection, tally: &tally)
                        progress.advance(by: parcels[place].events)
                    }
                    return tally
                }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
    }

    private func send(_ parcel: Parcel, over connection: HTTPConnection, tally: inout Tally) async throws {
        tally.batches += 1
        tally.sent += parcel.events
        let deadline = ContinuousClock.now + patience
        var pause = Duration.milliseconds(100)
        let request = OutgoingRequest(
            .post, endpoint, headers: [(name: "content-type", value: "application/json")],
            body: Array(parcel.body.utf8))
        while true {
            var retryAfter: Duration?
            do {
                let answer = try await connection.answer(to: request, within: .seconds(30), bodyLimit: 1 << 20)
                switch answer.status {
                case 202: return try note(JSONDecoder().decode(BatchAnswer.self, from: Data(answer.body)), &tally)
                case 503: retryAfter = answer.header("retry-after").flatMap { Int($0) }.map { .seconds($0) }
                default:
                    tally.refused += parcel.events
                    tally.refusedBatches[Self.word(for: answer), default: 0] += 1
                    return
                }
            } catch let error as DecodingError {
                throw CommandFailure("\(endpoint) answered 202 with something that is no answer to a batch: \(error)")
            } catch {
                // No answer: the batch may or may not have been counted; the same id again tells the server.
                guard ContinuousClock.now < deadline else {
                    throw CommandFailure(
                        "\(endpoint) did not answer for \(patience): \(error). Start it, then run this again.")
                }
            }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("\(endpoint) was overloaded for \(patience). Wait for PostgreSQL to catch up.")
            }
            tally.retried += 1
            try await Task.sleep(for: min(retryAfter ?? pause, patience))
            pause = min(pause * 2, .seconds(5))
        }
    }

    /// The server's word for a refusal, or the bare status where something else than a daemon answered.
    private static func word(for answer: ReceivedAnswer) -> String {
        do {
            return try JSONDecoder().decode(ServerRefusal.self, from: Data(answer.body)).error
        } catch {
            return "http_\(answer.status)"
        }
    }

    private func note(_ answer: BatchAnswer, _ tally: inout Tally) {
        tally.accepted += answer.accepted
        tally.refused += answer.refused.count
        for refusal in answer.refused { tally.refusals[refusal.reason.rawValue, default: 0] += 1 }
    }
}
