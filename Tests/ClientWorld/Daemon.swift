package import Foundation
import Synchronization
package import ThrongClient
import ThrongCounting
import ThrongIntake
import ThrongPlan
package import ThrongWire

/// The daemon's own intake and counting, in memory: only HTTP, the journal's disk and PostgreSQL are missing.
package final class Daemon: Sendable {
    /// A counter, by what it means.
    package struct Cell: Hashable, Sendable {
        package let metric: String
        package let period: String
        package let labels: [String]

        package init(metric: String, period: String, labels: [String]) {
            self.metric = metric
            self.period = period
            self.labels = labels
        }
    }

    /// How often devices said that something was their first: by period and tuple.
    package struct First: Hashable, Sendable {
        package let metric: String
        package let kind: PeriodKind
        package let period: String
        package let grouping: Int
        package let labels: [String]
    }

    private struct State {
        var counting: Counting
        var keys: [WindowID: WindowKey] = [:]
        var cells: [Cell: Int64] = [:]
        var sums: [Cell: Int64] = [:]
        var firsts: [First: Int64] = [:]
        var answers: [String: BatchAnswer] = [:]
        var bodies: [String] = []
        var refusals: [String: Int] = [:]
        var document: Data
        var planRequests: [String?] = []
    }

    package let cook: CookPlan
    private let layouts: [MetricLayout]
    private let intake: Intake
    private let keepsBodies: Bool
    private let state: Mutex<State>

    package init(_ cook: CookPlan, keepsBodies: Bool = true) throws {
        self.cook = cook
        self.keepsBodies = keepsBodies
        layouts = try cook.plan.metrics.map { try cook.plan.layout(of: $0, rules: .system) }
        let space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [cook.plan], space: space, rules: .system)
        state = Mutex(
            State(counting: Counting(space: space, position: .start, watermark: .start), document: cook.document))
    }

    /// Events by metric, period and buckets.
    package var cells: [Cell: Int64] { state.withLock { $0.cells } }
    /// Sums, in units of the last decimal.
    package var sums: [Cell: Int64] { state.withLock { $0.sums } }
    package var firsts: [First: Int64] { state.withLock { $0.firsts } }
    /// Every body that arrived, in order, with repetitions.
    package var bodies: [String] { state.withLock { $0.bodies } }
    package var batches: [Batch] { bodies.compactMap { try? JSONDecoder().decode(Batch.self, from: Data($0.utf8)) } }
    /// Why events or whole batches were refused, and how many.
    package var refusals: [String: Int] { state.withLock { $0.refusals } }
    /// The tag with which each request for the plan came.
    package var planRequests: [String?] { state.withLock { $0.planRequests } }

    package func publish(_ document: Data) { state.withLock { $0.document = document } }

    /// The events of a metric in all periods.
    package func total(_ metric: String) -> Int64 {
        cells.reduce(0) { $0 + ($1.key.metric == metric ? $1.value : 0) }
    }

    /// Answers a request that arrives now.
    package func take(_ request: ClientRequest, now: Int64) -> ClientResponse {
        if request.method == "GET" {
            return state.withLock { state in
                let tag = request.headers["If-None-Match"]
                state.planRequests.append(tag)
                let current = "\"\(state.document.count)-\(state.document.hashValue)\""
                if tag == current { return ClientResponse(status: 304) }
                return ClientResponse(status: 200, headers: ["ETag": current], body: state.document)
            }
        }
        let body = String(decoding: request.body, as: UTF8.self)
        do throws(IntakeError) {
            let answer = try post(body, headers: request.headers, now: now)
            return ClientResponse(status: 202, body: (try? JSONEncoder().encode(answer)) ?? Data())
        } catch {
            state.withLock { $0.refusals[error.code, default: 0] += 1 }
            return ClientResponse(status: 422, body: Data(#"{"error":"\#(error.code)","message":""}"#.utf8))
        }
    }

    private func post(_ body: String, headers: [String: String], now: Int64) throws(IntakeError) -> BatchAnswer {
        var signals: Set<OptOutSignal> = []
        if headers["Sec-GPC"] == "1" { signals.insert(.globalPrivacyControl) }
        if headers["DNT"] == "1" { signals.insert(.doNotTrack) }
        var batch = try? JSONDecoder().decode(Batch.self, from: Data(body.utf8))
        let firsts = batch?.events.map(\.firsts) ?? []
        // The intake of this version does not know firsts yet; those of counted events are added up here.
        for place in batch?.events.indices ?? 0..<0 { batch?.events[place].firsts = nil }
        var plain = batch.flatMap { try? String(decoding: JSONEncoder().encode($0), as: UTF8.self) } ?? body
        let read: Result<IntakeOutcome, IntakeError> = plain.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try intake.read(bytes, signals: signals, now: now))
            } catch {
                return .failure(error)
            }
        }
        switch try read.get() {
        case .optedOut(let answer):
            return answer
        case .batch(let incoming):
            return try state.withLock { (state) throws(IntakeError) in
                if keepsBodies { state.bodies.append(body) }
                let window = incoming.bucketed.window
                let key = state.keys[window] ?? .random()
                state.keys[window] = key
                let calendar = CookPlan.calendar ?? .utc
                switch state.counting.count(
                    incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: now,
                    openPeriod: { calendar.period($0.period, containing: now).start })
                {
                case .windowOver:
                    throw .windowOutOfRange(current: window.rotation.window(at: now).value)
                case .repeated(let answer, _):
                    return answer
                case .counted(let counted):
                    apply(&state)
                    for refusal in counted.answer.refused { state.refusals[refusal.reason.rawValue, default: 0] += 1 }
                    if let batch { add(firsts, of: batch, counted.answer, to: &state, calendar: calendar) }
                    return counted.answer
                }
            }
        }
    }

    private func apply(_ state: inout State) {
        guard let flush = state.counting.freeze() else { return }
        for delta in flush.counters {
            let layout = layouts[delta.layout]
            let calendar = CookPlan.calendar ?? .utc
            var rest = Int(delta.cell.value)
            var labels: [String] = []
            for dimension in layout.dimensions.reversed() {
                labels.insert(dimension.labels[rest % dimension.labels.count].text, at: 0)
                rest /= dimension.labels.count
            }
            let cell = Cell(
                metric: layout.metric.text,
                period: calendar.label(of: calendar.period(layout.period, containing: delta.periodStart)),
                labels: labels)
            if delta.measure == .count {
                state.cells[cell, default: 0] += delta.delta
            } else {
                state.sums[cell, default: 0] += delta.delta
            }
        }
        state.counting.applied(flush, closed: [])
    }

    private func add(
        _ firsts: [[String: [String: [Int]]]?], of batch: Batch, _ answer: BatchAnswer, to state: inout State,
        calendar: PeriodCalendar
    ) {
        let refused = Set(answer.refused.map(\.index))
        for (index, event) in batch.events.enumerated() where !refused.contains(index) {
            guard let marks = firsts[index], let at = Self.seconds(event.at) else { continue }
            let fields = batch.context.merging(event.fields ?? [:]) { _, own in own }
            for (metric, kinds) in marks {
                for (kind, groupings) in kinds {
                    guard let kind = PeriodKind(rawValue: kind) else { continue }
                    let period = calendar.label(of: calendar.period(kind, containing: at))
                    for grouping in groupings {
                        let names = grouping == 0 ? [] : grouping == 1 ? ["os"] : ["os", "category"]
                        let labels = names.map { name in
                            if case .text(let label) = fields[name] { label } else { "other" }
                        }
                        let first = First(
                            metric: metric, kind: kind, period: period, grouping: grouping, labels: labels)
                        state.firsts[first, default: 0] += 1
                    }
                }
            }
        }
    }

    private static func seconds(_ text: String) -> Int64? {
        let parts = text.dropLast().split(separator: "T")
        guard parts.count == 2, let date = CalendarDate(parts[0]) else { return nil }
        let clock = parts[1].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        return date.daysSince1970 * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }
}
