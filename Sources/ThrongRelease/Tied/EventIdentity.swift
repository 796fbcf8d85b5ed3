internal import ThrongPlan

/// What follows for any leaves that some metrics have in common: the parts' numbers add up to the whole's, or to less.
struct EventIdentity: Hashable {
    /// The source whose events hold all of the parts', by place.
    let whole: Int
    /// Sources of other metrics, without an event in common.
    let parts: [Int]
    /// What is known of what the whole has beyond its parts.
    let rest: Rest

    /// What a whole has beyond its parts.
    enum Rest: Hashable {
        /// Nothing: the parts' events are all of the whole's.
        case none
        /// Something: it has events of others, too.
        case some
        /// Nobody can say, except where it is very little: a plan was edited, and under one of its versions it was nothing.
        case unknown
    }

    /// A whole of many kinds has more families of two and more than anybody needs; this many are looked at, besides each kind
    /// by itself.
    static let mostFamilies = 64

    /// The identities among metrics and parts of them: same events, a total and its kinds, some of a total's events.
    ///
    /// A metric of which nobody knows any more what it counted is taken to count the same as each other of its audience:
    /// that is the most that anybody could believe.
    /// - Complexity: O(sources · (sources + ``mostFamilies``)) identities at most.
    static func all(among sources: [TiedSource]) -> [EventIdentity] {
        var found: [EventIdentity] = []
        var isKnown: Set<EventIdentity> = []
        for kind in [\CountedEvents.happenings, \.onTime] {
            for identity in families(among: sources, counting: kind) where isKnown.insert(identity).inserted {
                found.append(identity)
            }
        }
        let pairs = Set(found.filter { $0.parts.count == 1 }.map { Set([$0.whole] + $0.parts) })
        for (whole, source) in sources.enumerated() {
            for place in sources.indices.dropFirst(whole + 1)
            where source.metric != sources[place].metric && !pairs.contains([whole, place])
                && source.counted.isAlmostTied(to: sources[place].counted)
            {
                found.append(EventIdentity(whole: whole, parts: [place], rest: .unknown))
            }
        }
        return found
    }

    private static func families(
        among sources: [TiedSource], counting kind: KeyPath<CountedEvents, Set<CountedEvents.Happening>?>
    ) -> [EventIdentity] {
        var found: [EventIdentity] = []
        for (whole, source) in sources.enumerated() {
            let counted = source.counted
            var candidates: [(place: Int, events: Set<CountedEvents.Happening>)] = []
            for (place, candidate) in sources.enumerated() where candidate.metric != source.metric {
                let other = candidate.counted
                guard let mine = counted[keyPath: kind], let its = other[keyPath: kind] else {
                    // Once a pair.
                    if place > whole, other.audience == counted.audience {
                        found.append(EventIdentity(whole: whole, parts: [place], rest: .none))
                    }
                    continue
                }
                if mine == its, !mine.isEmpty, place > whole {
                    found.append(EventIdentity(whole: whole, parts: [place], rest: .none))
                }
                if its.isStrictSubset(of: mine), !its.isEmpty { candidates.append((place, its)) }
            }
            guard let events = counted[keyPath: kind] else { continue }
            for candidate in candidates {
                found.append(EventIdentity(whole: whole, parts: [candidate.place], rest: .some))
            }
            var families = 0
            func extend(_ family: [Int], _ covered: Set<CountedEvents.Happening>, from next: Int) {
                for index in next..<candidates.count where families < mostFamilies {
                    let candidate = candidates[index]
                    guard covered.isDisjoint(with: candidate.events) else { continue }
                    let all = covered.union(candidate.events)
                    if !family.isEmpty {
                        found.append(
                            EventIdentity(
                                whole: whole, parts: family + [candidate.place], rest: all == events ? .none : .some))
                        families += 1
                    }
                    // A part of a metric goes with one other only: what it makes with more, its metric makes with them.
                    if source.names != nil || sources[candidate.place].names != nil { continue }
                    extend(family + [candidate.place], all, from: index + 1)
                }
            }
            extend([], [], from: 0)
        }
        return found
    }
}
