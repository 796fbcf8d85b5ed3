import Testing
import ThrongSystem
import ThrongWire
import throng_lab

@testable import ThrongAudit

@Suite("Releases that break a promise are found out")
struct NegativeControlTests {
    @Test("noise off: margins of 0 are no margins")
    func noiseOff() throws {
        let report = try Fault.with([.noiseOff]) { Auditor().audit(try AuditTown().input()) }
        #expect(report.exitCode == 2 && report.broken.contains(.margin))
    }

    @Test("noise off, and margins that say otherwise: days do not scatter, and events that overlap are exact")
    func noiseOffInSecret() throws {
        let report = try Fault.with([.noiseOff]) {
            Auditor().audit(try AuditTown().input(days: 0..<30) { _, value, _ in (value, 1000) })
        }
        #expect(report.exitCode == 2 && report.broken.contains(.scatter), "\(report.text)")
        #expect(report.findings.contains { $0.about == "numbers of events that overlap" })
    }

    @Test("a day's noise that is used for other days, too")
    func copiedNoise() throws {
        let town = try AuditTown()
        var input = AuditInput()
        try input.learn(town.plan)
        let first = try town.input()
        for day in 0..<20 {
            let copied = first.numbers.map { number in
                AuditNumber(
                    source: number.source, app: number.app, metric: number.metric,
                    period: AuditPeriod("2026-11-\(10 + day)"), measure: number.measure, buckets: number.buckets,
                    value: number.value, margin: number.margin)
            }
            input.add(copied, from: AuditSource(name: "day \(day)"))
        }
        let report = Auditor().audit(input)
        #expect(report.broken == [.scatter], "\(report.text)")
    }

    @Test("a key that was used twice: three questions with one noise are missed by too little")
    func keyUsedTwice() throws {
        let town = try AuditTown()
        let input = try town.input(days: 0..<30)
        /// The noise of what either did.
        var noise: [String: Double] = [:]
        func truth(_ number: AuditNumber) -> Double {
            let counted = town.counted(.init(number.metric))
            let events = number.buckets["os"].map { os in
                ["a", "b", "c", "d", "other"].enumerated().filter { os.contains($0.element) }.map {
                    counted[$0.offset].events
                }
            }
            return Double((events ?? counted.map(\.events)).reduce(0, +))
        }
        for number in input.numbers where number.metric == "either" && number.measure == .events {
            noise["\(number.period.label) \(number.place)"] = number.value - truth(number)
        }
        var twice = AuditInput()
        try twice.learn(town.plan)
        let same = input.numbers.filter { $0.measure == .events }.compactMap { number in
            noise["\(number.period.label) \(number.place)"].map { noise in
                AuditNumber(
                    source: number.source, app: number.app, metric: number.metric, period: number.period,
                    measure: .events, buckets: number.buckets, value: truth(number) + noise, margin: number.margin)
            }
        }
        twice.add(same, from: AuditSource(name: "days"))
        let report = Auditor().audit(twice)
        #expect(report.findings.contains { $0.about == "numbers of events that overlap" }, "\(report.text)")
        #expect(!Auditor().audit(input).broken.contains(.scatter))
    }

    @Test("a margin that lies")
    func margin() throws {
        let report = Auditor().audit(
            try AuditTown().input { ($1, $0 == .devices ? 12 : $2) })
        #expect(report.exitCode == 2 && report.broken == [.margin])
        #expect(report.text.contains("a margin of 12 is stated, and 19 of 20 need 13.86"), "\(report.text)")
        #expect(Auditor().audit(try AuditTown().input { ($1, $0 == .devices ? 16 : $2) }).holds)
    }

    @Test("a number of twelve devices")
    func threshold() throws {
        var input = try AuditTown().input()
        input.add(
            [
                AuditNumber(
                    source: "x", app: "notes", metric: "created", period: AuditPeriod("2026-11-16"), measure: .devices,
                    buckets: ["os": ["other"]], value: 12)
            ], from: AuditSource(name: "x"))
        #expect(Auditor().audit(input).broken.contains(.threshold))
    }

    @Test("two files that answer one question otherwise, and parts that add up to something else")
    func disagreement() throws {
        var input = try AuditTown().input()
        let number = try #require(input.numbers.first { $0.measure == .devices && $0.buckets.isEmpty })
        input.numbers.append(
            AuditNumber(
                source: "other", app: number.app, metric: number.metric, period: number.period, measure: .devices,
                value: number.value + 1))
        #expect(Auditor().audit(input).broken == [.equal])
        input = try AuditTown().input { ($0 == .devices && $1 > 1000 ? 900 : $1, $2) }
        #expect(Auditor().audit(input).broken.contains(.sums))
    }

    @Test("sixteen metrics of one event, none of them with wider noise, tell it more closely than promised")
    func shared() throws {
        let town = try AuditTown()
        var input = AuditInput()
        try input.learn(town.plan)
        let metric = try #require(input.newest("created", of: "notes"))
        let law = try #require(
            metric.law(
                of: AuditNumber(
                    source: "", app: "notes", metric: "created", period: AuditPeriod("2026-11-16"), measure: .events,
                    value: 300)))
        let numbers = (0..<16).map { place in
            AuditNumber(
                source: "\(place)", app: "notes", metric: "m\(place)", period: AuditPeriod("2026-11-16"),
                measure: .events, value: 300)
        }
        let laws = (0..<16).map { place in
            NumberLaw(
                question: "\(place)", fields: [:], kept: law.kept, fresh: law.fresh, parts: 1, period: law.period,
                promise: law.promise)
        }
        let estimator = Estimator(numbers, laws, events: numbers.map { _ in ["create"] })
        let estimate = estimator.estimate([(number: 3, coefficient: 1)])
        #expect(abs(estimate.deviation - law.deviation / 4) < 1e-9 && estimate.deviation < law.promise)
        #expect(abs(estimate.value - 300) < 1e-9 && estimate.terms.count == 16)
    }
}
