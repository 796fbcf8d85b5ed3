extension PlanReader {
    private enum Everything: String, CaseIterable { case all }

    /// Reads `decay` of a metric.
    ///
    /// - Parameters:
    ///   - period: the kind of period that the metric counts by; nil if that could not be read.
    ///   - dimensions: the metric's dimensions, also those that are made of others.
    mutating func decaySteps(_ value: PlanValue?, of period: PeriodKind?, among dimensions: [String]) -> [DecayStep]? {
        guard let values = list(value) else { return nil }
        var steps: [DecayStep] = []
        for value in values {
            guard let step = decayStep(value, of: period, among: dimensions) else { continue }
            if let last = steps.last, step.after < last.after {
                let (after, before) = (step.after.planText, last.after.planText)
                problems.add(value, "a step after \(after) follows one after \(before); order them by age")
            }
            if let idle = Self.idleness(of: step.action, after: steps.map(\.action)) { problems.add(value, idle) }
            steps.append(step)
        }
        return steps
    }

    /// Returns the reason why a step takes nothing that those before it have left; nil if it may take something.
    private static func idleness(of action: DecayStep.Action, after earlier: [DecayStep.Action]) -> String? {
        if earlier.contains(.delete) { return "nothing is left after 'delete: all'; make it the last step" }
        if earlier.contains(.keepTotals), action != .delete, action.kept == nil {
            return "nothing but totals is left by then; leave the step out"
        }
        if let gone = action.dropped, earlier.contains(where: { $0.dropped == gone }) {
            return "this dimension is dropped already; keep one of the steps"
        }
        if let kept = earlier.compactMap(\.kept).max(), let next = action.kept, next <= kept {
            return
                "numbers by \(kept.rawValue) are all that is left by then; name a longer period or leave the step out"
        }
        return earlier.contains(action) ? "this step comes twice; keep one" : nil
    }

    private mutating func decayStep(
        _ value: PlanValue, of period: PeriodKind?, among dimensions: [String]
    ) -> DecayStep? {
        guard let body = body(value, PlanKeys.Decay.self) else { return nil }
        let after = duration(body[.after], .seconds(86_400) ... .seconds(3660 * 86_400))
        func named(_ key: PlanKeys.Decay) -> DimensionName? {
            reference(body[key], to: "dimension of this metric", among: dimensions)
        }
        let actions = [PlanKeys.Decay.drop, .coarsen, .keep, .delete].filter { body.keyPlaces[$0] != nil }
        guard actions.count == 1, (actions[0] == .coarsen) == (body.keyPlaces[.to] != nil) else {
            return problems.refuse(
                value,
                "a step has exactly one of 'drop: <dimension>', 'coarsen: <dimension>' with 'to: <dimension that is "
                    + "made of it>', 'keep: <days, weeks, months or totals>' and 'delete: all'")
        }
        var action: DecayStep.Action?
        switch actions[0] {
        case .drop: action = named(.drop).map { .drop($0) }
        case .coarsen: action = coarsening(named(.coarsen), named(.to), body[.to])
        case .keep: action = keeping(body, of: period, after: after)
        default:
            let all: Everything? = choice(body[.delete])
            action = all.map { _ in .delete }
        }
        guard let after, let action else { return nil }
        return DecayStep(after: after, action: action)
    }

    /// Reads `coarsen: os, to: platform`: each bucket of the one lies in one of the other.
    private mutating func coarsening(
        _ from: DimensionName?, _ to: DimensionName?, _ value: PlanValue?
    ) -> DecayStep.Action? {
        guard let from, let to else { return nil }
        // A dimension that could not be read has its own problem already.
        guard let coarse = derivedDimensions.first(where: { $0.name == to }) else {
            if bases[to] != nil { return nil }
            return problems.refuse(value, "'\(to)' is not made of '\(from)'; name a dimension with 'of: \(from)'")
        }
        if coarse.base == from { return .coarsen(from, to: to) }
        if let fine = derivedDimensions.first(where: { $0.name == from }), fine.base == coarse.base, from != to {
            guard let labels = buckets[fine.base] else { return nil }
            let pairs = Set(zip(fine.buckets(of: labels), coarse.buckets(of: labels)).map { [$0, $1] })
            if Set(pairs.map { $0[0] }).count == pairs.count { return .coarsen(from, to: to) }
            return problems.refuse(value, "a bucket of '\(from)' lies in several of '\(to)'; let each lie in one")
        }
        return problems.refuse(value, "'\(to)' is made of '\(coarse.base)' and not of '\(from)'; name one that is")
    }

    private enum Kept: String, CaseIterable { case days, weeks, months, totals }

    /// Reads `keep: weeks` or `keep: totals`.
    private mutating func keeping(
        _ body: PlanBody<PlanKeys.Decay>, of period: PeriodKind?, after: Duration?
    ) -> DecayStep.Action? {
        guard let kept: Kept = choice(body[.keep]) else { return nil }
        let kind = PeriodKind.allCases.first { "\($0.rawValue)s" == kept.rawValue }
        guard let kind else { return .keepTotals }
        guard let period else { return nil }
        guard period.rollups.contains(kind) else {
            let words = period.rollups.map { "\($0.rawValue)s" } + [Kept.totals.rawValue]
            return problems.refuse(
                body[.keep],
                "\(period.rawValue)s don't become \(kept.rawValue); \(words.joined(separator: ", ")) are allowed")
        }
        // Numbers that go before the longer period is released can't be a part of it any more.
        let least = Duration.seconds((kind == .day ? 1 : kind == .week ? 7 : 31) * 86_400) + (app?.grace ?? .zero)
        if let after, after < least {
            problems.add(
                body[.after],
                it: "is \(after.planText), before the first \(kind.rawValue) is over and released; \(least.planText) "
                    + "is the least")
        }
        return .keep(kind)
    }

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
            if combinations.contains(combination) { problems.add(value, "this combination is listed twice; keep one") }
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
                "\(body.subject(.decay)): weeks don't nest in months, so that both could be taken apart together; keep "
                    + "one of them, as 'rollups' do")
        }
        return all
    }

    private mutating func declaredRollups(_ value: PlanValue?, of period: PeriodKind?) -> [PeriodKind] {
        guard let found: [PeriodKind] = choices(value), let period else { return [] }
        let allowed = period.rollups
        func words(_ kinds: [PeriodKind]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }
        for rollup in found where !allowed.contains(rollup) {
            let advice = allowed.isEmpty ? "leave it out" : "\(words(allowed)) are allowed"
            problems.add(value, "a \(rollup.rawValue) is not made of whole \(period.rawValue)s; \(advice)")
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

extension DecayStep.Action {
    /// The dimension whose splits go; nil for other steps.
    package var dropped: DimensionName? {
        switch self {
        case .drop(let name), .coarsen(let name, to: _): name
        case .keep, .keepTotals, .delete: nil
        }
    }

    /// The period whose numbers stay while those of shorter ones go; nil for other steps.
    package var kept: PeriodKind? { if case .keep(let kind) = self { kind } else { nil } }
}

extension PeriodKind {
    /// The longer periods that are made of whole ones of this kind.
    var rollups: [PeriodKind] { self < .week ? Self.allCases.filter { $0 > self } : [] }
}
