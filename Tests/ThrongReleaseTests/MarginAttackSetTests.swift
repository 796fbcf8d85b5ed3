import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongRelease

@Suite("Attacks on margins: sets, sums of parts, and crowds of which nearly all is known")
struct MarginAttackSetTests {
    private static let notes = ["created", "shared"].map { AttackedMetric(events: [EventName($0)]) }
    private static let either = AttackedMetric(events: ["created", "shared"])
    /// One number of devices: both layers of k/4.
    private static let one = 50.0.squareRoot()

    @Test("the notes plan: 257 created, 44 shared, 300 either, and nobody learns that one device did both")
    func notes() throws {
        let estimates = try Estimates { secret in
            let created = try Self.notes[0].total(.devices(257), by: secret).devices()
            let shared = try Self.notes[1].total(.devices(44), by: secret).devices()
            let either = try Self.either.total(.devices(300), by: secret).devices()
            // One of ten times 44 devices are withheld, near k as they are.
            guard let created, let shared, let either else { return nil }
            return created + shared - either
        }
        estimates.expect(1, least: 5, theory: 11.8)
    }

    @Test("all of two, three and four sets by their unions", arguments: 2...4)
    func inclusion(sets: Int) throws {
        let unions = (1..<(1 << sets)).map { union in
            let names = (0..<sets).filter { union >> $0 & 1 == 1 }.map { EventName("event\($0)") }
            // 40 devices in each region, and three that did everything.
            let regions = (1..<(1 << sets)).filter { $0 & union != 0 }
            let devices = regions.reduce(Int64(0)) { $0 + ($1 == (1 << sets) - 1 ? 3 : 40) }
            let sign = names.count % 2 == 1 ? 1.0 : -1.0
            return (metric: AttackedMetric(events: Set(names)), devices: devices, sign: sign)
        }
        let estimates = try Estimates { secret in
            var sum = 0.0
            for union in unions {
                guard let number = try union.metric.total(.devices(union.devices), by: secret).devices() else {
                    return nil
                }
                sum += union.sign * number
            }
            return sum
        }
        estimates.expect(3, least: 5, theory: Self.one * Double(unions.count).squareRoot())
    }

    /// Systems, of which Linux has 19 devices.
    private static let systems = AttackedMetric(
        [.list("os", [["ios"], ["android"], ["linux"]])], groupings: [[], [0]])

    private static func crowd(linux: Int64 = 19) -> StoredCube {
        systems.cube([[0]: .devices(200), [1]: .devices(120), [2]: .devices(linux), [3]: .devices(80)])
    }

    @Test("a withheld bucket, by its total and its siblings, of 19 devices and of 18")
    func withheld() throws {
        for linux in [Int64(18), 19] {
            let estimates = try Estimates { secret in
                let release = try Self.systems.drawn(Self.crowd(linux: linux), by: secret).release
                #expect(release.devices([2], by: [0]) == nil)
                let siblings = [0, 1, 3].compactMap { release.devices([$0], by: [0]) }
                guard let total = release.devices(), siblings.count == 3 else { return nil }
                return total - siblings.reduce(0, +)
            }
            // √(2V·(1 + 1/4²)).
            estimates.expect(Double(linux), least: 5, theory: Self.one * 1.0625.squareRoot())
        }
    }

    @Test("a crowd of which all but one device are known")
    func knownCrowd() throws {
        let estimates = try Estimates { secret in
            try Self.either.total(.devices(300), by: secret).devices().map { $0 - 299 }
        }
        estimates.expect(1, least: 5, theory: Self.one)
    }

    @Test("k − 1 invented devices beside a real one: they are seldom shown, and never who is among them")
    func sybils() throws {
        var shown = [Int64(19): 0, 20: 0, 21: 0]
        for linux in shown.keys.sorted() {
            for secret in 0..<300 {
                let release = try Self.systems.drawn(Self.crowd(linux: linux), by: secret).release
                if release.devices([2], by: [0]) != nil { shown[linux, default: 0] += 1 }
            }
        }
        // 1 in 40 of 300 are 7.5; twice that is four deviations more.
        #expect(shown[19] == 0)
        #expect(shown[20, default: 0] <= 17 && shown[21, default: 0] <= 22, "\(shown)")
        let estimates = try Estimates { secret in
            let release = try Self.systems.drawn(Self.crowd(linux: 20), by: secret).release
            let siblings = [0, 1, 3].compactMap { release.devices([$0], by: [0]) }
            guard let total = release.devices(), siblings.count == 3 else { return nil }
            return total - siblings.reduce(0, +) - 19
        }
        estimates.expect(1, least: 5, theory: Self.one * 1.0625.squareRoot())
    }

