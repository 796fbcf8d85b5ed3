import Testing
import ThrongNoise
import ThrongPlan
import ThrongSystem

@testable import ThrongRelease

@Suite("Attacks on margins: the same group day after day, late events, hours beside days, and a k that changes")
struct MarginAttackTimeTests {
    private static let metric = AttackedMetric()
    private static let one = 50.0.squareRoot()

    @Test(
        "a group that stays for 30 days: its mean, a day less the mean of the others, and a day on which one more came")
    func days() throws {
        func days(_ secret: Int) throws -> [Double] {
            try (0..<30).compactMap { day in
                try Self.metric.total(.devices(day == 17 ? 61 : 60), in: Town.day(day), by: secret).devices()
            }
        }
        let all = try (1...250).map(days)
        let exact = try Fault.with([.noiseOff]) { try days(0) }
        func estimates(_ estimate: ([Double]) -> Double) throws -> Estimates {
            try Estimates(250) { secret in
                let days = secret == 0 ? exact : all[secret - 1]
                return days.count == 30 ? estimate(days) : nil
            }
        }
        func mean(_ days: [Double], but left: Int) -> Double {
            (days.reduce(0, +) - days[left]) / Double(days.count - 1)
        }
        // What is kept, and a 29th of what is new.
        let lasting = (25 + 25.0 / 29).squareRoot()
        try estimates { mean($0, but: 17) - 59 }.expect(1, least: 5, theory: lasting)
        try estimates { $0[17] - mean($0, but: 17) }.expect(1, least: 5, theory: lasting)
        try estimates { $0[17] - $0[16] }.expect(1, least: 5, theory: Self.one)
    }

    @Test("three devices that share a bucket with others for eight days, by total and siblings")
    func bucket() throws {
        let metric = AttackedMetric([.list("os", [["ios"], ["android"], ["linux"]])], groupings: [[], [0]])
        let estimates = try Estimates { secret in
            var sum = 0.0
            for day in 0..<8 {
                let cube = metric.cube(
                    [[0]: .devices(200), [1]: .devices(120), [2]: .devices(19), [3]: .devices(80)],
                    in: Town.day(day))
                let release = try metric.drawn(cube, by: secret).release
                let siblings = [0, 1, 3].compactMap { release.devices([$0], by: [0]) }
                guard let total = release.devices(), siblings.count == 3 else { return nil }
                sum += total - siblings.reduce(0, +)
            }
            // 16 of them are known.
            return sum / 8 - 16
        }
        estimates.expect(3, least: 5, theory: (26.5625 * 1.125).squareRoot())
    }

    @Test("k from 20 to 25 and back: kept noise rises once and is never scaled, so that no two days solve for it")
    func threshold() throws {
        let metrics = [20, 25, 20].map { AttackedMetric(threshold: $0) }
        func phases(_ secret: Int) throws -> [Double]? {
            var means: [Double] = []
            for (phase, metric) in metrics.enumerated() {
                var sum = 0.0
                for day in 0..<6 {
                    let cube = metric.cube([[]: .devices(90)], in: Town.day(6 * phase + day))
                    guard let devices = try metric.drawn(cube, by: secret).release.devices() else { return nil }
                    sum += devices
                }
                means.append(sum / 6)
            }
            return means
        }
        let all = try (1...200).map(phases)
        let exact = try Fault.with([.noiseOff]) { try phases(0) }
        func estimates(_ estimate: ([Double]) -> Double) throws -> Estimates {
            try Estimates { secret in (secret == 0 ? exact : all[secret - 1]).map(estimate) }
        }
        // V is 25, and then that of the next rung, 30: the difference is a draw of its own.
        let (risen, fresh) = (56.25 - 25, (25 + 25.0 / 6, 39.0625 / 6))
        try estimates { $0[0] }.expect(90, least: 5, theory: fresh.0.squareRoot())
        try estimates { ($0[0] + $0[1] + $0[2]) / 3 }.expect(
            90, least: 5, theory: (25 + risen * 4 / 9 + (50.0 / 6 + fresh.1) / 9).squareRoot())
        // What would be exact if x + z and x + 1.25 z had been published.
        try estimates { 5 * $0[0] - 4 * $0[1] }.expect(
            90, least: 5, theory: (25 + 16 * risen + 25 * 25.0 / 6 + 16 * fresh.1).squareRoot())
    }

    @Test("late events: what the next day has more, and what a day that is drawn again has more")
    func late() throws {
        let next = try Estimates { secret in
            let before = try Self.metric.total(.devices(300), in: Town.day(0), by: secret).devices()
            let after = try Self.metric.total(.devices(303), in: Town.day(1), by: secret).devices()
            guard let before, let after else { return nil }
            return after - before
        }
        next.expect(3, least: 5, theory: Self.one)
        let again = try Estimates { secret in
            let before = try Self.metric.total(.devices(300), by: secret).devices()
            let after = try Self.metric.total(.devices(301), by: secret).devices()
            guard let before, let after else { return nil }
            return after - before
        }
        again.expect(1, least: 5, theory: Self.one)
    }

    @Test("a day that is drawn again is the same if nothing came; that it is another says that something came")
    func changed() throws {
        var same = (alike: 0, other: 0)
        for secret in 0..<40 {
            let first = try Self.metric.total(.devices(300), by: secret)
            if try Self.metric.total(.devices(300), by: secret).devices() == first.devices() { same.alike += 1 }
            if try Self.metric.total(.devices(301), by: secret).devices() == first.devices() { same.other += 1 }
        }
        // Equal noise would show the exact difference; that there is one is not hidden.
        #expect(same.alike == 40 && same.other < 10, "\(same)")
    }

    /// Days of one app in which four hours are busy, and those hours: a day's events are those of its hours.
    @Test("hours beside days: kept noise of hours is none of their day's, or it would be known by the difference")
    func hours() throws {
        let hourly = AttackedMetric(period: .hour)
        let estimates = try Estimates(120) { secret in
            var sum = 0.0
            for day in 0..<8 {
                let period = Town.day(day)
                let whole = try Self.metric.total(.devices(400, each: 2), in: period, by: secret).events()
                var hours = 0.0
                for hour in 0..<Int64(4) {
                    let start = period.start + hour * 3600
                    let part = Period(kind: .hour, start: start, end: start + 3600)
                    let events = try hourly.total(.devices(100, each: 2), in: part, by: secret).events()
                    guard let events else { return nil }
                    hours += events
                }
                guard let whole else { return nil }
                sum += whole - (hours - whole) / 3
            }
            return sum / 8
        }
        // An hour has kept noise of its own: V·16/9 of each, and an eighth of V·(16 + 4)/9.
        estimates.expect(800, least: 20, theory: (400 * (32.0 / 9 + 20.0 / 9 / 8)).squareRoot())
    }
}
