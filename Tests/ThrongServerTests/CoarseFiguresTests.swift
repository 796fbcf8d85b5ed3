import Testing
import ThrongWire

@testable import ThrongServer

@Suite("attack 37: who reads /metrics every second from elsewhere sees no single event")
struct CoarseFiguresTests {
    private static let name = "throng_events_accepted_total"

    /// What a page says of accepted events.
    private static func accepted(_ page: String) throws -> Int {
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("\(name) ") })
        return try #require(Int(line.dropFirst(name.count + 1)))
    }

    /// Reads once a second for so many seconds, of which some have an event; returns what each reading rose by.
    private static func rises(_ coarse: CoarseFigures?, seconds: Int, events: Set<Int>) throws -> [Int] {
        let telemetry = Telemetry()
        let start = ContinuousClock.now
        var last = 0
        return try (0..<seconds).map { second in
            if events.contains(second) { telemetry.answered(.accepted, BatchAnswer(accepted: 1, refused: [])) }
            let make = { telemetry.text(.init(openPairs: second), disk: nil, coarse: coarse) }
            let page = coarse.map { $0.page(at: start + .seconds(second), make: make) } ?? make()
            let now = try accepted(page)
            defer { last = now }
            return now - last
        }
    }

    @Test("the control: the page for the machine's own eyes tells every event, with its second")
    func control() throws {
        let events: Set = [3, 40, 41, 200]
        let rises = try Self.rises(nil, seconds: 300, events: events)
        #expect(Set(rises.indices.filter { rises[$0] > 0 }) == events && rises.reduce(0, +) == 4)
    }

    @Test("from elsewhere, a number rises once a minute at most, in steps that are no number of events")
    func steps() throws {
        for _ in 0..<20 {
            let rises = try Self.rises(CoarseFigures(), seconds: 600, events: Set(0..<600))
            for (second, rise) in rises.enumerated() where rise > 0 { #expect(second % 60 == 0) }
            #expect(rises.allSatisfy { $0 % CoarseFigures.step == 0 })
        }
    }

    @Test("one event more leaves nearly every page as it was, and no total says how many events there were")
    func presence() {
        // The attacker sends events of their own until a number jumps, and would have the others' exactly.
        var seen = 0
        var others: Set<Int> = []
        for _ in 0..<4000 {
            let coarse = CoarseFigures()
            if coarse.counter(Self.name, labels: "", 1) > 0 { seen += 1 }
            var sent = 0
            while coarse.counter(Self.name, labels: "", 1 + sent) == 0 { sent += 1 }
            others.insert(sent)
        }
        #expect((100...320).contains(seen), "one in twenty of 4000 is 200: \(seen)")
        #expect(others.count > 60, "when it jumps tells nothing: \(others.count)")
    }

    @Test("it is right on average, so that operators see rates")
    func average() {
        var sum = 0
        for _ in 0..<200 {
            let coarse = CoarseFigures()
            for reading in 1...10 { _ = coarse.counter(Self.name, labels: "", reading * 1000) }
            sum += coarse.counter(Self.name, labels: "", 10_000)
        }
        // 200 sums of 10,000, each to about 450.
        #expect(abs(Double(sum) / 200 - 10_000) < 150)
        let coarse = CoarseFigures()
        let pairs = (0..<4000).map { _ in coarse.gauge("throng_open_pairs", 700) }
        #expect(Set(pairs) == [0, 1024])
        #expect(abs(pairs.reduce(0, +) / 4000 - 700) < 60)
    }

    @Test("what events do not move is exact, and every figure that they move is coarse")
    func everyFigure() throws {
        let telemetry = Telemetry()
        for _ in 0..<7 { telemetry.answered(.accepted, BatchAnswer(accepted: 7, refused: [])) }
        telemetry.flushed(seconds: 0.125, cells: 7, redirected: 7)
        telemetry.databaseIsUp()
        telemetry.kept(bytes: 7777)
        var gauges = Telemetry.Gauges()
        gauges.journalBytes = 7777
        gauges.journalLag = 7
        gauges.pendingCells = 7
        gauges.openPairs = 77
        gauges.windowBytes = 7777
        gauges.refusalBytes = 7777
        gauges.bodyBytes = 7777
        let disk = (free: 1_234_567_891, size: 9_876_543_210)
        let coarse = CoarseFigures()
        let page = telemetry.text(gauges, disk: disk, coarse: coarse)
        #expect(page.contains("throng_database_up 1.0\n") && page.contains("throng_disk_bytes 9876543210.0\n"))
        for line in page.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("throng_disk_bytes") {
            let value = try #require(line.split(separator: " ").last.flatMap { Double($0) })
            let isCoarse = [20.0, 1024].contains { value.truncatingRemainder(dividingBy: $0) == 0 }
            #expect(isCoarse || value == 1 || line.contains("_sum "), "\(line)")
            #expect(!line.hasSuffix("7") && !line.contains("77"), "\(line)")
        }
    }

    @Test("only who can be nobody else than this machine gets exact numbers")
    func endpoints() throws {
        for (text, isOwn) in [
            ("127.0.0.1:9464", true), ("[::1]:1", true), ("localhost:1", true), (":9464", false),
            ("0.0.0.0:9464", false),
            ("[::]:9464", false), ("10.0.0.7:9464", false), ("metrics.example:1", false),
        ] {
            #expect(try #require(DaemonOptions.Endpoint(text)).isLoopback == isOwn, "\(text)")
        }
    }
}
