/// What published numbers of metrics that count the same happenings differ by: one less others that lie within it, and where
/// these are all of it, they less it.
///
/// Such a difference is known as soon as both are, whatever is withheld elsewhere. Where no metric counts it, nobody knows
/// how many devices are behind it either; that it stands for k of them then only follows where one device can't have sent
/// so much.
struct DifferenceAttack {
    private let model: LeafModel
    private let counts: MetricCounts
    private let statements: [AuditStatement]
    private let numbers: [Number]

    /// A published number of events.
    private struct Number {
        let place: Int
        let regions: [LeafRegion]
        let value: Int64
        let metric: KnownMetric
        let threshold: Int64
        /// The most that one device can have added. Unit: events.
        let most: Int64
        /// The dimensions by which it was split, and its period.
        let table: String
        /// The same of all periods of its length: a day's hours are a table, too.
        let series: String
        let period: AuditPeriod
    }

    init(_ model: LeafModel, of family: JointMetrics, _ statements: [AuditStatement]) {
        self.model = model
        self.statements = statements
        counts = MetricCounts(family, model.space)
        struct Key: Hashable {
            let metric: String
            let regions: [LeafRegion]
        }
        var seen: Set<Key> = []
        numbers = model.facts.compactMap { fact in
            let statement = statements[fact.place]
            guard statement.plainValue != nil, let term = statement.terms.first,
                let metric = family.history.stretches(of: term.metric, in: term.region.period).first?.metric,
                seen.insert(Key(metric: metric.name, regions: fact.regions)).inserted
            else { return nil }
            let period = term.region.period
            let shown = model.group.families.threshold(in: period) { $0.subject == metric.name } ?? 0
            return Number(
                place: fact.place, regions: fact.regions, value: fact.value, metric: metric,
                threshold: max(shown, family.history.threshold(of: metric.name, since: period)),
                most: metric.most(in: period.end - period.start),
                table: "\(metric.name) \(period) \(term.region.slices.map(\.dimension))",
                series: "\(metric.name) \(period.end - period.start) \(term.region.slices.map(\.dimension))",
                period: period)
        }.sorted { ($0.value, $0.place) < ($1.value, $1.place) }
    }

    /// Plays.
    ///
    /// - Parameter isCertain: whether nothing says that somebody came to a bound. Where something does, only metrics are
    ///   compared of which bounds leave out the same.
    /// - Complexity: O(numbers²) comparisons of regions at worst.
    func findings(until deadline: Deadline, isCertain: Bool = true) -> [AuditFinding] {
        var found: [AuditFinding] = []
        for whole in numbers {
            if deadline.isOver { return found }
            var tables: [String: [Number]] = [:]
            var series: [String: [Number]] = [:]
            for part in numbers
            where part.place != whole.place && (isCertain || areAlike(part, whole))
                && (isInside(part, whole) || isSame(part, whole))
            {
                if let finding = self.finding(whole, [part]) { found.append(finding) }
                tables[part.table, default: []].append(part)
                series[part.series, default: []].append(part)
            }
            for (name, parts) in series where Self.followEachOther(Set(parts.map(\.period))) { tables[name] = parts }
            for (_, parts) in tables.sorted(by: { $0.key < $1.key }) {
                for parts in apart(parts) where parts.count > 1 {
                    if let finding = self.finding(whole, parts) { found.append(finding) }
                }
            }
        }
        return found
    }

    private func finding(_ whole: Number, _ parts: [Number]) -> AuditFinding? {
        let rest = whole.value - parts.reduce(0) { $0 + $1.value }
        let threshold = parts.reduce(whole.threshold) { max($0, $1.threshold) }
        // Of two numbers about the same, either may have what came too late for the other.
        guard
            rest > 0
                || rest < 0 && parts.count > 1 && areAll(parts, of: whole) && parts.allSatisfy({ areAlike($0, whole) })
        else { return nil }
        let isSmall = rest.magnitude < threshold
        if !isSmall {
            // Of one metric's own cells the devices are known.
            guard rest > 0, parts.count == 1, let part = parts.first, part.metric.name != whole.metric.name,
                (rest - 1) / whole.most + 1 < threshold, !counts.isCounted(whole.regions, part.regions),
                !numbers.contains(where: { isInside($0, whole) && !meets($0, part) })
            else { return nil }
        }
        let numbers = [(whole, rest > 0 ? "1" : "-1")] + parts.map { ($0, rest > 0 ? "-1" : "1") }
        let names = [
            name(whole), parts.count == 1 ? name(parts[0]) : "\(parts.count) numbers of \(parts[0].metric.name)",
        ]
        return AuditFinding(
            kind: isSmall ? .exact : .uncounted, severity: .pin, app: model.group.app, metric: whole.metric.name,
            measure: .count,
            target: (rest > 0 ? names : names.reversed()).joined(separator: " less "),
            lower: abs(rest), upper: abs(rest), threshold: threshold,
            certificates: [
                AuditCertificate(
                    claim: .equal,
                    steps: numbers.map { number, sign in
                        .init(
                            coefficient: sign, source: statements[number.place].source,
                            number: statements[number.place].text)
                    }, zeros: [],
                    rules: Set(numbers.map(\.0.metric.name)).count > 1 ? ["nobody came to a contribution bound"] : [],
                    total: "\(abs(rest))", isExact: true)
            ],
            explanation: isSmall
                ? "can only be \(abs(rest)), under k = \(threshold)"
                : "is \(rest), which \((rest - 1) / whole.most + 1) devices can have sent, under k = \(threshold); "
                    + "nobody counted how many did")
    }

