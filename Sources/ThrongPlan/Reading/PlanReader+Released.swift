extension PlanReader {
    static var mostImpossible: Int { 200 }

    mutating func impossible(
        _ value: PlanValue?, cube: [DimensionName], _ measures: Measures
    ) -> [ImpossibleCombination] {
        guard let values = list(value) else { return [] }
        guard values.count <= Self.mostImpossible else {
            let sentence = "lists \(values.count) combinations; at most \(Self.mostImpossible) are allowed"
            return problems.refuse(value, it: sentence) ?? []
        }
        var combinations: [ImpossibleCombination] = []
        for value in values {
            if let derived = value.entries?.first(where: { derivedNames.contains($0.key) }) {
                let base = baseText(of: derived.key)
                problems.add(
                    derived.place,
                    "\(value.subject): '\(derived.key)' is made of another dimension; name buckets of \(base)")
                continue
            }
            let filters = filters(
                value, noun: "dimension of this metric", among: cube.map(\.text),
                bands: measures.histogram.map { ($0.name, measures.bands) })
            guard !filters.isEmpty else { continue }
            let parts = cube.compactMap { name in
                filters.first { $0.dimension == name }.map {
                    ImpossibleCombination.Part(dimension: $0.dimension, bucket: $0.bucket)
                }
            }
            let combination = ImpossibleCombination(parts: parts)
            if combinations.contains(combination) {
                problems.add(value, "this combination is listed twice; keep one")
            }
            combinations.append(combination)
        }
        return combinations
    }

    /// Reads `rollups` of a metric that counts by this period. A period that a decay step keeps is one of them, too.
    mutating func rollups(
        in body: PlanBody<PlanKeys.Metric>, of period: PeriodKind?, keeping decay: [DecayStep]
    ) -> [PeriodKind] {
        let declared = declaredRollups(body[.rollups], of: period)
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

    private mutating func declaredRollups(_ value: PlanValue?, of period: PeriodKind?) -> [PeriodKind] {
        guard let found: [PeriodKind] = choices(value), let period else { return [] }
        let allowed = period.rollups
        func words(_ kinds: [PeriodKind]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }
        for rollup in found where !allowed.contains(rollup) {
            let advice = allowed.isEmpty ? "leave it out" : "\(words(allowed)) are allowed"
            problems.add(
                value, "a \(rollup.rawValue) is not made of whole \(period.rawValue)s; \(advice)")
            return []
        }
        if found.contains(.week), found.contains(.month) {
            problems.add(
                value, "weeks don't nest in months, so that both could be taken apart together; name one of them")
        } else if found != found.sorted() {
            problems.add(value, "\(words(found)) do not ascend; order them by length")
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
