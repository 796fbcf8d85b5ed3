extension PlanReader {
    static var mostImpossible: Int { 200 }

    mutating func impossible(
        in body: PlanBody<PlanKeys.Metric>, cube: [DimensionName], _ measures: Measures
    ) -> [ImpossibleCombination] {
        body[.impossible].map { impossible($0, body.subject(.impossible), cube: cube, measures) } ?? []
    }

    private mutating func impossible(
        _ node: YAMLNode, _ subject: String, cube: [DimensionName], _ measures: Measures
    ) -> [ImpossibleCombination] {
        guard let nodes = list(node, subject) else { return [] }
        guard nodes.count <= Self.mostImpossible else {
            problems.add(
                node.place, "\(subject) lists \(nodes.count) combinations; at most \(Self.mostImpossible) are allowed")
            return []
        }
        var combinations: [ImpossibleCombination] = []
        for node in nodes {
            if let derived = derivedKey(of: node) {
                let base = bases[DimensionName(derived.key)].map { "'\($0)'" } ?? "the dimension that it is made of"
                problems.add(
                    derived.place, "\(subject): '\(derived.key)' is made of another dimension; name buckets of \(base)")
                continue
            }
            let filters = filters(
                node, subject, noun: "dimension of this metric", among: cube.map(\.text),
                bands: measures.histogram.map { ($0.name, measures.bands) })
            guard !filters.isEmpty else { continue }
            let parts = cube.compactMap { name in
                filters.first { $0.dimension == name }.map {
                    ImpossibleCombination.Part(dimension: $0.dimension, bucket: $0.bucket)
                }
            }
            let combination = ImpossibleCombination(parts: parts)
            if combinations.contains(combination) {
                problems.add(node.place, "\(subject): this combination is listed twice; keep one")
            }
            combinations.append(combination)
        }
        return combinations
    }

    private func derivedKey(of node: YAMLNode) -> (key: String, place: YAMLNode.Place)? {
        guard case .mapping(let entries) = node.content else { return nil }
        return entries.first { derivedNames.contains($0.key) }.map { ($0.key, $0.place) }
    }

    /// Reads `rollups` of a metric that counts by this period. A period that a decay step keeps is one of them, too.
    mutating func rollups(
        in body: PlanBody<PlanKeys.Metric>, of period: PeriodKind?, keeping decay: [DecayStep]
    ) -> [PeriodKind] {
        let declared = declaredRollups(in: body, of: period)
        let all = Set(declared + decay.compactMap(\.action.kept)).sorted()
        if all.contains(.week), all.contains(.month), all != declared {
            problems.add(
                body.keyPlaces[.decay],
                """
                \(body.subject(.decay)): weeks don't nest in months, so that both could be taken apart together; keep one \
                of them, as 'rollups' do
                """)
        }
        return all
    }

    private mutating func declaredRollups(
        in body: PlanBody<PlanKeys.Metric>, of period: PeriodKind?
    ) -> [PeriodKind] {
        guard let node = body[.rollups] else { return [] }
        let subject = body.subject(.rollups)
        let found: [PeriodKind] = choices(node, subject) ?? []
        guard let period else { return [] }
        let allowed = period.rollups
        for rollup in found where !allowed.contains(rollup) {
            let words = allowed.map(\.rawValue).joined(separator: ", ")
            problems.add(
                node.place,
                """
                \(subject): a \(rollup.rawValue) is not made of whole \(period.rawValue)s; \
                \(allowed.isEmpty ? "leave it out" : "\(words) are allowed")
                """)
            return []
        }
        if found.contains(.week), found.contains(.month) {
            problems.add(
                node.place,
                "\(subject): weeks don't nest in months, so that both could be taken apart together; name one of them")
        } else if found != found.sorted() {
            problems.add(
                node.place,
                "\(subject): \(found.map(\.rawValue).joined(separator: ", ")) do not ascend; order them by length")
        }
        return found
    }
}

extension PeriodKind {
    /// The longer periods that are made of whole ones of this kind.
    var rollups: [PeriodKind] {
        switch self {
        case .hour: [.day, .week, .month]
        case .day: [.week, .month]
        case .week, .month: []
        }
    }
}
