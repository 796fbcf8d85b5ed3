package import Foundation
import Synchronization
package import ThrongClient
import ThrongIngest
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

    /// A tracked cell in a window of which identifiers are counted.
    package struct Device: Hashable, Sendable {
        package let metric: String
        package let period: UnixSeconds
        package let window: Int64
        let margin: Margin
        let cell: CellIndex
    }

    /// How often devices said that something was their first: by period and tuple.
    package struct First: Hashable, Sendable {
        package let metric: String
        package let kind: PeriodKind
        package let period: String
        /// One a dimension of the grouping.
        package let labels: [String]
    }

    struct State {
        var counting: Counting
        /// What a journal would have, to be taken back.
        var journal: [WindowID: [CountedBatch]] = [:]
        var withdrawals: [WithdrawRequest] = []
        var keys: [WindowID: WindowKey] = [:]
        var cells: [Cell: Int64] = [:]
        var sums: [Cell: Int64] = [:]
        var devices: [Device: Int64] = [:]
        var firsts: [First: Int64] = [:]
        var answers: [String: BatchAnswer] = [:]
        var bodies: [String] = []
        var refusals: [String: Int] = [:]
        var document: Data
        var planRequests: [String?] = []
        /// By hour, what is released by then.
        var closed: [Int64: Set<ClosedPeriod>] = [:]
        /// What is released by the time of the last request.
        var closing: Set<ClosedPeriod> = []
    }

    package let cook: CookPlan
    private let layouts: [MetricLayout]
    private let ids: [LayoutID]
    let space: CellSpace
    let intake: Intake
    private let keepsBodies: Bool
    let state: Mutex<State>

    package init(_ cook: CookPlan, keepsBodies: Bool = true) throws {
        self.cook = cook
        self.keepsBodies = keepsBodies
        layouts = try cook.plan.metrics.map { try cook.plan.layout(of: $0, rules: .system) }
        space = CellSpace(layouts: layouts)
        ids = space.ids
        intake = try Intake(plans: [cook.plan], space: space, rules: .system)
        state = Mutex(
            State(counting: Counting(space: space, position: .start, watermark: .start), document: cook.document))
    }

    /// Events by metric, period and buckets.
    package var cells: [Cell: Int64] { state.withLock { $0.cells.filter { $1 != 0 } } }
    /// Sums, in units of the last decimal.
    package var sums: [Cell: Int64] { state.withLock { $0.sums.filter { $1 != 0 } } }
    package var firsts: [First: Int64] { state.withLock { $0.firsts.filter { $1 != 0 } } }
    /// Distinct identifiers.
    package var devices: [Device: Int64] { state.withLock { $0.devices.filter { $1 != 0 } } }
    /// Every withdrawal that arrived and was taken, in order, with repetitions.
    package var withdrawals: [WithdrawRequest] { state.withLock { $0.withdrawals } }
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
    ///
    /// - Parameters:
    ///   - renamed: whether a batch has another name than the one that the client gave it.
    ///   - isSealed: whether it came through a relay.
    package func take(
        _ request: ClientRequest, now: UnixSeconds, renamed: Bool = false, isSealed: Bool = false
    ) -> ClientResponse {
        if request.method == "GET" {
            return state.withLock { state in
                let tag = request.headers["If-None-Match"]
                state.planRequests.append(tag)
                let current = "\"\(state.document.count)-\(state.document.hashValue)\""
                let date = ["Date": Self.date(now.value)]
                if tag == current { return ClientResponse(status: 304, headers: date) }
                return ClientResponse(
                    status: 200, headers: date.merging(["ETag": current]) { $1 }, body: state.document)
            }
        }
        var body = String(decoding: request.body, as: UTF8.self)
        if renamed { body.replace(#/"batch":"../#, with: #""batch":"00"#) }
        do throws(IntakeError) {
            // Whoever tests what is proved looks at what came.
            if request.url.lastPathComponent == "firsts" { return ClientResponse(status: 202, body: Data("{}".utf8)) }
            if request.url.lastPathComponent == "withdraw" {
                let receipt = try withdraw(body, now: now, isSealed)
                return ClientResponse(status: 202, body: Data(#"{"receipt":"\#(receipt)"}"#.utf8))
            }
            let answer = try post(body, headers: request.headers, now: now, isSealed)
            return ClientResponse(status: 202, body: (try? JSONEncoder().encode(answer)) ?? Data())
        } catch {
            state.withLock { $0.refusals[error.code, default: 0] += 1 }
            return ClientResponse(status: 422, body: Data(#"{"error":"\#(error.code)","message":""}"#.utf8))
        }
    }

    /// As HTTP writes a date: "Sun, 06 Nov 1994 08:49:37 GMT".
    private static func date(_ unixSeconds: Int64) -> String {
        let format = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSince1970: Double(unixSeconds)).formatted(format)
    }

    private func post(
        _ body: String, headers: [String: String], now: UnixSeconds, _ isSealed: Bool
    ) throws(IntakeError) -> BatchAnswer {
        var signals: Set<OptOutSignal> = []
        if headers["Sec-GPC"] == "1" { signals.insert(.globalPrivacyControl) }
        if headers["DNT"] == "1" { signals.insert(.doNotTrack) }
        var body = body
        let read: Result<IntakeOutcome, IntakeError> = body.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try intake.read(bytes, signals: signals, now: now, isSealed: isSealed))
            } catch {
                return .failure(error)
            }
        }
        switch try read.get() {
        case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer):
            state.withLock { state in
                for refusal in answer.refused { state.refusals[refusal.reason.rawValue, default: 0] += 1 }
            }
            return answer
        case .batch(let incoming):
            return try state.withLock { (state) throws(IntakeError) in
                if keepsBodies { state.bodies.append(body) }
                let window = incoming.bucketed.window
                let key = state.keys[window] ?? .random()
                state.keys[window] = key
                close(&state, now: now)
                switch state.counting.count(
                    incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: now)
                {
                case .full: throw IntakeError.noMemory
                case .withdrawn:
                    let refused = incoming.bucketed.events.indices
                    state.refusals[RefusalReason.optedOut.rawValue, default: 0] += refused.count
                    return BatchAnswer(
                        accepted: 0, refused: refused.map { .init(index: $0, reason: .optedOut) })
                case .windowOver:
                    throw .windowOutOfRange(current: window.rotation.window(at: now).value)
                case .repeated(let answer, _):
                    return answer
                case .counted(let counted):
                    state.journal[window, default: []].append(counted)
                    apply(&state)
                    for refusal in counted.answer.refused { state.refusals[refusal.reason.rawValue, default: 0] += 1 }
                    return counted.answer
                }
            }
        }
    }

    /// Closes what a daemon with the plan's grace has released by now. Devices live one after another here, so now may
    /// lie before what it was for the last one.
    func close(_ state: inout State, now: UnixSeconds) {
        let hour = now.flooredQuotient(by: 3600)
        let closed =
            state.closed[hour]
            ?? Set(zip(layouts, ids).flatMap { closedPeriods(of: $0, $1, at: UnixSeconds(hour * 3600)) })
        state.closed[hour] = closed
        state.closing = closed
        let flushed = state.counting.flushed
        state.counting.applied(
            Flush(after: flushed, through: flushed, layouts: [], counters: [], distinct: []), closed: closed)
    }

    /// Those that an event which is not too old may be of.
    private func closedPeriods(of layout: MetricLayout, _ id: LayoutID, at now: UnixSeconds) -> [ClosedPeriod] {
        let calendar = CookPlan.calendar ?? .utc
        let grace = cook.plan.app.grace.components.seconds
        var period = calendar.period(layout.period, containing: now)
        var closed: [ClosedPeriod] = []
        while period.end > now - 3 * CookPlan.day {
            if period.end + grace <= now { closed.append(ClosedPeriod(layout: id, periodStart: period.start)) }
            period = calendar.period(layout.period, containing: period.start - 1)
        }
        return closed
    }

    func apply(_ state: inout State) {
        guard let flush = state.counting.freeze() else { return }
        let calendar = CookPlan.calendar ?? .utc
        for delta in flush.distinct {
            let device = Device(
                metric: layouts[delta.layout].metric.text, period: delta.periodStart, window: delta.window.value,
                margin: delta.margin, cell: delta.cell)
            state.devices[device, default: 0] += delta.delta
        }
        for delta in flush.counters + flush.taken {
            let layout = layouts[delta.layout]
            let labels = layout.labels(of: delta.cell)
            let period = calendar.label(of: calendar.period(layout.period, containing: delta.periodStart))
            let cell = Cell(metric: layout.metric.text, period: period, labels: labels)
            let place = Int(delta.measure.value) - 1
            if delta.measure == .count {
                state.cells[cell, default: 0] += delta.delta
            } else if place < layout.sums.count {
                state.sums[cell, default: 0] += delta.delta
            } else if let firsts = layout.firsts {
                let (length, grouping) = (place - layout.sums.count).quotientAndRemainder(
                    dividingBy: firsts.groupings.count)
                let kind = firsts.periods[length]
                let first = First(
                    metric: layout.metric.text, kind: kind,
                    period: calendar.label(of: calendar.period(kind, containing: delta.periodStart)),
                    labels: labels.indices.filter(firsts.groupings[grouping].keeps).map { labels[$0] })
                state.firsts[first, default: 0] += delta.delta
            }
        }
        state.counting.applied(flush, closed: state.closing)
    }
}

extension MetricLayout {
    /// A leaf cell's bucket of each dimension.
    fileprivate func labels(of cell: CellIndex) -> [String] {
        var rest = Int(cell.value)
        var labels: [String] = []
        for dimension in dimensions.reversed() {
            labels.insert(dimension.labels[rest % dimension.labels.count].text, at: 0)
            rest /= dimension.labels.count
        }
        return labels
    }
}