    @Test("what is missing says nothing of another bucket: large ones are shown whoever is in the small one")
    func missing() throws {
        for linux in [Int64(0), 1, 19, 25] {
            for secret in 0..<40 {
                let release = try Self.systems.drawn(Self.crowd(linux: linux), by: secret).release
                #expect([0, 1, 3].allSatisfy { release.devices([$0], by: [0]) != nil })
            }
        }
    }

    @Test("a field of 200 buckets")
    func wide() throws {
        let values = (0..<199).map { ["v\($0)"] }
        let metric = AttackedMetric([.list("page", values)], groupings: [[], [0]])
        let cube = metric.cube(
            Dictionary(uniqueKeysWithValues: (0..<200).map { ([$0], .devices($0 == 7 ? 19 : 90)) }))
        let estimates = try Estimates(100) { secret in
            let release = try metric.drawn(cube, by: secret).release
            let siblings = (0..<200).compactMap { release.devices([$0], by: [0]) }
            guard let total = release.devices(), siblings.count == 199 else { return nil }
            return total - siblings.reduce(0, +)
        }
        estimates.expect(19, least: 5, theory: Self.one)
    }

    @Test("five fields of two buckets: a cell of all five, and what a one-way number is less than its total")
    func fiveFields() throws {
        let fields = (0..<5).map { AttackedMetric.Split.list(DimensionName("f\($0)"), [["yes"]]) }
        let metric = AttackedMetric(fields, groupings: [[]] + (0..<5).map { [$0] } + [[0, 1, 2, 3, 4]])
        var cells: [[Int]: AttackedMetric.Counted] = [:]
        for cell in 0..<32 { cells[(0..<5).map { cell >> $0 & 1 }] = .devices(120) }
        let cube = metric.cube(cells)
        let releases = try (0...120).map { secret in try metric.drawn(cube, by: secret).release }
        let exact = try Fault.with([.noiseOff]) { try metric.drawn(cube, by: 0).release }
        func estimates(_ estimate: (Release) -> Double?) throws -> Estimates {
            try Estimates(120) { estimate($0 == 0 ? exact : releases[$0]) }
        }
        try estimates { release in
            release.devices([1, 0, 1, 0, 1], by: [0, 1, 2, 3, 4]).map { $0 - 119 }
        }.expect(1, least: 5, theory: Self.one * 1.25 * 1.25 * 1.25.squareRoot())
        try estimates { release in
            guard let total = release.devices(), let half = release.devices([0], by: [3]) else { return nil }
            return total - half - 1919
        }.expect(1, least: 5, theory: Self.one * 1.25.squareRoot())
    }

    @Test("empty buckets that are known to be empty, and a withheld one beside them")
    func emptyBuckets() throws {
        let metric = AttackedMetric(
            [.list("os", (0..<39).map { ["v\($0)"] })], groupings: [[], [0]])
        let cube = metric.cube([[0]: .devices(150), [1]: .devices(19)])
        let estimates = try Estimates { secret in
            let release = try metric.drawn(cube, by: secret).release
            guard let total = release.devices(), let large = release.devices([0], by: [0]) else { return nil }
            return total - large
        }
        // The noise of 38 empty buckets that are no longer below 0 is given back in the small ones.
        #expect(abs(estimates.exact - 19) < 1e-6)
        #expect(estimates.deviation >= 0.88 * 5, "\(estimates.deviation)")
    }

    @Test("fields whose second bucket is known to be empty, which is knowledge: what the page says of weighted counts")
    func knownZeros() throws {
        let fields = (0..<5).map { AttackedMetric.Split.list(DimensionName("f\($0)"), [["yes"]]) }
        let metric = AttackedMetric(fields, groupings: [[]] + (0..<5).map { [$0] })
        let cube = metric.cube([[0, 0, 0, 0, 0]: .devices(100)])
        let estimates = try Estimates { secret in
            let release = try metric.drawn(cube, by: secret).release
            let halves = (0..<5).compactMap { release.devices([0], by: [$0]) }
            guard let total = release.devices(), halves.count == 5 else { return nil }
            // The best weights: 2/9 of each, and what is left of the total.
            return halves.reduce(0, +) * 2 / 9 - total / 9
        }
        #expect(abs(estimates.exact - 100) < 1e-6)
        // Clipped at 0, numbers of empty buckets tell a little less.
        #expect(estimates.deviation >= 0.88 * Self.one / 2.25.squareRoot(), "\(estimates.deviation)")
    }
}
