import Testing
import ThrongNoise
import ThrongPlan

@testable import ThrongRelease

@Suite("Attacks on margins: one question under many names, and many questions under one")
struct MarginAttackQuestionTests {
    typealias Split = AttackedMetric.Split

    private static let one = 50.0.squareRoot()
    /// By system, and by page in each of them.
    private static let crowd: [[Int]: AttackedMetric.Counted] = [
        [0, 0]: .devices(90, each: 2), [0, 1]: .devices(120, each: 3), [0, 2]: .devices(70),
        [1, 0]: .devices(110), [1, 1]: .devices(80, each: 2), [1, 2]: .devices(95),
    ]
    private static let groupings = [[], [0], [1], [0, 1]]

    /// The same crowd where each dimension's first two buckets stand the other way round.
    private static func turned(_ isTurned: [Bool]) -> [[Int]: AttackedMetric.Counted] {
        func turn(_ bucket: Int, _ isOn: Bool) -> Int { isOn && bucket < 2 ? 1 - bucket : bucket }
        return Dictionary(
            uniqueKeysWithValues: crowd.map { cell, counted in
                ([turn(cell[0], isTurned[0]), turn(cell[1], isTurned[1])], counted)
            })
    }

    @Test("averaging over metrics, bucket orders and labels: all have the number of the first")
    func names() throws {
        func metric(_ name: MetricName, _ os: Split, _ page: Split) -> AttackedMetric {
            AttackedMetric([os, page], named: name, groupings: Self.groupings)
        }
        let pages = [["home"], ["notes"]]
        let metrics: [(AttackedMetric, [Bool])] = [
            (
                metric("visits", .list("os", [["ios"], ["mac"]]), .list("page", pages, partitions: false)),
                [false, false]
            ),
            (
                metric(
                    "calls", .list("system", [["mac"], ["ios"]], field: "os"),
                    .list("place", pages, field: "page", labels: ["Start", "Note"], partitions: false)), [true, false]
            ),
            (
                metric(
                    "looks", .list("os", [["ios"], ["mac"]], labels: ["a", "b"]),
                    .list("page", pages.reversed(), partitions: false)), [false, true]
            ),
        ]
        let estimates = try Estimates { secret in
            let releases = try metrics.map { metric, isTurned in
                try metric.drawn(metric.cube(Self.turned(isTurned)), by: secret).release
            }
            for (number, release) in releases.enumerated() where number > 0 {
                #expect(release.devices() == releases[0].devices())
                let isTurned = metrics[number].1
                // Whole numbers that add up are rounded in the order of the buckets.
                for (place, bucket) in isTurned.map({ $0 ? 1 : 0 }).enumerated() {
                    let off =
                        (release.devices([bucket], by: [place]) ?? 0) - (releases[0].devices([0], by: [place]) ?? 0)
                    #expect(abs(off) <= 2)
                }
            }
            let found = zip(releases, metrics).compactMap { $0.devices([$1.1[1] ? 1 : 0], by: [1]) }
            return found.count == 3 ? found.reduce(0, +) / 3 : nil
        }
        // Notes and home have devices of their own: 90 and 110 at home.
        estimates.expect(200, least: 5, theory: Self.one)
    }

    @Test("averaging over groupings: a total is one number, whatever it is computed from")
    func groupings() throws {
        let metric = AttackedMetric(
            [.list("os", [["ios"]]), .list("page", [["home"], ["notes"]])], groupings: Self.groupings)
        let cube = metric.cube(Self.crowd)
        let estimates = try Estimates { secret in
            let release = try metric.drawn(cube, by: secret).release
            guard let total = release.devices(), let events = release.events() else { return nil }
            for places in [[0], [1], [0, 1]] {
                let cells = release.cells.filter { $0.margin == Margin(keeping: places) }
                guard cells.count == (places == [0] ? 2 : places == [1] ? 3 : 6) else { continue }
                #expect(cells.reduce(0) { $0 + Double($1.reach?.devices ?? 0) } == total)
                // Events that were drawn below 0 are shown as 0.
                let sum = cells.reduce(0) { $0 + Double($1.count) }
                #expect(cells.contains { $0.count == 0 } ? sum > events : sum == events)
            }
            return total
        }
        estimates.expect(565, least: 5, theory: Self.one)
    }

    @Test("a dimension of events' names asks what a metric of that event asks")
    func eventNames() throws {
        let visits = AttackedMetric(events: ["visit"])
        let both = AttackedMetric(
            [.list("kind", [["visit"]], field: .event, partitions: false)], events: ["visit", "click"],
            groupings: [[], [0]])
        for secret in 0..<20 {
            let one = try visits.total(.devices(150), by: secret).devices()
            let cube = both.cube([[0]: .devices(150), [1]: .devices(120)])
            #expect(try both.drawn(cube, by: secret).release.devices([0], by: [0]) == one)
        }
    }

    @Test("metrics that split a field of devices by lists of their own: one bucket of eight lists")
    func lists() throws {
        let others = ["android", "linux", "mac"]
        let lists = (0..<8).map { chosen in [["ios"]] + (0..<3).filter { chosen >> $0 & 1 == 1 }.map { [others[$0]] } }
        let factors = MarginFactors(events: 8, devices: 8)
        let metrics = lists.map { AttackedMetric([.list("os", $0)], groupings: [[], [0]], factors: factors) }
        let estimates = try Estimates { secret in
            var sum = 0.0
            for metric in metrics {
                let rest = metric.layout.dimensions[0].labels.count - 1
                var cells: [[Int]: AttackedMetric.Counted] = [[0]: .devices(150)]
                for bucket in 1..<rest { cells[[bucket]] = .devices(70) }
                cells[[rest]] = .devices(60 + 70 * Int64(4 - rest))
                guard let number = try metric.drawn(metric.cube(cells), by: secret).release.devices([0], by: [0]) else {
                    return nil
                }
                sum += number
            }
            return sum / 8 - 149
        }
        // Of the total, which is one question, each has a share of 1/n, in the mean 0.306; of eight interactions an eighth is left.
        // Eight times V is on the rung of 70.
        estimates.expect(1, least: 5, theory: ((306.25 + 200) * (0.30625 * 0.30625 + 0.125)).squareRoot())
    }

