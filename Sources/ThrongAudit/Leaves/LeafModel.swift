/// Everything published about a group of metrics as one system over merged leaves.
struct LeafModel {
    var space: LeafSpace
    private(set) var classes = LeafClasses()
    var system = LinearSystem()
    /// What is not published, without what is the same question again.
    var targets: [Target] = []
    /// Why some statements were left out.
    private(set) var unread: [String] = []
    /// Whether a guess stands among the facts.
    var guesses = false
    let group: MetricGroup
    var quantities: [Quantity: Int] = [:]
    private var regions: [LeafRegion] = []
    private(set) var numberOf: [LeafRegion: Int] = [:]
    var reaches: [ReachCell: Int32] = [:]
    var crowds: [ReachCell: Crowd] = [:]
    private(set) var published: [ReachCell: Int64] = [:]
    private(set) var publishedPieces: Set<Pieces> = []
    /// Every published number of events.
    private(set) var facts: [Fact] = []
    /// Every published number of devices.
    private(set) var reachFacts: [Fact] = []
    var seen: Set<Question> = []

    /// A measure of a metric that adds up over leaves.
    struct Quantity: Hashable {
        let metric: String
        let measure: AuditMeasure
    }

    /// A number about some leaves: for reach, an unknown of its own, because devices do not add up.
    struct ReachCell: Hashable {
        let metric: String
        let measure: AuditMeasure
        let region: LeafRegion
    }

    /// A number about what some metric counted under several plans, one after the other.
    struct Pieces: Hashable {
        let metric: String
        let measure: AuditMeasure
        let regions: Set<LeafRegion>
    }

    /// A published number of events or of devices.
    struct Fact {
        /// Its place in the input.
        let place: Int
        /// What it adds up; without a leaf in common.
        let regions: [LeafRegion]
        let value: Int64
    }

    /// What makes two targets the same question.
    struct Question: Hashable {
        let metric: String
        let measure: AuditMeasure
        let threshold: Int64
        let whole: [LinearSystem.Term]
        let touched: [LinearSystem.Term]
    }

    /// Nil where the group has more leaves than the limit.
    ///
    /// - Complexity: O(leaves × kinds of margins) time, four bytes a leaf.
    init?(_ group: MetricGroup, options: AuditOptions, guessesNoZero: Bool) {
        self.group = group
        space = LeafSpace(dimensions: group.dimensions, periods: group.periods)
        guard space.size <= options.leafLimit else { return nil }
        var read: [(place: Int, statement: AuditStatement, regions: [LeafRegion])] = []
        for (place, statement) in group.statements {
            let found = statement.terms.map { space.region($0.region) }
            let whole = found.compactMap { $0 }
            guard whole.count == found.count else {
                unread.append("\(statement.source): a bucket of \(statement.text) is not in the plan")
                continue
            }
            // Beyond this, floating point in the programs would no longer tell whole numbers apart.
            guard [statement.lower, statement.upper].allSatisfy({ ($0 ?? 0).magnitude < 1_000_000_000_000_000 }) else {
                unread.append("\(statement.source): too large to audit: \(statement.text)")
                continue
            }
            read.append((place, statement, whole))
            for region in whole { number(region) }
        }
        let zeros = group.plan.structuralZeros.filter { group.metrics.contains($0.metric) }
        var empty: [(metric: String, region: LeafRegion, rule: String)] = []
        for period in group.periods {
            for zero in zeros {
                let slices = zero.slices.map { ($0.dimension, $0.labels) }
                guard let region = space.region(slices: slices, period: period) else { continue }
                empty.append((zero.metric, region, "these buckets never occur together"))
            }
            for metric in group.metrics.sorted() where group.plan.begins[metric] == period.end {
                guard let region = space.region(slices: [], period: period) else { continue }
                empty.append((metric, region, "counting of \(metric) began at \(period.end)"))
            }
        }
        for entry in empty { number(entry.region) }
        for tie in group.plan.ties { if let region = self.region(of: tie) { number(region) } }
        if guessesNoZero {
            // A guess is a fact about a withheld cell, so it tells that cell's leaves from others.
            let zeros = Set(
                read.filter { $0.statement.plainValue == 0 && $0.statement.terms.first?.measure == .count }
                    .compactMap { $0.statement.terms.first?.metric }
            ).subtracting(group.plan.publicZeros)
            for family in group.families where zeros.contains(family.metric) {
                for combination in combinations(of: family) {
                    for region in regions(of: combination, in: family) ?? [] { number(region) }
                }
            }
        }
        // Targets of shown tables use the same sets, but only published regions tell leaves apart.
        classes = LeafClasses(space, regions: regions)
        for (_, statement, _) in read { for term in statement.terms { declare(term.metric, term.measure) } }
        for family in group.families { for measure in family.measures { declare(family.metric, measure) } }
        system.unknowns = quantities.count * classes.sizes.count
        addFacts(read)
        for entry in empty {
            for quantity in quantities.keys where quantity.metric == entry.metric {
                let terms = terms(quantity, members: classes.members[numberOf[entry.region] ?? 0])
                system.rows.append(.init(terms: terms, lower: 0, upper: 0, origin: .rule(entry.rule)))
            }
        }
        addTies()
        addCovers()
        addTargets(options: options, guessesNoZero: guessesNoZero)
        for (cell, unknown) in reaches.sorted(by: { $0.value < $1.value }) {
            link(cell, unknown)
            add(cell, unknown)
        }
    }

