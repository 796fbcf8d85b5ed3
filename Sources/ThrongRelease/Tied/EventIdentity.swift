internal import ThrongPlan

/// What follows for any leaves that some metrics have in common: the parts' numbers add up to the whole's, or to less.
struct EventIdentity: Hashable {
    /// The metric whose events hold all of the parts'.
    let whole: Int
    /// Metrics without an event in common.
    let parts: [Int]
    /// Whether the parts' events are all of the whole's.
    let isExact: Bool

    /// A whole of many kinds has more families of them than anybody needs; this many are looked at.
    static let mostFamilies = 64

    /// The identities among metrics, by place: same events, a total and its kinds, some of a total's events.
    ///
    /// A metric of which nobody knows any more what it counted is taken to count the same as each other of its audience:
    /// that is the most that anybody could believe.
    static func all(among metrics: [CountedEvents]) -> [EventIdentity] {
        var found: [EventIdentity] = []
        for (whole, counted) in metrics.enumerated() {
            var candidates: [(place: Int, names: Set<EventName>)] = []
            for (place, other) in metrics.enumerated()
            where place != whole && other.audience == counted.audience && counted.isTied(to: other) {
                guard let mine = counted.names, let its = other.names, mine != its else {
                    // Once a pair.
                    if place > whole { found.append(EventIdentity(whole: whole, parts: [place], isExact: true)) }
                    continue
                }
                if its.isSubset(of: mine) { candidates.append((place, its)) }
            }
            guard let names = counted.names else { continue }
            var families = 0
            func extend(_ family: [Int], _ covered: Set<EventName>, from next: Int) {
                for index in next..<candidates.count where families < mostFamilies {
                    let candidate = candidates[index]
                    guard covered.isDisjoint(with: candidate.names) else { continue }
                    let all = covered.union(candidate.names)
                    found.append(
                        EventIdentity(whole: whole, parts: family + [candidate.place], isExact: all == names))
                    families += 1
                    extend(family + [candidate.place], all, from: index + 1)
                }
            }
            extend([], [], from: 0)
        }
        return found
    }
}
