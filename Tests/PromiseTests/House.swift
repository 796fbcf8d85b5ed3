import ThrongIngest
import ThrongNoise
import ThrongPlan
import ThrongRelease
import ThrongSystem
import ThrongWire

/// The whole way from bytes to a release, in memory: only HTTP, the journal's disk and PostgreSQL are missing.
struct House {
    let plan: Plan
    let layouts: [MetricLayout]
    let intake: Intake
    var counting: Counting
    private var keys: [WindowID: WindowKey] = [:]
    private var counters: [CounterKey: Int64] = [:]
    private var distinct: [DistinctKey: Int64] = [:]

    /// Noon of 2026-11-20, UTC.
    static let noon = UnixSeconds(1_795_176_000)

    struct CounterKey: Hashable {
        let layout: Int
        let periodStart: UnixSeconds
        let measure: MeasureIndex
        let cell: CellIndex
    }

    struct DistinctKey: Hashable {
        let layout: Int
        let periodStart: UnixSeconds
        let margin: Margin
        let cell: CellIndex
        let window: WindowNumber
    }

    init(_ yaml: String) throws {
        let read = try Plan(yaml: yaml, file: "test.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try read.metrics.map { try read.layout(of: $0, rules: .system) }
        let space = CellSpace(layouts: layouts)
        plan = read
        self.layouts = layouts
        intake = try Intake(plans: [read], space: space, rules: .system)
        counting = Counting(space: space, position: .start, watermark: .start)
    }

    /// Posts a body; returns what the client is told, or why the batch was refused.
    ///
    /// - Parameter hasProof: whether its identifier is proved by it.
    mutating func post(
        _ body: String, at now: UnixSeconds = House.noon, signals: Set<OptOutSignal> = [], hasProof: Bool = false
    ) throws(IntakeError) -> BatchAnswer {
        var copy = body
        let result: Result<IntakeOutcome, IntakeError> = copy.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try intake.read(bytes, signals: signals, now: now))
            } catch {
                return .failure(error)
            }
        }
        switch try result.get() {
        case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer): return answer
        case .batch(let incoming):
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            let outcome = counting.count(
                incoming.bucketed, identifier: incoming.identifier.keyed(with: key), hasProof: hasProof,
                liftsFloors: !incoming.isBot, now: now)
            switch outcome {
            case .counted(let batch): return batch.answer
            case .repeated(let answer, _): return answer
            case .full: throw .noMemory
            case .withdrawn: preconditionFailure("nobody withdraws here")
            case .windowOver: throw .windowOutOfRange(current: window.rotation.window(at: now).value)
            }
        }
    }

    /// Moves what is pending into the counters, as PostgreSQL would.
    mutating func flush(closed: Set<ClosedPeriod> = []) {
        guard let flush = counting.freeze() else { return }
        for delta in flush.counters {
            let key = CounterKey(
                layout: delta.layout, periodStart: delta.periodStart, measure: delta.measure, cell: delta.cell)
            counters[key, default: 0] += delta.delta
        }
        for delta in flush.distinct {
            let key = DistinctKey(
                layout: delta.layout,
                periodStart: delta.periodStart,
                margin: delta.margin,
                cell: delta.cell,
                window: delta.window)
            distinct[key, default: 0] += delta.delta
        }
        counting.applied(flush, closed: closed)
    }

    /// Every counter, by what it means; empty where nothing was counted.
    var stored: [CounterKey: Int64] { counters }

    /// The release of a metric for the period that holds an instant, without noise, so that numbers can be compared.
    mutating func release(_ metric: MetricName, at instant: UnixSeconds = House.noon) throws -> Release {
        try Fault.with([.noiseOff]) { try drawn(metric, at: instant) }
    }

    /// The same with the noise that it has.
    mutating func drawn(_ metric: MetricName, at instant: UnixSeconds = House.noon) throws -> Release {
        let cube = try cube(metric, at: instant)
        guard let found = plan.metric(metric) else { throw UnknownMetric() }
        let header = ReleaseHeader(plan: plan, metric: found, layout: cube.layout, period: cube.period)
        let evidence = ReleaseEvidence(
            layout: cube.layout, period: cube.period, parts: [cube],
            origins: plan.origins(of: found).mapValues { [$0] }, countedInLayout: plan.counted(by: found))
        return try MarginCase(header: header, on: evidence, factors: plan.marginFactors(of: found))
            .decide(secret: Self.secret).release
    }

    private static let secret = DrawSecret(bytes: UInt8(0)..<32)

    /// The raw counters of a metric for the period that holds an instant.
    mutating func cube(_ metric: MetricName, at instant: UnixSeconds = House.noon) throws -> StoredCube {
        flush()
        guard let place = layouts.firstIndex(where: { $0.metric == metric }), let found = plan.metric(metric) else {
            throw UnknownMetric()
        }
        let period = PeriodCalendar.utc.period(found.period, containing: instant)
        return StoredCube(
            layout: layouts[place],
            period: period,
            counters: counters.filter { $0.key.layout == place && $0.key.periodStart == period.start }.map {
                StoredCounter(measure: $0.key.measure, cell: $0.key.cell, value: $0.value)
            },
            distinct: distinct.filter { $0.key.layout == place && $0.key.periodStart == period.start }.map {
                StoredDistinct(margin: $0.key.margin, cell: $0.key.cell, window: $0.key.window, devices: $0.value)
            })
    }

    struct UnknownMetric: Error {}

    /// A batch of one device.
    static func batch(
        device: String,
        purpose: String = "product",
        now: UnixSeconds = House.noon,
        rotation: Int64 = 900,
        id: BatchID = .random(),
        context: String = "{}",
        events: String
    ) -> String {
        """
        {"app":"shop","batch":"\(id)","purpose":"\(purpose)","window":\(now.value / rotation),"id":"\(device)",\
        "context":\(context),"events":[\(events)]}
        """
    }

    static func event(_ name: String, fields: String = "{}", at: String = "2026-11-20T11:59:00Z", count: Int = 1)
        -> String
    {
        #"{"event":"\#(name)","at":"\#(at)","fields":\#(fields),"count":\#(count)}"#
    }

    /// A plan with one metric over a dimension that partitions devices and one that does not.
    static let shop = """
        app:
          name: shop
          title: Shop
          owner: Team
          contact: privacy@example.com
          audience: 1000
          threshold: 20
        purposes:
          product:
            explanation: To see what is used.
            consent: not_required
            refused_by: [global_privacy_control]
            rotation: 15 minutes
            retention: 400 days
        dimensions:
          os:
            title: System
            field: os
            list: [ios, android]
            partitions: devices
          category:
            title: Category
            field: category
            list: [cake, bread]
        metrics:
          views:
            title: Views
            events: [view]
            question: What is looked at?
            decision: What we bake.
            owner: Team
            expires: 2027-10-31
            purpose: product
            dimensions: [os, category]
            period: day
            measures:
              reach: true
              sums:
                paid: {field: paid, from: 0, to: 100, decimals: 2, unit: EUR}
            contribution_bound: 10
        """
}
