import Testing
import ThrongChance
import ThrongPlan
import ThrongRelease

/// Every table that agrees with what two or three tied metrics published is enumerated; no small cell of any of them may
/// have one value only, or be proved to be under k.
@Suite("Promise 5: metrics that count the same events don't give each other away")
struct TiedMetricTests {
    private static let every: [Margin] = [.total, Margin(keeping: [0]), Margin(keeping: [1]), Margin(keeping: [0, 1])]
    private static let finest: [Margin] = [Margin(keeping: [0, 1])]

    private static func equal(_ sums: [[Int64]]) -> Bool { sums.allSatisfy { $0 == sums[0] } }

    @Test("a total of one metric and parts of the other don't give a small cell away")
    func split() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("whole", events: ["open"], values: [9, 3, 8, 7], groupings: Self.finest)
        town.add("parts", events: ["open"], values: [6, 6, 9, 6], groupings: [Margin(keeping: [0])])
        try town.decide(isTied: false)
        #expect(town.givenAway(most: 16, agree: Self.equal) != [], "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 16, agree: Self.equal) == [])
        #expect(town.releases[1].cells.count == 1, "the other country is no secret: \(town.releases[1].cells)")
    }

    @Test("a total less its published kinds is no small kind")
    func kinds() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("all", events: ["view", "click"], values: [12, 8, 9, 9], groupings: [.total, Margin(keeping: [0])])
        town.add("views", events: ["view"], values: [9, 8, 9, 7], groupings: [.total, Margin(keeping: [0])])
        town.add("clicks", events: ["click"], values: [1, 2, 1, 1], groupings: Self.every)
        let agree: ([[Int64]]) -> Bool = { sums in
            sums[0].indices.allSatisfy { sums[0][$0] == sums[1][$0] + sums[2][$0] }
        }
        try town.decide(isTied: false)
        #expect(town.givenAway(most: 20, agree: agree) != [], "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 20, agree: agree) == [])
    }

    @Test("clicks are no more than views, and that bounds no withheld view", arguments: [false, true])
    func inequality(isReversed: Bool) throws {
        var town = TiedTown(countries: 2, threshold: 5)
        let add: [(inout TiedTown) -> Void] = [
            { $0.add("views", events: ["view", "click"], values: [2, 0, 9, 9], groupings: [.total]) },
            { $0.add("clicks", events: ["click"], values: [1, 0, 9, 8], groupings: [Margin(keeping: [0])]) },
        ]
        for each in isReversed ? add.reversed() : add { each(&town) }
        let agree: ([[Int64]]) -> Bool = { sums in
            let (views, clicks) = isReversed ? (sums[1], sums[0]) : (sums[0], sums[1])
            return zip(views, clicks).allSatisfy { $0 >= $1 }
        }
        try town.decide(isTied: false)
        #expect(town.givenAway(most: 20, agree: agree) != [], "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 20, agree: agree) == [])
    }

    /// Two metrics over eight small counts, each with groupings of its own.
    private static func pair(_ seed: UInt64) -> TiedTown {
        var random = SeededGenerator(seed: seed &* 7_919 &+ 17)
        var joint = (0..<8).map { _ in Int64.random(in: 0...3, using: &random) }
        if joint.allSatisfy({ $0 == 0 }) { joint[0] = 4 }
        func first(_ place: Int) -> Int64 { joint[place * 2] + joint[place * 2 + 1] }
        let left = (0..<4).map(first)
        let right = (0..<4).map { place in
            let (country, bucket) = (place / 2, place % 2)
            return joint[country * 4 + bucket] + joint[country * 4 + 2 + bucket]
        }
        let some = every.filter { _ in Bool.random(using: &random) }
        let others = every.filter { _ in Bool.random(using: &random) }
        var town = TiedTown(countries: 2, threshold: 3)
        town.add("left", events: ["open"], values: left, groupings: some.isEmpty ? every : some)
        town.add("right", events: ["open"], values: right, groupings: others.isEmpty ? every : others)
        return town
    }

    @Test("no small random pair of tables gives a small cell away", arguments: UInt64(0)..<60)
    func random(seed: UInt64) throws {
        var town = Self.pair(seed)
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 16, agree: Self.equal) == [])
    }

    @Test("nor does a total of events beside a part of them, in either order", arguments: UInt64(0)..<40)
    func part(seed: UInt64) throws {
        let town = Self.pair(seed)
        var random = SeededGenerator(seed: seed &+ 99)
        let (left, right) = (town.metrics[0], town.metrics[1])
        let more = left.values.map { $0 + Int64.random(in: 0...2, using: &random) }
        var tied = TiedTown(countries: 2, threshold: 3)
        let isReversed = seed.isMultiple(of: 2)
        if isReversed {
            tied.add("right", events: ["click"], values: right.values, groupings: right.groupings)
            tied.add("left", events: ["view", "click"], values: more, groupings: left.groupings)
        } else {
            tied.add("left", events: ["view", "click"], values: more, groupings: left.groupings)
            tied.add("right", events: ["click"], values: right.values, groupings: right.groupings)
        }
        try tied.decide(isTied: true)
        let agree: ([[Int64]]) -> Bool = { sums in
            let (all, clicks) = isReversed ? (sums[1], sums[0]) : (sums[0], sums[1])
            return zip(all, clicks).allSatisfy { $0 >= $1 }
        }
        #expect(tied.givenAway(most: 12, agree: agree) == [])
    }

    @Test("without time for proofs nothing is given away either, and what everybody can compute is published")
    func noTime() throws {
        for seed in UInt64(0)..<20 {
            var town = Self.pair(seed)
            try town.decide(isTied: true, seconds: 0)
            #expect(town.givenAway(most: 16, agree: Self.equal) == [])
        }
    }

    @Test("what is left open between two metrics takes nothing from a third that neither says anything about")
    func noTimeApart() throws {
        var given = 0
        for seed in UInt64(0)..<20 {
            var town = Self.pair(seed)
            town.add("apart", events: ["close"], values: [9, 4, 8, 7], groupings: Self.every)
            try town.decide(isTied: true, seconds: 0)
            #expect(town.releases[2].cells.count == 9)
            given += town.releases[1].cells.isEmpty ? 1 : 0
        }
        #expect(given > 0, "something must be left open")
    }

    @Test("some of these pairs give a small cell away where each is decided alone")
    func control() throws {
        var given = 0
        for seed in UInt64(0)..<20 {
            var town = Self.pair(seed)
            try town.decide(isTied: false)
            given += town.givenAway(most: 16, agree: Self.equal).isEmpty ? 0 : 1
        }
        #expect(given > 0)
    }

    @Test(
        "hours and the day that they make up don't give each other away, nor do weeks that make up a month",
        arguments: [[0, 1, 2], [0, 2, 1], [2, 0, 1]], [PeriodKind.hour, .week])
    func periods(order: [Int], short: PeriodKind) throws {
        var town = TiedTown(countries: 2, threshold: 5)
        let length: Int64 = short == .hour ? 43_200 : 604_800
        let hours = (0..<2).map {
            Period(kind: short, start: UnixSeconds($0 * length), end: UnixSeconds(($0 + 1) * length))
        }
        let whole = Period(kind: short == .hour ? .day : .month, start: .epoch, end: UnixSeconds(2 * length))
        let add: [(inout TiedTown) -> Void] = [
            {
                $0.add(
                    "hourly", events: ["open"], values: [6, 2, 7, 6], groupings: Self.finest, period: hours[0])
            },
            {
                $0.add(
                    "hourly", events: ["open"], values: [5, 6, 8, 5], groupings: Self.finest, period: hours[1])
            },
            {
                $0.add(
                    "daily", events: ["open"], values: [10, 9, 11, 15], groupings: [Margin(keeping: [0])], period: whole
                )
            },
        ]
        for place in order { add[place](&town) }
        let agree: ([[Int64]]) -> Bool = { sums in
            var sums = sums
            let day = sums.remove(at: order.firstIndex(of: 2) ?? 0)
            return day.indices.allSatisfy { sums[0][$0] + sums[1][$0] == day[$0] }
        }
        try town.decide(isTied: false)
        #expect(town.givenAway(most: 16, agree: agree) != [], "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 16, agree: agree) == [])
    }

    @Test("a sum that two metrics share is tied like their counts")
    func sums() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("whole", events: ["buy"], values: [9, 3, 8, 7], groupings: Self.finest, spending: true)
        town.add("parts", events: ["buy"], values: [6, 6, 9, 6], groupings: [Margin(keeping: [0])], spending: true)
        try town.decide(isTied: false)
        #expect(town.givenAway(most: 16, agree: Self.equal) != [], "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(town.givenAway(most: 16, agree: Self.equal) == [])
        #expect(town.releases[1].cells.map(\.sums) == [[150]])
    }

    @Test("what age took from a tied metric's release can't be reckoned with, and nothing is added to it")
    func decayed() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("whole", events: ["open"], values: [9, 8, 8, 7], groupings: Self.finest)
        town.add("parts", events: ["open"], values: [11, 6, 9, 6], groupings: Self.every)
        try town.decide(isTied: true)
        #expect(town.releases[1].cells.count == 9)
        let (whole, parts) = (town.metrics[0], town.metrics[1])
        let gone = TiedMetric(
            counted: whole.tied([]).counted, layout: whole.layout, parts: [whole.cube], releases: [], isWhole: false)
        let decision = try ReleaseCase(
            header: town.releases[1].header, parts: [parts.cube], tied: [gone]
        ).decide(ReleaseOptions(seed: 7, proofSeconds: 10))
        #expect(decision.release.cells.isEmpty)
        #expect(decision.withheld.allSatisfy { $0.reason == .revealsTied })
    }

    @Test("counters that contradict each other are decided, and give nothing small away as far as they agree")
    func contradiction() throws {
        // The second metric's bound dropped an event of the first country.
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("whole", events: ["open"], values: [9, 3, 8, 7], groupings: Self.finest)
        town.add("parts", events: ["open"], values: [6, 5, 9, 6], groupings: [Margin(keeping: [0])])
        try town.decide(isTied: true)
        #expect(!town.releases[1].cells.contains { $0.count == 11 })
    }

    @Test("a metric that counted nothing is released empty, and stops no other", arguments: [[0, 1, 2], [2, 1, 0]])
    func empty(order: [Int]) throws {
        let values: [[Int64]] = [[9, 8, 8, 7], [0, 0, 0, 0], [11, 6, 9, 6]]
        var town = TiedTown(countries: 2, threshold: 5)
        for place in order {
            town.add(MetricName("m\(place)"), events: ["open"], values: values[place], groupings: Self.every)
        }
        try town.decide(isTied: true)
        #expect(order.map { town.releases[order.firstIndex(of: $0) ?? 0].cells.isEmpty } == order.map { $0 == 1 })
    }

    @Test("metrics without an event in common are decided as if each were alone")
    func apart() throws {
        var town = TiedTown(countries: 2, threshold: 5)
        town.add("whole", events: ["open"], values: [9, 3, 8, 7], groupings: Self.finest)
        town.add("parts", events: ["close"], values: [6, 6, 9, 6], groupings: [Margin(keeping: [0])])
        try town.decide(isTied: true)
        #expect(town.releases[1].cells.count == 2)
    }
}
