internal import Foundation
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

/// A daemon in memory, by a clock and over a network that a trial sets: its intake and its counting are those of `throng serve`.
final class TrialDaemon: Sendable {
    /// The state of the network: the treatment of requests to count.
    enum Network: Sendable {
        case whole
        /// 503; nothing is counted.
        case busy(retrySeconds: Int)
        /// Counted, and the answer is cut off.
        case answersLost
        /// Each batch is refused for good.
        case refusing
    }

    /// A request that arrived.
    struct Arrival: Sendable {
        let path: String
        let body: String
        let at: UnixSeconds
        let status: Int
        /// Nil if the body is no batch.
        let batch: Batch?
    }

    struct Answer: Sendable {
        var status: Int
        var headers: [String: String] = [:]
        var body: String
        var isCut = false
    }

    private struct State {
        var now: UnixSeconds
        var network = Network.whole
        var plan: Plan
        var intake: Intake
        var counting: Counting
        var keys: [WindowID: WindowKey] = [:]
        var arrivals: [Arrival] = []
        /// Occurrences that were counted, by event.
        var counted: [String: Int] = [:]
    }

    private let state: Mutex<State>

    init(now: UnixSeconds) throws {
        let plan = try Self.plan(now: now, consentVersion: nil)
        let (intake, counting) = try Self.counters(of: plan)
        state = Mutex(State(now: now, plan: plan, intake: intake, counting: counting))
    }

    private static func counters(of plan: Plan) throws -> (Intake, Counting) {
        let space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
        return (
            try Intake(plans: [plan], space: space, rules: .system),
            Counting(space: space, position: .start, watermark: .start)
        )
    }

    private static func plan(now: UnixSeconds, consentVersion: Int?) throws -> Plan {
        let expiry = "\(PeriodCalendar.utc.date(at: now + 200 * 86_400))"
        var text = String(decoding: PackageResources.conform_yaml, as: UTF8.self).replacing("EXPIRES", with: expiry)
        if let consentVersion {
            text.replace("consent: required,", with: "consent: required, consent_version: \(consentVersion),")
        }
        return try Plan(yaml: text, file: "conform.yaml", today: PeriodCalendar.utc.date(at: now))
    }

    /// Sets the version that people are asked about from now on. The counts so far are forgotten.
    func raiseConsent(to version: Int) throws {
        let plan = try Self.plan(now: now, consentVersion: version)
        let (intake, counting) = try Self.counters(of: plan)
        state.withLock { ($0.plan, $0.intake, $0.counting) = (plan, intake, counting) }
    }

    var now: UnixSeconds { state.withLock { $0.now } }
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    /// Batches that arrived, with repetitions.
    var batches: [Batch] { arrivals.compactMap(\.batch) }
    func counted(_ event: String) -> Int { state.withLock { $0.counted[event] ?? 0 } }
    func pass(_ seconds: Int64) { state.withLock { $0.now = $0.now + seconds } }
    func set(_ network: Network) { state.withLock { $0.network = network } }

    /// A batch as it came, with the context that may be left out; nil for anything else.
    private static func batch(in body: String) -> Batch? {
        do {
            let members = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
            let whole = ["context": [String: Any]()].merging(members ?? [:]) { $1 }
            return try JSONDecoder().decode(Batch.self, from: JSONSerialization.data(withJSONObject: whole))
        } catch {
            // It was refused, and is none of those that a trial looks at.
            return nil
        }
    }

    // MARK: Requests

    func answer(_ method: String, _ path: String, body: String, signals: Set<OptOutSignal>) -> Answer {
        state.withLock { state in
            var answer = Self.take(method, path, body, signals, &state)
            answer.headers["Date"] = state.now.httpDate
            if method == "POST" {
                let batch = path == "/v1/batches" ? Self.batch(in: body) : nil
                state.arrivals.append(
                    Arrival(
                        path: path, body: body, at: state.now, status: answer.isCut ? 0 : answer.status, batch: batch))
            }
            return answer
        }
    }

    private static func take(
        _ method: String, _ path: String, _ body: String, _ signals: Set<OptOutSignal>, _ state: inout State
    ) -> Answer {
        switch (method, path) {
        case ("GET", "/v1/plan/conform"):
            // A plan that was read can be written.
            let text = (try? state.plan.publicDocument()).map { String(decoding: $0, as: UTF8.self) }
            return text.map { Answer(status: 200, body: $0) } ?? refusal(500, "plan")
        case ("POST", "/v1/batches"):
            if case .refusing = state.network { return refusal(422, "unknown_purpose") }
            if case .busy(let seconds) = state.network {
                var answer = refusal(503, "overloaded")
                answer.headers["Retry-After"] = "\(seconds)"
                return answer
            }
            var answer = batch(body, signals, &state)
            if case .answersLost = state.network { answer.isCut = true }
            return answer
        case ("POST", "/v1/withdraw"):
            return Answer(status: 202, body: #"{"receipt":"00000000000000000000000000000000"}"#)
        default: return refusal(404, "not_found")
        }
    }

    private static func batch(_ body: String, _ signals: Set<OptOutSignal>, _ state: inout State) -> Answer {
        var text = body
        let (intake, now) = (state.intake, state.now)
        let outcome = text.withUTF8 { bytes -> Result<IntakeOutcome, IntakeError> in
            Result { () throws(IntakeError) in try intake.read(bytes, signals: signals, now: now) }
        }
        switch outcome {
        case .failure(let error): return refusal(error == .unknownApp ? 404 : 422, error.code)
        case .success(.optedOut(let answer, _, _)), .success(.consentOutdated(let answer, _)),
            .success(.keptApart(let answer)):
            return accepted(answer)
        case .success(.batch(let incoming)):
            let window = incoming.bucketed.window
            let key = state.keys[window] ?? .random()
            state.keys[window] = key
            let counted = state.counting.count(
                incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: now)
            switch counted {
            case .counted(let counted):
                let refused = Set(counted.answer.refused.map(\.index))
                let batch = self.batch(in: body)
                for (place, event) in (batch?.events ?? []).enumerated() where !refused.contains(place) {
                    state.counted[event.event, default: 0] += event.count ?? 1
                }
                return accepted(counted.answer)
            case .repeated(let answer, _): return accepted(answer)
            case .windowOver: return refusal(422, "window_out_of_range")
            case .full, .withdrawn: return refusal(503, "overloaded")
            }
        }
    }

    private static func accepted(_ answer: BatchAnswer) -> Answer {
        // Numbers and words of the protocol can be written.
        let data = (try? JSONEncoder().encode(answer)) ?? Data()
        return Answer(status: 202, body: String(decoding: data, as: UTF8.self))
    }

    private static func refusal(_ status: Int, _ code: String) -> Answer {
        Answer(
            status: status, headers: ["Content-Type": "application/problem+json"],
            body:
                #"{"type":"urn:throng:error:\#(code)","title":"\#(code)","status":\#(status),"detail":"","error":"\#(code)"}"#
        )
    }
}