    /// Whether periods are several and have no time in common.
    private static func followEachOther(_ periods: Set<AuditPeriod>) -> Bool {
        let ordered = periods.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        return ordered.count > 1 && zip(ordered, ordered.dropFirst()).allSatisfy { $0.end <= $1.start }
    }

    private func name(_ number: Number) -> String {
        "\(number.metric.name) of \(statements[number.place].terms[0].region)"
    }

    /// Numbers of a table that have no leaf in common: all of them, or where a field is split in two ways the finest and the coarsest.
    ///
    /// - Complexity: O(numbers² · axes) where a field is.
    private func apart(_ parts: [Number]) -> [[Number]] {
        guard mayMeet(parts) else { return [parts] }
        func chosen(_ parts: [Number]) -> [Number] {
            parts.reduce(into: []) { found, part in
                if !found.contains(where: { meets($0, part) }) { found.append(part) }
            }
        }
        let ordered = parts.sorted { (leaves($0), $0.place) < (leaves($1), $1.place) }
        let fine = chosen(ordered).sorted { $0.place < $1.place }
        let coarse = chosen(ordered.reversed()).sorted { $0.place < $1.place }
        return fine.map(\.place) == coarse.map(\.place) ? [fine] : [fine, coarse]
    }

    /// Whether two numbers may have a leaf in common: false where on each axis all of their sets are apart or the same.
    private func mayMeet(_ parts: [Number]) -> Bool {
        model.space.axes.indices.contains { axis in
            let sets = Set(parts.flatMap { $0.regions.map { $0.sets[axis] } })
            var seen: Set<Int32> = []
            return sets.count > 1
                && !sets.allSatisfy { set in
                    model.space.axes[axis].members(of: set).allSatisfy { seen.insert($0).inserted }
                }
        }
    }

    /// Whether two numbers have a leaf in common.
    private func meets(_ one: Number, _ other: Number) -> Bool {
        one.regions.contains { left in
            other.regions.contains { right in
                model.space.axes.indices.allSatisfy { axis in
                    let members = model.space.axes[axis].members(of: right.sets[axis])
                    return model.space.axes[axis].members(of: left.sets[axis]).contains(where: members.contains)
                }
            }
        }
    }

    /// Whether two metrics say how many the same are.
    private func isSame(_ one: Number, _ other: Number) -> Bool {
        one.metric.name != other.metric.name && one.regions == other.regions && areAlike(one, other)
    }

    /// Whether two metrics leave out the same of a device that comes to their bounds.
    private func areAlike(_ one: Number, _ other: Number) -> Bool {
        let (one, other) = (one.metric, other.metric)
        return one.events == other.events && one.clients == other.clients && one.purpose == other.purpose
            && one.bound == other.bound && one.windowSeconds == other.windowSeconds
    }

    /// How many leaves a number is about.
    private func leaves(_ number: Number) -> Int {
        number.regions.reduce(0) { sum, region in
            sum
                + zip(model.space.axes, region.sets).reduce(1) { product, axis in
                    product * axis.0.members(of: axis.1).count
                }
        }
    }

    /// Whether numbers that lie in another, without a leaf in common, are all of it.
    private func areAll(_ parts: [Number], of whole: Number) -> Bool {
        parts.reduce(0) { $0 + leaves($1) } == leaves(whole)
    }

    /// Whether every leaf of one number is among another's.
    private func isInside(_ part: Number, _ whole: Number) -> Bool {
        model.space.holds(whole.regions, part.regions)
    }
}

extension LeafSpace {
    /// Whether every leaf of some regions is among others', and these are not the same.
    func holds(_ whole: [LeafRegion], _ part: [LeafRegion]) -> Bool {
        guard part != whole else { return false }
        return part.allSatisfy { small in
            whole.contains { large in
                axes.indices.allSatisfy { axis in
                    large.sets[axis] < 0 || large.sets[axis] == small.sets[axis]
                        || (small.sets[axis] >= 0
                            && Self.isSubset(
                                axes[axis].members(of: small.sets[axis]), axes[axis].members(of: large.sets[axis])))
                }
            }
        }
    }

    /// Of ascending places.
    private static func isSubset(_ small: [Int32], _ large: [Int32]) -> Bool {
        guard small.count <= large.count else { return false }
        var rest = large[...]
        for place in small {
            rest = rest.drop { $0 < place }
            guard rest.first == place else { return false }
        }
        return true
    }
}
