internal import ThrongPlan
internal import ThrongRelease

/// Finds groupings of one metric that publish most of their events beside each other.
struct GroupingSearch {
    /// What it is tried on, with what was decided before.
    private let cubes: [(cube: StoredCube, day: DayDecision)]
    private let layout: MetricLayout
    private let asked: [[DimensionName]]
    private let total: Int64
    /// What is taken besides what is asked for.
    private var taken: [[DimensionName]] = []
    /// What would show too little by itself: what splits it further shows no more.
    private var small: [Set<DimensionName>] = []
    /// The shares that everything taken or asked for shows.
    private var shares: [Margin: Double] = [:]

    /// What a grouping may cost the others of their events.
    private static let mostLost = 0.01

    /// Looks at the busiest period of each day; nil where there is none.
    ///
    /// - Parameter asked: what is released anyway; the total is.
    init?(of metric: MetricName, on days: [DayDecision], asked: [[DimensionName]]) throws {
        cubes = days.compactMap { day in
            day.cubes(of: metric).max { $0.events < $1.events }.map { ($0, day) }
        }
        guard let layout = cubes.first?.cube.layout else { return nil }
        self.layout = layout
        self.asked = asked
        total = cubes.reduce(0) { $0 + $1.cube.events }
        shares = try shares(showing: margins)
    }

    /// Everything that would be released, ascending.
    var margins: [Margin] { Set((asked + taken).map(margin) + [.total]).sorted() }

    /// Takes a grouping where it shows enough and costs the others next to nothing.
    mutating func consider(_ grouping: [DimensionName]) throws {
        guard !asked.contains(grouping), !small.contains(where: { $0.isSubset(of: grouping) }) else { return }
        let margin = margin(grouping)
        let found = try shares(showing: Set(margins + [margin]).sorted())
        guard found[margin] ?? 0 >= GroupingAdvice.least else {
            small.append(Set(grouping))
            return
        }
        guard shares.allSatisfy({ found[$0.key] ?? 0 >= $0.value - Self.mostLost }) else { return }
        taken.append(grouping)
        shares = found
    }

    /// What was found.
    var advice: GroupingAdvice {
        func suggested(_ groupings: [[DimensionName]]) -> [GroupingAdvice.Suggested] {
            groupings.map { .init(dimensions: $0.map(\.text), shown: shares[margin($0)] ?? 0) }
        }
        return GroupingAdvice(
            metric: layout.metric.text, margins: suggested(taken), asked: suggested(asked.filter { !$0.isEmpty }))
    }

    private func margin(_ names: [DimensionName]) -> Margin {
        Margin(keeping: names.compactMap { name in layout.dimensions.firstIndex { $0.name == name } })
    }

    private func shares(showing margins: [Margin]) throws -> [Margin: Double] {
        var shown: [Margin: Int64] = [:]
        for (cube, day) in cubes {
            for cell in try day.decide(cube, showing: margins).release.cells {
                shown[cell.margin, default: 0] += cell.count
            }
        }
        return Dictionary(
            uniqueKeysWithValues: margins.map { ($0, total > 0 ? Double(shown[$0] ?? 0) / Double(total) : 0) })
    }
}

extension StoredCube {
    /// Unit: events.
    fileprivate var events: Int64 { counters.reduce(0) { $1.measure == .count ? $0 + $1.value : $0 } }
}

extension Plan {
    /// The groupings of a metric that are worth a try: by up to three of its dimensions, and by dimensions that are made of
    /// them; coarser ones first.
    func triedGroupings(of metric: Metric) -> [[DimensionName]] {
        let base = cubeDimensions(of: metric).filter { !$0.isRevealed }.map { ($0.name, of: $0.name) }
        let derived = derivedDimensions.filter { dimension in base.contains { $0.of == dimension.base } }
            .map { ($0.name, of: $0.base) }
        var groupings: [[(name: DimensionName, of: DimensionName)]] = [[]]
        for (name, of) in base + derived {
            groupings += groupings.filter { kept in
                kept.count < GroupingAdvice.mostDimensions && !kept.contains { $0.of == of }
            }.map { $0 + [(name, of)] }
        }
        // Of equally coarse ones those first that the plan has now.
        let own = metric.margins.map(Set.init)
        func rank(_ place: Int) -> (Int, Int, Int) {
            let names = groupings[place].map(\.name)
            return (names.count, own.contains(Set(names)) ? 0 : 1, place)
        }
        return groupings.indices.dropFirst().sorted { rank($0) < rank($1) }.prefix(GroupingAdvice.mostTried)
            .map { groupings[$0].map(\.name) }
    }
}