    @Test("a field that partitions devices in one metric and tells occasions apart in another, for eight days")
    func occasions() throws {
        let metrics = [true, false].map {
            AttackedMetric([.list("os", [["ios"], ["mac"]], partitions: $0)], groupings: [[], [0]])
        }
        let estimates = try Estimates(250) { secret in
            var sum = 0.0
            for day in 0..<8 {
                for metric in metrics {
                    let cube = metric.cube(
                        [[0]: .devices(100), [1]: .devices(90), [2]: .devices(80)], in: Town.day(day))
                    let release = try metric.drawn(cube, by: secret).release
                    guard let number = release.devices([0], by: [0]) else { return nil }
                    sum += number
                }
            }
            return sum / 16 - 99
        }
        // A block of devices in one metric and an occasion in the other are two texts of one question. The plan's reader refuses it.
        estimates.expectTheory(1, theory: (25 * (19.0 / 9) / 4 * 1.125).squareRoot())
    }

    @Test("six lists of a field of events under six thresholds: home of each of them")
    func thresholds() throws {
        let pages = ["notes", "search", "help"]
        let metrics = (0..<6).map { number in
            let more = (0..<3).filter { number >> $0 & 1 == 1 }.map { [pages[$0]] }
            return AttackedMetric(
                [.list("page", [["home"]] + more, partitions: false)], groupings: [[], [0]],
                threshold: 20 + Int64(number))
        }
        let weights = (0..<6).map { 16 / Double((20 + $0) * (20 + $0)) }
        let weight = weights.reduce(0, +)
        let estimates = try Estimates { secret in
            var sum = 0.0
            for (metric, share) in zip(metrics, weights) {
                let rest = metric.layout.dimensions[0].labels.count - 1
                let cube = metric.cube([[0]: .devices(150), [rest]: .devices(120)])
                guard let number = try metric.drawn(cube, by: secret).release.devices([0], by: [0]) else { return nil }
                sum += share / weight * number
            }
            return sum
        }
        // All hold the kept draw of k = 20; the others, on the rung of 30, one more in common. Fresh layers are new for each.
        let others = 1 - weights[0] / weight
        estimates.expect(150, least: 5, theory: (25 + others * others * 31.25 + 1 / weight).squareRoot())
    }

    @Test("two fields of one rule, of neither of which anybody knows the field: what one has more, for eight days")
    func unknownFields() throws {
        let metric = AttackedMetric(
            [.list("from", [["home"], ["notes"]]), .list("to", [["home"], ["notes"]])], groupings: [[0], [1]],
            knowsFields: false)
        let estimates = try Estimates(150) { secret in
            var sum = 0.0
            for day in 0..<8 {
                let cube = metric.cube(
                    [[0, 0]: .devices(90), [0, 1]: .devices(80), [1, 0]: .devices(77), [2, 2]: .devices(70)],
                    in: Town.day(day))
                let release = try metric.drawn(cube, by: secret).release
                guard let from = release.devices([0], by: [0]), let to = release.devices([0], by: [1]) else {
                    return nil
                }
                sum += from - to
            }
            return sum / 8
        }
        // Each has interactions of its own.
        estimates.expect(3, least: 5, theory: (50 + 50.0 / 8).squareRoot())
    }

    @Test("one bucket by several rules: what a coarser dimension, other bands or powers of ten call the same values")
    func rules() throws {
        func number(_ split: Split, _ coarse: Split?, _ secret: Int) throws -> Double? {
            let metric = AttackedMetric([split] + (coarse.map { [$0] } ?? []), groupings: [[coarse == nil ? 0 : 1]])
            let rest = split.labels.count - 1
            let cube = metric.cube([[0]: .devices(90), [1]: .devices(80), [rest]: .devices(130)])
            return try metric.drawn(cube, by: secret).release.devices(
                [coarse == nil ? 1 : 0], by: [coarse == nil ? 0 : 1])
        }
        let fine = Split.list("page", [["home"], ["notes"]], partitions: false)
        let coarse = Split(
            name: "area", field: "page", rule: .list([]), labels: ["app", "rest"], partitions: false,
            coarsening: .init(place: 0, buckets: [0, 0, 1]))
        let listed = AttackedMetric(
            [.list("page", [["home", "notes"]], labels: ["app"], partitions: false)], groupings: [[0]])
        let bands = Split(
            name: "age", field: "age", rule: .bands(edges: [10, 100]), labels: ["-", "10", "100"], partitions: false)
        let powers = Split(
            name: "age", field: "age", rule: .powers(base: 10, lowestExponent: 1, highestExponent: 2),
            labels: ["-", "10", "100"], partitions: false)
        var alike = (coarse: 0, powers: 0)
        for secret in 0..<20 {
            let cube = listed.cube([[0]: .devices(170), [1]: .devices(130)])
            let list = try listed.drawn(cube, by: secret).release.devices([0], by: [0])
            if try number(fine, coarse, secret) == list { alike.coarse += 1 }
            if try number(bands, nil, secret) == number(powers, nil, secret) { alike.powers += 1 }
        }
        #expect(alike.coarse == 20 && alike.powers == 20)
    }
}
