import Testing
import ThrongCrowd
import ThrongIngest
import ThrongLoad
import ThrongPlan
import ThrongWire

@Suite("A load's bodies are batches that the plan counts")
struct PreparedBatchesTests {
    private static let now = UnixSeconds(1_795_000_000)

    private static func plan(_ metrics: String = standardMetrics) throws -> Plan {
        try Plan(
            yaml: """
                app: {name: load, title: Load, owner: Test, contact: a@example.com, audience: 1000000, threshold: 20}
                purposes:
                  product: {explanation: To test the load., consent: not_required, rotation: 1 day, retention: 30 days}
                dimensions:
                  os: {title: System, field: user_agent, operating_system: standard}
                  region: {title: Region, field: region, partitions: devices, list: {North: [n], South: [s]}}
                  channel: {title: Channel, field: channel, list: {Mail: [mail], Search: [search], Friends: [friends]}}
                  hour: {title: Hour, field: at, time: hour}
                metrics:
                \(metrics)
                """, file: "load.yaml")
    }

    private static let standardMetrics =
        metric("views", "events: [home, cart]", "dimensions: [os, region, channel, hour]")
        + metric(
            "orders", "events: [purchase]", "dimensions: [channel]",
            measures: "sums: {revenue: {field: amount, from: 0, to: 400, decimals: 2, unit: EUR}}")

    private static func metric(
        _ name: String, _ events: String, _ dimensions: String, measures: String = "reach: true"
    ) -> String {
        """
          \(name): {title: T, \(events), question: Q, decision: D, owner: O, expires: 2027-06-01, purpose: product,
            \(dimensions), period: day, contribution_bound: 1000, measures: {\(measures)}}

        """
    }

    private static let devices = """
        {"user_agent":"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) \\"quoted\\"","screen_width":393,"screen_height":852}
        {"user_agent":null,"device_memory_gb":4,"hardware_concurrency":8}
        """

    private struct Read {
        let plan: Plan
        let intake: Intake
        let space: CellSpace

        init(_ plan: Plan) throws {
            self.plan = plan
            space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
            intake = try Intake(plans: [plan], space: space, rules: .system)
        }

        func callAsFunction(_ body: [UInt8], now: UnixSeconds = now) throws -> BucketedBatch {
            let outcome = try body.withUnsafeBufferPointer { try intake.read($0, signals: [], now: now) }
            guard case .batch(let batch) = outcome else { throw LoadError.nothingCounted(purpose: "") }
            return batch.bucketed
        }
    }

    @Test(
        "every event of every body is counted, with and without devices, shared or of its own",
        arguments: [false, true], [false, true])
    func counted(withDevices: Bool, spreads: Bool) throws {
        let plan = try Self.plan()
        let devices = withDevices ? try Self.devices.split(separator: "\n").map { try SampleDevice(line: $0) } : []
        let batches = try PreparedBatches(
            plan: plan, devices: devices,
            shape: PreparedBatches.Shape(events: 30, bodies: 50, spreadsEvents: spreads), now: Self.now)
        let read = try Read(plan)
        var counting = Counting(space: read.space, position: .start, watermark: .start)
        let key = WindowKey.random()
        for number in 0..<UInt64(100) {
            let body = batches.body(number, run: 7)
            let batch = try read(body)
            let identifier = Array("\(number)".utf8).withUnsafeBytes { key.keyed($0) }
            guard
                case .counted(let counted) = counting.count(
                    batch, identifier: identifier, now: Self.now)
            else { throw LoadError.nothingCounted(purpose: "") }
            #expect(counted.answer.accepted == 30)
            #expect(counted.answer.refused == [])
        }
    }

    @Test("events with values of their own touch more cells than those that share a context")
    func spread() throws {
        let plan = try Self.plan()
        let read = try Read(plan)
        func cells(_ spreads: Bool) throws -> Int {
            let batches = try PreparedBatches(
                plan: plan, shape: PreparedBatches.Shape(events: 100, bodies: 1, spreadsEvents: spreads), now: Self.now)
            return Set(try read(batches.body(0, run: 1)).contributions.map { [Int($0.metric), Int($0.cell.value)] })
                .count
        }
        #expect(try cells(true) > cells(false))
    }

    @Test("no two batches of a run, nor of two runs, have a name in common")
    func names() throws {
        let plan = try Self.plan()
        let read = try Read(plan)
        let batches = try PreparedBatches(
            plan: plan, shape: PreparedBatches.Shape(events: 1, bodies: 3), now: Self.now)
        let ids = try (0..<UInt64(200)).flatMap { number in
            try [1, 2].map { try read(batches.body(number, run: $0)).id }
        }
        #expect(Set(ids).count == 400)
    }

    @Test("a seed gives the same bodies again")
    func seeds() throws {
        let plan = try Self.plan()
        func bodies(_ seed: UInt64) throws -> [[UInt8]] {
            try PreparedBatches(
                plan: plan, shape: PreparedBatches.Shape(events: 5, bodies: 20, seed: seed), now: Self.now
            ).bodies
        }
        #expect(try bodies(4) == bodies(4))
        #expect(try bodies(4) != bodies(5))
    }

    @Test("a body that was made before its window ended is sent in the next one")
    func window() throws {
        let plan = try Self.plan()
        let read = try Read(plan)
        let batches = try PreparedBatches(plan: plan, shape: PreparedBatches.Shape(events: 1, bodies: 1), now: Self.now)
        let later = Self.now + 3 * 86_400
        let window = batches.purpose.rotation.window(at: later)
        #expect(throws: IntakeError.self) { try read(batches.body(0, run: 1), now: later) }
        #expect(try read(batches.body(0, run: 1, window: window), now: later).window.number == window)
    }

    @Test("a purpose that the plan lacks, or counts nothing for, is named in the error")
    func nothing() throws {
        let plan = try Self.plan()
        #expect(throws: LoadError.unknownPurpose(found: "other", known: ["product"])) {
            try PreparedBatches(plan: plan, purpose: "other", shape: PreparedBatches.Shape(), now: Self.now)
        }
    }
}