    @discardableResult
    private mutating func number(_ region: LeafRegion) -> Int {
        if let known = numberOf[region] { return known }
        numberOf[region] = regions.count
        regions.append(region)
        return regions.count - 1
    }

    private mutating func declare(_ metric: String, _ measure: AuditMeasure) {
        guard measure != .reach else { return }
        let quantity = Quantity(metric: metric, measure: measure)
        if quantities[quantity] == nil { quantities[quantity] = quantities.count }
    }

    func unknown(_ quantity: Quantity, _ leafClass: Int32) -> Int32 {
        Int32((quantities[quantity] ?? 0) * classes.sizes.count) + leafClass
    }

    func terms(_ quantity: Quantity, members: [Int32]) -> [LinearSystem.Term] {
        members.map { LinearSystem.Term(unknown: unknown(quantity, $0), coefficient: 1) }
    }

    mutating func reach(_ cell: ReachCell) -> Int32 {
        if let known = reaches[cell] { return known }
        let unknown = Int32(system.unknowns)
        reaches[cell] = unknown
        system.unknowns += 1
        return unknown
    }

    private mutating func addFacts(_ read: [(place: Int, statement: AuditStatement, regions: [LeafRegion])]) {
        for (place, statement, regions) in read {
            if let value = statement.wholeValue, let term = statement.terms.first {
                if term.measure == .count { facts.append(Fact(place: place, regions: regions, value: value)) }
                if term.measure == .reach {
                    reachFacts.append(Fact(place: place, regions: regions, value: value))
                }
                if regions.count > 1 {
                    publishedPieces.insert(Pieces(metric: term.metric, measure: term.measure, regions: Set(regions)))
                }
            }
            if let value = statement.plainValue, let term = statement.terms.first {
                let cell = ReachCell(metric: term.metric, measure: term.measure, region: regions[0])
                // The same number in another file is no new fact.
                guard published[cell] != value else { continue }
                published[cell] = value
            }
            var sums: [Int32: Int64] = [:]
            for (term, region) in zip(statement.terms, regions) {
                let cell = ReachCell(metric: term.metric, measure: term.measure, region: region)
                if term.measure == .reach {
                    sums[reach(cell), default: 0] += term.coefficient
                } else {
                    let quantity = Quantity(metric: term.metric, measure: term.measure)
                    for member in classes.members[numberOf[region] ?? 0] {
                        sums[unknown(quantity, member), default: 0] += term.coefficient
                    }
                    if case .sum(let name) = term.measure,
                        group.plan.signedSums.contains(name) || (statement.plainValue ?? 0) < 0
                    {
                        for member in classes.sizes.indices { system.signed.insert(unknown(quantity, Int32(member))) }
                    }
                }
            }
            let terms = sums.filter { $0.value != 0 }.sorted { $0.key < $1.key }
                .map { LinearSystem.Term(unknown: $0.key, coefficient: $0.value) }
            system.rows.append(
                .init(terms: terms, lower: statement.lower, upper: statement.upper, origin: .statement(place)))
        }
    }

    private mutating func addTies() {
        for tie in group.plan.ties where tie.app == group.app && group.metrics.contains(tie.left.metric) {
            let left = Quantity(metric: tie.left.metric, measure: tie.left.measure)
            let right = Quantity(metric: tie.right.metric, measure: tie.right.measure)
            guard quantities[left] != nil, quantities[right] != nil else { continue }
            guard let members = self.members(of: tie) else { continue }
            for member in members {
                system.rows.append(
                    .init(
                        terms: [
                            .init(unknown: unknown(left, member), coefficient: tie.left.factor),
                            .init(unknown: unknown(right, member), coefficient: -tie.right.factor),
                        ], lower: tie.isEqual ? 0 : nil, upper: 0, origin: .rule(tie.words)))
            }
        }
    }

    private mutating func region(of tie: AuditPlan.Tie) -> LeafRegion? {
        tie.within.isEmpty || tie.app != group.app ? nil : space.region(slices: tie.within)
    }

    /// Where a tie holds; nil where the buckets are not in use.
    private mutating func members(of tie: AuditPlan.Tie) -> [Int32]? {
        guard !tie.within.isEmpty else { return classes.sizes.indices.map(Int32.init) }
        return region(of: tie).flatMap { numberOf[$0] }.map { classes.members[$0] }
    }

    private mutating func addCovers() {
        for cover in group.plan.covers where cover.app == group.app && group.metrics.contains(cover.total) {
            let names = [cover.total] + cover.kinds
            let all = names.map { Quantity(metric: $0, measure: .count) }
            guard all.allSatisfy({ quantities[$0] != nil }) else { continue }
            for member in classes.sizes.indices.map(Int32.init) {
                let terms = all.enumerated().map { place, quantity in
                    LinearSystem.Term(unknown: unknown(quantity, member), coefficient: place == 0 ? 1 : -1)
                }
                system.rows.append(
                    .init(terms: terms, lower: 0, upper: cover.isWhole ? 0 : nil, origin: .rule(cover.words)))
            }
        }
    }
}

extension AuditPlan.Tie {
    /// "clicks count ≤ views count".
    var words: String {
        "\(left.factor == 1 ? "" : "\(left.factor) ")\(left.metric) \(left.measure) \(isEqual ? "=" : "≤") "
            + "\(right.factor == 1 ? "" : "\(right.factor) ")\(right.metric) \(right.measure)"
    }
}

extension AuditPlan.Cover {
    /// "all = clicks + views".
    var words: String { "\(total) \(isWhole ? "=" : "≥") \(kinds.joined(separator: " + "))" }
}
