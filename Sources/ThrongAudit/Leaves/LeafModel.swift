/// Everything published about a group of metrics as one system over merged leaves.
struct LeafModel {
    var space: LeafSpace
    private(set) var classes = LeafClasses()
    var system = LinearSystem()
    /// What is not published, without what is the same question again.
    private(set) var targets: [Target] = []
    /// Why some statements were left out.
    private(set) var unread: [String] = []
    /// Whether a guess stands among the facts.
    private(set) var guesses = false
    let group: MetricGroup
    var quantities: [Quantity: Int] = [:]
    private var regions: [LeafRegion] = []
    private var numberOf: [LeafRegion: Int] = [:]
    var reaches: [ReachCell: Int32] = [:]
    private var published: [ReachCell: Int64] = [:]
    private var seen: Set<Question> = []

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

    /// What makes two targets the same question.
    private struct Question: Hashable {
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
        if guessesNoZero {
            // A guess is a fact about a withheld cell, so it tells that cell's leaves from others.
            let zeros = Set(
                read.filter { $0.statement.plainValue == 0 && $0.statement.terms.first?.measure == .count }
                    .compactMap { $0.statement.terms.first?.metric }
            ).subtracting(group.plan.publicZeros)
            for family in group.families where zeros.contains(family.metric) {
                for combination in combinations(of: family) {
                    if let region = space.region(slices: combination, period: family.period) { number(region) }
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
        for (cell, unknown) in reaches.sorted(by: { $0.value < $1.value }) { link(cell, unknown) }
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

    private func terms(_ quantity: Quantity, members: [Int32]) -> [LinearSystem.Term] {
        members.map { LinearSystem.Term(unknown: unknown(quantity, $0), coefficient: 1) }
    }

    private mutating func reach(_ cell: ReachCell) -> Int32 {
        if let known = reaches[cell] { return known }
        let unknown = Int32(system.unknowns)
        reaches[cell] = unknown
        system.unknowns += 1
        return unknown
    }

    private mutating func addFacts(_ read: [(place: Int, statement: AuditStatement, regions: [LeafRegion])]) {
        for (place, statement, regions) in read {
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
            for member in classes.sizes.indices.map(Int32.init) {
                system.rows.append(
                    .init(
                        terms: [
                            .init(unknown: unknown(left, member), coefficient: tie.left.factor),
                            .init(unknown: unknown(right, member), coefficient: -tie.right.factor),
                        ], lower: tie.isEqual ? 0 : nil, upper: 0, origin: .rule(tie.words)))
            }
        }
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

    // MARK: targets

    private mutating func addTargets(options: AuditOptions, guessesNoZero: Bool) {
        var counts = Array(repeating: Int32(0), count: classes.sizes.count)
        let tells = guessesNoZero ? metricsWithPublishedZeros : []
        var done: Set<FamilyKey> = []
        for family in group.families {
            for shown in [family] + (options.targetsEveryMargin ? coarser(than: family) : []) {
                var axes: [(dimension: String, alternatives: [[String]])] = []
                for axis in shown.axes { axes.append((axis.dimension, axis.alternatives)) }
                let key = FamilyKey(
                    metric: shown.metric, measures: shown.measures, period: shown.period, axes: shown.axes)
                guard done.insert(key).inserted else { continue }
                addCells(of: shown, counts: &counts, tells: tells.contains(shown.metric))
            }
        }
        // The leaves of several metrics together are combinations that none of them has: nobody promised those.
        guard group.metrics.count == 1 else {
            for family in finestFamilies
            where done.insert(
                FamilyKey(metric: family.metric, measures: family.measures, period: family.period, axes: family.axes)
            ).inserted {
                addCells(of: family, counts: &counts, tells: false)
            }
            return
        }
        for (quantity, _) in quantities.sorted(by: { $0.value < $1.value }) {
            guard let threshold = threshold(of: quantity.metric) else { continue }
            let known = Set(
                published.keys.filter { $0.metric == quantity.metric && $0.measure == quantity.measure }
                    .map { classes.members[numberOf[$0.region] ?? 0] }.filter { $0.count == 1 }.flatMap { $0 })
            for member in classes.sizes.indices.map(Int32.init) {
                let isOne = classes.sizes[Int(member)] == 1
                if isOne && known.contains(member) { continue }
                let term = LinearSystem.Term(unknown: unknown(quantity, member), coefficient: 1)
                add(
                    quantity.metric, quantity.measure, threshold, whole: isOne ? [term] : [], touched: [term],
                    name: (isOne ? "" : "any of \(classes.sizes[Int(member)]) leaves such as ")
                        + space.name(ofLeaf: classes.samples[Int(member)]))
            }
        }
    }

    /// By metric and period, the table of all dimensions that the metric was ever shown by, bucket by bucket.
    private var finestFamilies: [AuditFamily] {
        var found: [FamilyKey: AuditFamily] = [:]
        for family in group.families {
            let shown = group.families.filter { $0.metric == family.metric }.flatMap(\.axes).map(\.dimension)
            let measures = family.measures.filter { $0 != .reach }
            let axes = group.dimensions.filter { shown.contains($0.name) }.map { dimension in
                AuditFamily.Axis(dimension: dimension.name, alternatives: dimension.elements.map { [$0] })
            }
            let key = FamilyKey(metric: family.metric, measures: measures, period: family.period, axes: axes)
            guard !measures.isEmpty, found[key] == nil else { continue }
            found[key] = AuditFamily(
                source: family.source, app: family.app, metric: family.metric, measures: measures,
                period: family.period, threshold: threshold(of: family.metric) ?? family.threshold, axes: axes)
        }
        return found.values.sorted {
            ($0.metric, $0.period.start, $0.period.end, $0.period.revision ?? -1)
                < ($1.metric, $1.period.start, $1.period.end, $1.period.revision ?? -1)
        }
    }

    private struct FamilyKey: Hashable {
        let metric: String
        let measures: [AuditMeasure]
        let period: AuditPeriod
        let axes: [AuditFamily.Axis]
    }

    private func coarser(than family: AuditFamily) -> [AuditFamily] {
        guard family.axes.count <= 6 else { return [] }
        return (0..<(1 << family.axes.count) - 1).map { bits in
            AuditFamily(
                source: family.source, app: family.app, metric: family.metric, measures: family.measures,
                period: family.period, threshold: family.threshold,
                axes: family.axes.indices.filter { bits & (1 << $0) != 0 }.map { family.axes[$0] })
        }
    }

    private var metricsWithPublishedZeros: Set<String> {
        Set(published.filter { $0.value == 0 && $0.key.measure == .count }.map(\.key.metric))
            .subtracting(group.plan.publicZeros)
    }

    private func threshold(of metric: String) -> Int64? {
        group.families.filter { $0.metric == metric }.map(\.threshold).max()
    }

    /// The cells of a shown table, by their buckets.
    private func combinations(of family: AuditFamily) -> [[(dimension: String, labels: [String])]] {
        family.axes.reduce([[]]) { partial, axis in
            partial.flatMap { head in axis.alternatives.map { head + [(axis.dimension, $0)] } }
        }
    }

    private mutating func addCells(of family: AuditFamily, counts: inout [Int32], tells: Bool) {
        // By axis and parent: what a subtraction of the published children from their published parent leaves.
        var remainders: [LeafRegion: [Int32: Int32]] = [:]
        for combination in combinations(of: family) {
            guard let region = space.region(slices: combination, period: family.period) else { continue }
            let measures = family.measures.filter {
                published[ReachCell(metric: family.metric, measure: $0, region: region)] == nil
            }
            guard !measures.isEmpty else { continue }
            let name = space.name(of: region)
            var touched: [Int32] = []
            if measures.contains(where: { $0 != .reach }) {
                space.forEachLeaf(of: region) { leaf in
                    let member = classes.classOf[leaf]
                    if counts[Int(member)] == 0 { touched.append(member) }
                    counts[Int(member)] += 1
                }
            }
            let form = touched.map { ($0, counts[Int($0)]) }
            for member in touched { counts[Int(member)] = 0 }
            for measure in measures {
                if measure == .reach {
                    let term = LinearSystem.Term(
                        unknown: reach(ReachCell(metric: family.metric, measure: .reach, region: region)),
                        coefficient: 1)
                    add(family.metric, .reach, family.threshold, whole: [term], touched: [term], name: name)
                } else {
                    add(form, Quantity(metric: family.metric, measure: measure), family.threshold, name: name)
                }
            }
            if tells, measures.contains(.count) {
                guesses = true
                let quantity = Quantity(metric: family.metric, measure: .count)
                system.rows.append(
                    .init(
                        terms: terms(quantity, members: form.map(\.0)), lower: 1, upper: nil,
                        origin: .guess("zeros are published, so the withheld \(name) is at least 1")))
            }
            guard measures.contains(.count) else { continue }
            for (place, axis) in family.axes.enumerated() where axis.alternatives.count > 1 {
                var slices = combination
                slices.remove(at: place)
                guard let parent = space.region(slices: slices, period: family.period),
                    published[ReachCell(metric: family.metric, measure: .count, region: parent)] != nil
                else { continue }
                var sums = remainders[parent] ?? [:]
                for (member, count) in form { sums[member, default: 0] += count }
                remainders[parent] = sums
            }
        }
        for (parent, sums) in remainders.sorted(by: { $0.key.sets.lexicographicallyPrecedes($1.key.sets) }) {
            add(
                sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
                Quantity(metric: family.metric, measure: .count), family.threshold,
                name: "what is withheld together in \(space.name(of: parent))")
        }
    }

    private mutating func add(_ form: [(Int32, Int32)], _ quantity: Quantity, _ threshold: Int64, name: String) {
        let whole = form.filter { classes.sizes[Int($0.0)] <= $0.1 }.map(\.0).sorted()
        add(
            quantity.metric, quantity.measure, threshold, whole: terms(quantity, members: whole),
            touched: terms(quantity, members: form.map(\.0).sorted()), name: name)
    }

    private mutating func add(
        _ metric: String, _ measure: AuditMeasure, _ threshold: Int64, whole: [LinearSystem.Term],
        touched: [LinearSystem.Term], name: String
    ) {
        // A part of an unknown that may be negative can be anything.
        if whole.count < touched.count, touched.contains(where: { system.signed.contains($0.unknown) }) { return }
        let question = Question(
            metric: metric, measure: measure, threshold: threshold, whole: whole, touched: touched)
        guard !touched.isEmpty, seen.insert(question).inserted else { return }
        targets.append(
            Target(
                metric: metric, measure: measure, threshold: threshold, whole: whole, touched: touched, name: name))
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
