/// Questions about events or sums whose sets of events overlap, and how much wider their noise has to be for it.
///
/// Counts of events are linear in each other: (A∪B) + (B∪C) − (A∪C) is twice B, if the three are disjoint. A question that
/// follows from earlier ones is computed and not drawn. Of those that are drawn, a combination with coefficients c has the variance Σ c²V, and half
/// a triangle's has ¾ of V; so V is divided by the least Σ c² over all c that give a whole number of each event and not 0.
package struct EventRoots: Sendable, Hashable {
    /// Overlapping roots up to which the least is enumerated; beyond, it is bounded.
    package static let mostEnumerated = 12

    /// By question, whether it is drawn or follows from earlier ones.
    package let kinds: [Kind]
    /// By question, the factor of V where all are asked at once, 1 or more; 0 where it is computed.
    package let factors: [Rational]
    private let sets: [Set<Int>]

    /// The fate of a question.
    package enum Kind: Sendable, Hashable {
        /// It has noise of its own.
        case drawn
        /// It is a sum of earlier ones, by their places, with these coefficients.
        case computed([Int: Rational])
    }

    /// Finds the dependences and the factors.
    ///
    /// - Parameter sets: events of each question by number, in the order of asking, none empty.
    /// - Throws: ``NoiseError/emptyUniverse`` for an empty set, and ``NoiseError/overflow``.
    package init(_ sets: [Set<Int>]) throws(NoiseError) {
        guard sets.allSatisfy({ !$0.isEmpty }) else { throw .emptyUniverse }
        let kinds = try Self.kinds(of: sets)
        (self.sets, self.kinds) = (sets, kinds)
        var factors = Array(repeating: Rational.zero, count: sets.count)
        for group in Self.overlapping(sets, among: kinds.indices.filter { kinds[$0] == .drawn }) {
            let factor = try Self.factor(of: group.map { sets[$0] })
            for place in group { factors[place] = factor }
        }
        self.factors = factors
    }

    /// The factor of V for the last question, where those of all earlier ones are settled.
    ///
    /// The last one gets what the new combinations need: the largest (1 − Σ c²·factor of earlier ones) / c² over all combinations
    /// in which it takes part with c. An edit thus never asks anything of what was drawn before.
    /// - Parameter earlier: one for each question but the last, 1 or more for those that are drawn.
    /// - Returns: 1 or more; 0 where it is computed.
    /// - Throws: ``NoiseError/notOfTheLattice`` for another number of factors, and ``NoiseError/overflow``.
    package func factorOfLast(after earlier: [Rational]) throws(NoiseError) -> Rational {
        guard let last = kinds.indices.last, earlier.count == last else { throw .notOfTheLattice }
        guard kinds[last] == .drawn else { return .zero }
        let drawn = kinds.indices.filter { kinds[$0] == .drawn }
        guard let group = Self.overlapping(sets, among: drawn).first(where: { $0.contains(last) }) else {
            return Rational(1)
        }
        let roots = group.map { sets[$0] }
        guard group.count <= Self.mostEnumerated else { return Self.bound(of: roots) }
        let combinations = WholeCombinations(of: roots)
        var largest = Rational(1)
        var problem: NoiseError?
        combinations.visit { numerators in
            guard let newest = numerators.last, newest > 0 else { return }
            do throws(NoiseError) {
                var left = Rational(1)
                for (place, numerator) in zip(group.dropLast(), numerators) {
                    let coefficient = try Rational(numerator, over: combinations.denominator)
                    left = try left.subtracting(
                        coefficient.multiplied(by: coefficient).multiplied(by: earlier[place]))
                }
                let share = try Rational(combinations.denominator, over: newest)
                largest = max(largest, try left.multiplied(by: share).multiplied(by: share))
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return largest
    }

    /// 1 over the least Σ c², or a bound above it.
    private static func factor(of roots: [Set<Int>]) throws(NoiseError) -> Rational {
        guard roots.count <= mostEnumerated else { return bound(of: roots) }
        let combinations = WholeCombinations(of: roots)
        let square = combinations.denominator * combinations.denominator
        var least = square
        combinations.visit { numerators in
            let length = numerators.reduce(0) { $0 + $1 * $1 }
            if length > 0 { least = min(least, length) }
        }
        return try Rational(square, over: least)
    }

    /// In how many roots an event is at most. Some event has a number of 1 or more, |c·a| ≤ |c|·|a| (Cauchy and Schwarz), and a has
    /// as many ones as there are roots with the event.
    private static func bound(of roots: [Set<Int>]) -> Rational {
        let most = Set(roots.joined()).map { event in roots.count { $0.contains(event) } }.max() ?? 1
        return Rational(Int64(most))
    }

    /// Places of questions that share events, directly or through others, ascending.
    private static func overlapping(_ sets: [Set<Int>], among places: [Int]) -> [[Int]] {
        var groups: [(places: [Int], events: Set<Int>)] = []
        for place in places {
            let (touched, others) = (
                groups.filter { !$0.events.isDisjoint(with: sets[place]) },
                groups.filter { $0.events.isDisjoint(with: sets[place]) }
            )
            let joined = touched.reduce(([place], sets[place])) { ($0.0 + $1.places, $0.1.union($1.events)) }
            groups = others + [(joined.0.sorted(), joined.1)]
        }
        return groups.map(\.places)
    }

    /// Elimination in exact fractions: a row that comes to nothing follows from the earlier ones.
    private static func kinds(of sets: [Set<Int>]) throws(NoiseError) -> [Kind] {
        var rows: [(lead: Int, events: [Int: Rational], parts: [Int: Rational])] = []
        var kinds: [Kind] = []
        for (place, set) in sets.enumerated() {
            var events = Dictionary(uniqueKeysWithValues: set.map { ($0, Rational(1)) })
            var parts = [place: Rational(1)]
            for row in rows {
                guard let scale = events[row.lead] else { continue }
                try subtract(row.events, times: scale, from: &events)
                try subtract(row.parts, times: scale, from: &parts)
            }
            guard let lead = events.keys.min(), let first = events[lead] else {
                parts[place] = nil
                var coefficients: [Int: Rational] = [:]
                try subtract(parts, times: Rational(1), from: &coefficients)
                kinds.append(.computed(coefficients))
                continue
            }
            let inverse = try Rational(1).divided(by: first)
            var (scaledEvents, scaledParts): ([Int: Rational], [Int: Rational]) = ([:], [:])
            for (event, value) in events { scaledEvents[event] = try value.multiplied(by: inverse) }
            for (part, value) in parts { scaledParts[part] = try value.multiplied(by: inverse) }
            rows.append((lead, scaledEvents, scaledParts))
            kinds.append(.drawn)
        }
        return kinds
    }

    private static func subtract(
        _ row: [Int: Rational], times scale: Rational, from other: inout [Int: Rational]
    ) throws(NoiseError) {
        for (place, value) in row {
            let rest = try (other[place] ?? .zero).subtracting(value.multiplied(by: scale))
            other[place] = rest == .zero ? nil : rest
        }
    }
}
