/// What the attacker goes for.
extension LeafModel {
    mutating func addTargets(options: AuditOptions, guessesNoZero: Bool) {
        var counts = Array(repeating: Int32(0), count: classes.sizes.count)
        let tells = guessesNoZero ? metricsWithPublishedZeros : []
        var done: Set<FamilyKey> = []
        for family in group.families {
            for shown in [family] + (options.targetsEveryMargin ? coarser(than: family) : []) {
                var axes: [(dimension: String, alternatives: [[String]])] = []
                for axis in shown.axes { axes.append((axis.dimension, axis.alternatives)) }
                let key = FamilyKey(
                    metric: shown.subject, measures: shown.measures, period: shown.period, axes: shown.axes)
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
            let known = Set(
                published.keys.filter { $0.metric == quantity.metric && $0.measure == quantity.measure }
                    .map { classes.members[numberOf[$0.region] ?? 0] }.filter { $0.count == 1 }.flatMap { $0 })
            for member in classes.sizes.indices.map(Int32.init) {
                let isOne = classes.sizes[Int(member)] == 1
                guard
                    let threshold = threshold(
                        of: quantity.metric, in: space.period(ofLeaf: classes.samples[Int(member)]))
                else { continue }
                if isOne && known.contains(member) { continue }
                let term = LinearSystem.Term(unknown: unknown(quantity, member), coefficient: 1)
                // Of several metrics together, what nobody tells apart is one thing that somebody may work out.
                let isWhole = isOne || group.isJoint
                let words = isOne ? "" : "\(isWhole ? "all" : "any") of \(classes.sizes[Int(member)]) leaves such as "
                add(
                    Subject(quantity, isAtom: group.isJoint, threshold: threshold), whole: isWhole ? [term] : [],
                    touched: [term], name: words + space.name(ofLeaf: classes.samples[Int(member)]))
            }
        }
    }

    /// What a target is about, whatever it measures.
    struct Cell: Hashable {
        let metric: String
        let classes: [Int]
    }

    /// The leaves of a target whose measure adds up.
    func cell(of target: Target) -> Cell {
        Cell(metric: target.metric, classes: target.touched.map { Int($0.unknown) % max(1, classes.sizes.count) })
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
                period: family.period, threshold: family.threshold, axes: axes)
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
                axes: family.axes.indices.filter { bits & (1 << $0) != 0 }.map { family.axes[$0] },
                subject: family.subject, pieces: family.pieces)
        }
    }

    private var metricsWithPublishedZeros: Set<String> {
        Set(published.filter { $0.value == 0 && $0.key.measure == .count }.map(\.key.metric))
            .subtracting(group.plan.publicZeros)
    }

    /// What is asked for of a metric in a period. Where several metrics are one table, the least that any of them asks for:
    /// another's k is not meant for what it does not count.
    private func threshold(of metric: String, in period: AuditPeriod) -> Int64? {
        let asked = group.families.filter {
            $0.metric == metric && $0.period.start < period.end && period.start < $0.period.end
        }.map(\.threshold)
        return group.isJoint ? asked.min() : asked.max()
    }

    /// The leaves of a cell, in pieces without a leaf in common; nil where a bucket is unknown.
    mutating func regions(
        of combination: [(dimension: String, labels: [String])], in family: AuditFamily
    ) -> [LeafRegion]? {
        if family.pieces.isEmpty {
            return space.region(slices: combination, period: family.period).map { [$0] }
        }
        var found: [LeafRegion] = []
        for piece in family.pieces {
            let slices = combination + piece.slices.map { ($0.dimension, $0.labels) }
            guard let region = space.region(slices: slices, period: piece.period) else { return nil }
            found.append(region)
        }
        return found
    }

    /// The cells of a shown table, by their buckets.
    func combinations(of family: AuditFamily) -> [[(dimension: String, labels: [String])]] {
        family.axes.reduce([[]]) { partial, axis in
            partial.flatMap { head in axis.alternatives.map { head + [(axis.dimension, $0)] } }
        }
    }

    private mutating func addCells(of family: AuditFamily, counts: inout [Int32], tells: Bool) {
        // By axis and parent: what a subtraction of the published children from their published parent leaves.
        var remainders: [LeafRegion: [Int32: Int32]] = [:]
        for combination in combinations(of: family) {
            guard let regions = self.regions(of: combination, in: family), let region = regions.first else { continue }
            let measures = family.measures.filter { measure in
                if regions.count == 1 {
                    return published[ReachCell(metric: family.metric, measure: measure, region: region)] == nil
                }
                return !publishedPieces.contains(
                    Pieces(metric: family.metric, measure: measure, regions: Set(regions)))
            }
            guard !measures.isEmpty else { continue }
            let name = (family.subject == family.metric ? "" : "\(family.subject): ") + space.name(of: region)
            var touched: [Int32] = []
            if measures.contains(where: { $0 != .reach }) {
                for region in regions {
                    space.forEachLeaf(of: region) { leaf in
                        let member = classes.classOf[leaf]
                        if counts[Int(member)] == 0 { touched.append(member) }
                        counts[Int(member)] += 1
                    }
                }
            }
            let form = touched.map { ($0, counts[Int($0)]) }
            for member in touched { counts[Int(member)] = 0 }
            for measure in measures {
                if measure == .reach {
                    let term = LinearSystem.Term(
                        unknown: reach(ReachCell(metric: family.metric, measure: .reach, region: region)),
                        coefficient: 1)
                    add(
                        Subject(family, measure: .reach), whole: [term], touched: [term], name: name)
                } else {
                    add(form, Subject(family, measure: measure), name: name)
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
            guard measures.contains(.count), regions.count == 1 else { continue }
            for (place, axis) in family.axes.enumerated() where axis.alternatives.count > 1 {
                var slices = combination
                slices.remove(at: place)
                guard let parent = self.regions(of: slices, in: family)?.first,
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
                Subject(family, measure: .count),
                name: "what is withheld together in \(space.name(of: parent))")
        }
    }

    private mutating func add(_ form: [(Int32, Int32)], _ subject: Subject, name: String) {
        let quantity = Quantity(metric: subject.metric, measure: subject.measure)
        let whole = form.filter { classes.sizes[Int($0.0)] <= $0.1 }.map(\.0).sorted()
        add(
            subject, whole: terms(quantity, members: whole), touched: terms(quantity, members: form.map(\.0).sorted()),
            name: name)
    }

    private mutating func add(
        _ subject: Subject, whole: [LinearSystem.Term], touched: [LinearSystem.Term], name: String
    ) {
        // A part of an unknown that may be negative can be anything.
        if whole.count < touched.count, touched.contains(where: { system.signed.contains($0.unknown) }) { return }
        let question = Question(
            metric: subject.metric, measure: subject.measure, threshold: subject.threshold, whole: whole,
            touched: touched)
        guard !touched.isEmpty, seen.insert(question).inserted else { return }
        targets.append(
            Target(
                metric: subject.metric, subject: subject.name, isAtom: subject.isAtom, measure: subject.measure,
                threshold: subject.threshold, whole: whole, touched: touched, name: name))
    }

    /// Whose cell a target is.
    private struct Subject {
        let metric: String
        let name: String
        let isAtom: Bool
        let measure: AuditMeasure
        let threshold: Int64

        init(_ family: AuditFamily, measure: AuditMeasure) {
            metric = family.metric
            name = family.subject
            isAtom = false
            self.measure = measure
            threshold = family.threshold
        }

        /// Of leaves that nothing published tells apart.
        init(_ quantity: Quantity, isAtom: Bool, threshold: Int64) {
            metric = quantity.metric
            name = quantity.metric
            self.isAtom = isAtom
            measure = quantity.measure
            self.threshold = threshold
        }
    }
}
