import ThrongWire

extension Plan {
    /// Which metrics count some of the same events, what they share, and what gives way: a sentence for those that count the
    /// same, and one for each two such groups of which the one holds the other or a kind of its events; none where no
    /// metrics are tied.
    ///
    /// - Complexity: O(metrics² · dimensions²).
    package func ties() -> [String] { allTies.map(\.sentence) }

    /// Metrics that count some of the same events.
    struct Tie {
        /// In the plan's order.
        let metrics: [Metric]
        /// What they share, and what gives way.
        let sentence: String
    }

    /// As ``ties()``.
    var allTies: [Tie] {
        let groups = tieGroups
        var found: [Tie] = []
        for (place, group) in groups.enumerated() {
            if group.metrics.count > 1 {
                let sentence =
                    "\(Self.named(group.metrics)) count the same events of the same clients" + shared(group.metrics, [])
                    + ": whichever is released later withholds what would tell the others' withheld numbers"
                found.append(Tie(metrics: group.metrics, sentence: sentence))
            }
            for other in groups.dropFirst(place + 1) where group.counted.isTied(to: other.counted) {
                found.append(Tie(metrics: group.metrics + other.metrics, sentence: sentence(group, other)))
            }
        }
        return found
    }

    /// Metrics that count the same, in the plan's order.
    private struct TieGroup {
        var metrics: [Metric]
        let counted: CountedEvents
    }

    private var tieGroups: [TieGroup] {
        var groups: [TieGroup] = []
        for metric in metrics where metric.margin == nil {
            let counted = counted(by: metric)
            if let known = groups.firstIndex(where: { $0.counted.happenings == counted.happenings }) {
                groups[known].metrics.append(metric)
                // What any of them tells apart, all tell apart.
                let kinds = groups[known].counted.kinds.union(counted.kinds)
                groups[known] = TieGroup(
                    metrics: groups[known].metrics,
                    counted: CountedEvents(names: counted.names, audience: counted.audience, kinds: kinds))
            } else {
                groups.append(TieGroup(metrics: [metric], counted: counted))
            }
        }
        return groups
    }

    private func sentence(_ first: TieGroup, _ second: TieGroup) -> String {
        let mine = first.counted.happenings ?? []
        let its = second.counted.happenings ?? []
        if its.isSubset(of: mine) { return besides(first, second) }
        if mine.isSubset(of: its) { return besides(second, first) }
        let common = first.counted.everyName.intersection(second.counted.everyName)
        return "\(Self.named(first.metrics)) and \(Self.named(second.metrics)) tell apart events that both count, "
            + "of \(Self.quoted(common.map(\.text).sorted()))" + shared(first.metrics, second.metrics)
            + ": what the one has beyond the other there is held to the same k, and whichever is released later gives way"
    }

    /// What a whole has beyond its part, and when that may be known.
    private func besides(_ whole: TieGroup, _ part: TieGroup) -> String {
        let names = whole.counted.everyName.subtracting(part.counted.everyName).map { "'\($0.text)'" }.sorted()
        var more: [String] = []
        switch names.count {
        case 0: break
        case 1: more.append("the event \(names[0])")
        case 2...4: more.append("the events \(Self.listed(names))")
        default: more.append("the events \(Self.listed(Array(names.prefix(3)) + ["\(names.count - 3) others"]))")
        }
        if case .terms(let asks, let obeys) = part.counted.audience,
            case .terms(let asksAll, let obeysAll) = whole.counted.audience
        {
            if asks && !asksAll { more.append("whoever does not consent") }
            more += OptOutSignal.allCases.filter { obeys.contains($0) && !obeysAll.contains($0) }
                .map { $0 == .ageSignal ? "whoever is not known to be grown up" : "whoever sends \($0.rawValue)" }
        }
        let k = whole.metrics.map { releaseThreshold(of: $0).devices }.max() ?? 0
        let bound = whole.metrics.map(\.contributionBound).max() ?? 1
        let most = PlanNumber.text((Int(k) - 1) * bound)
        let isKind = whole.counted.kinds.contains(part.counted.everyName)
        let kind = isKind ? "a dimension of events' names tells the part apart" : nil
        return "\(Self.named(whole.metrics)) \(whole.metrics.count == 1 ? "counts" : "count") all that "
            + "\(Self.named(part.metrics)) \(part.metrics.count == 1 ? "counts" : "count"), and "
            + Self.listed(more) + " besides"
            + shared(whole.metrics, part.metrics, also: kind)
            + ". Nobody tracks whose events the difference is: it is published where the one has \(k) devices more than the "
            + "other, or the difference has more than \(most) events a window; where not, one of the numbers stays withheld"
    }

    /// Which fields both look at.
    private func shared(_ first: [Metric], _ second: [Metric], also more: String? = nil) -> String {
        var said = [more].compactMap { $0 }
        for (place, metric) in first.enumerated() {
            for other in second.isEmpty ? Array(first.dropFirst(place + 1)) : second {
                for piece in shared(metric, other) where !said.contains(piece) { said.append(piece) }
            }
        }
        let more = said.count - Self.mostSaid
        let pieces = said.prefix(Self.mostSaid) + (more > 0 ? ["and \(more) more"] : [])
        return said.isEmpty ? "" : " (\(pieces.joined(separator: "; ")))"
    }

    /// Of what metrics share, so much is said: of a wide plan it is hundreds.
    private static let mostSaid = 6

    /// Which fields two metrics both look at.
    func shared(_ first: Metric, _ second: Metric) -> [String] {
        let (mine, its) = (origins(of: first), origins(of: second))
        return mine.sorted { $0.key < $1.key }.flatMap { name, origin in
            its.sorted { $0.key < $1.key }.compactMap { other, another in
                if origin == another {
                    return name == other
                        ? "both by '\(name)'"
                        : "'\(name)' and '\(other)' are one: the same buckets of '\(origin.field)'"
                }
                guard name != other, let overlap = BucketOverlap(of: origin, and: another) else { return nil }
                return "'\(name)' and '\(other)' split '\(origin.field)' in two ways"
                    + pieces(overlap, (name, origin), (other, another))
            }
        }
    }

    /// What follows from numbers of both: what is in one bucket of each and is neither of them.
    private func pieces(
        _ overlap: BucketOverlap, _ first: (name: DimensionName, origin: DimensionOrigin),
        _ second: (name: DimensionName, origin: DimensionOrigin)
    ) -> String {
        // Every plan's rules compiled when it was read; of one that does not any more, nothing follows.
        guard let mine = try? first.origin.rule.bucketingByLabel.labels,
            let its = try? second.origin.rule.bucketingByLabel.labels
        else { return "" }
        let pieces = overlap.followingPieces(count: its.count)
        guard let one = pieces.first else { return "" }
        let count = pieces.count == 1 ? "the piece" : "\(pieces.count) pieces"
        return ", and \(count) that neither has \(pieces.count == 1 ? "follows" : "follow") from both: "
            + (pieces.count == 1 ? "" : "such as ")
            + "'\(mine[one.first])' of '\(first.name)' within '\(its[one.second])' of '\(second.name)'"
    }

    private static func named(_ metrics: [Metric]) -> String {
        (metrics.count == 1 ? "metric " : "metrics ") + quoted(metrics.map(\.name.text))
    }

    private static func quoted(_ names: [String]) -> String { listed(names.map { "'\($0)'" }) }

    private static func listed(_ pieces: [String]) -> String {
        pieces.count < 2 ? pieces.joined() : pieces.dropLast().joined(separator: ", ") + " and " + (pieces.last ?? "")
    }
}
