import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongRelease

@Suite("Attacks on margins: twins with and without one device, funnels, and a device that is told in two fields")
struct MarginAttackTwinTests {
    private static let one = 50.0.squareRoot()

    @Test("twins: whoever knows six other days has no more evidence of one device at its bound than the stated cost")
    func twins() throws {
        let metric = AttackedMetric()
        let crowd = AttackedMetric.Counted(events: 700, devices: 300)
        let other = AttackedMetric.Counted(events: 710, devices: 301)
        let cost = try metric.total(other, by: 1).header.margins?.cost
        let stated = try #require(cost.flatMap { Double($0) })
        #expect(stated > 0.14 && stated < 0.18)
        var (evidence, draws) = (0.0, 0.0)
        for secret in 1...300 {
            let days = try (0..<7).map { day in
                try metric.total(day == 0 ? other : crowd, in: Town.day(day), by: secret)
            }
            func off(_ numbers: [Double], _ truth: Double) -> Double {
                // The kept noise, as well as six days tell it, is taken off.
                numbers[0] - truth - numbers[1...].reduce(0) { $0 + $1 - truth } / 6
            }
            func ratio(_ off: Double, _ change: Double, _ variance: Double) -> Double {
                (off * off - (off - change) * (off - change)) / (2 * variance * 7 / 6)
            }
            evidence += ratio(off(days.compactMap { $0.devices() }, 300), 1, 25)
            evidence += ratio(off(days.compactMap { $0.events() }, 700), 10, 400)
            draws += 1
        }
        let mean = evidence / draws
        // 6/7 of the cost; one draw's evidence is off by √2ρ.
        #expect(mean < stated + 4 * (2 * stated / draws).squareRoot(), "\(mean)")
        #expect(mean > stated / 6, "\(mean)")
        // With the noise off there is no doubt.
        let off = try Fault.with([.noiseOff]) { try metric.total(other, by: 1) }
        #expect(off.devices() == 301 && off.events() == 710)
    }

    @Test("two funnels: 50 devices took the last step of one, and 49 of the other")
    func funnels() throws {
        func funnel(_ events: Set<EventName>) -> AttackedMetric {
            AttackedMetric(
                [.progress(["begun", "done"])], events: events, groupings: [[], [0]], within: .funnel(steps: 2))
        }
        let (one, other) = (funnel(["view", "order"]), funnel(["view", "pay"]))
        let estimates = try Estimates { secret in
            let first = try one.drawn(one.cube([[0]: .devices(200), [1]: .devices(90)]), by: secret).release
            let second = try other.drawn(other.cube([[0]: .devices(200), [1]: .devices(89)]), by: secret).release
            guard let done = first.events([1], by: [0]), let paid = second.events([1], by: [0]) else { return nil }
            return done - paid
        }
        estimates.expect(1, least: 5, theory: 2.0.squareRoot() * Self.one * 1.25.squareRoot())
    }

    @Test("two funnels of the same events, whose first steps differ")
    func sameEvents() throws {
        // Home and then an order, or offers and then an order: views and orders both, and two steps.
        func funnel(_ rule: String) -> AttackedMetric {
            AttackedMetric(
                [.progress(["begun", "done"])], named: MetricName(rule), events: ["view", "order"],
                within: .funnel(steps: 2))
        }
        let (home, offers) = (funnel("home"), funnel("offers"))
        let estimates = try Estimates { secret in
            var sum = 0.0
            for day in 0..<8 {
                let period = Town.day(day)
                let first = try home.drawn(home.cube([[0]: .devices(203)], in: period), by: secret)
                let second = try offers.drawn(offers.cube([[0]: .devices(200)], in: period), by: secret)
                guard let one = first.release.events(), let two = second.release.events() else { return nil }
                sum += one - two
            }
            return sum / 8
        }
        estimates.expect(3, least: 5, theory: (50 + 50.0 / 8).squareRoot())
    }

    @Test("how many devices there are, by reach and by five frequencies with other bands")
    func frequencies() throws {
        let plain = AttackedMetric()
        let often = (0..<5).map { band in
            AttackedMetric(
                [.progress(["few", "many"])], named: MetricName("often\(band)"),
                within: .frequency(bands: [1, 2 + band]))
        }
        let estimates = try Estimates { secret in
            guard let reach = try plain.total(.devices(120), by: secret).devices() else { return nil }
            var sum = reach
            for metric in often {
                let release = try metric.drawn(metric.cube([[0]: .devices(120)]), by: secret).release
                guard let number = release.events() else { return nil }
                sum += number / 2
            }
            return sum / 3.5
        }
        // All of them are one number.
        estimates.expect(120, least: 5, theory: Self.one)
    }

    @Test("a device that is told in two fields, which is knowledge: both numbers, on one day")
    func twoFields() throws {
        let metric = AttackedMetric(
            [.list("os", [["ios"], ["android"]]), .list("platform", [["apple"], ["google"]])],
            groupings: [[], [0], [1]])
        let cube = metric.cube([[0, 0]: .devices(90), [1, 1]: .devices(120), [2, 2]: .devices(80)])
        let estimates = try Estimates { secret in
            let release = try metric.drawn(cube, by: secret).release
            guard let os = release.devices([0], by: [0]), let platform = release.devices([0], by: [1]) else {
                return nil
            }
            return (os + platform) / 2 - 89
        }
        // 2V·(1/9 + 1/2): one ninth of the total, and the mean of two interactions.
        estimates.expect(1, least: 5, theory: (50 * (1.0 / 9 + 0.5)).squareRoot())
    }
}
