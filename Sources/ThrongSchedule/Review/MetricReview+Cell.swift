internal import ThrongPlan
internal import ThrongRelease

extension MetricReview {
    /// The small cells that a number of the last release protects, by name.
    func protected(by cell: CellIndex, in margin: Margin) -> [String] {
        guard let last = latest else { return [] }
        var blame = Blame(last)
        return blame.protected(by: .init(margin: margin, cell: cell)).map { last.layout.name($0.cell, in: $0.margin) }
    }

    /// The numbers of the last release that protect a small cell, by name, the largest first.
    func protectors(of cell: CellIndex, in margin: Margin) -> [String] {
        guard let last = latest else { return [] }
        let small = Blame.Place(margin: margin, cell: cell)
        var blame = Blame(last)
        let found = (last.reasons?[margin] ?? [:]).keys.map { Blame.Place(margin: margin, cell: $0) }
            .filter { blame.protected(by: $0).contains(small) }
        func events(_ place: Blame.Place) -> Int64 { last.events(of: place.cell, in: margin) ?? 0 }
        return found.sorted { (events($1), $0.cell) < (events($0), $1.cell) }.map {
            last.layout.name($0.cell, in: margin)
        }
    }

    /// What could have been withheld instead of a number: those of its grouping that stand for k devices and differ from what
    /// it protects in one dimension, the cheapest first; at most ten. None where nobody knows any more.
    func weights(around cell: CellIndex, in margin: Margin) -> [CandidateWeight] {
        guard let last = latest else { return [] }
        var blame = Blame(last)
        guard let small = blame.protected(by: .init(margin: margin, cell: cell)).first(where: { $0.margin == margin })
        else { return [] }
        let layout = last.layout
        let its = layout.buckets(of: small.cell, in: margin)
        let before = former
        let cells = (0..<UInt32(layout.size(of: margin))).lazy.map { CellIndex($0) }
        return cells.compactMap { other -> CandidateWeight? in
            let isPublished = last.release.cell(other, in: margin) != nil
            let isHidden = last.reason(other, in: margin).map { !$0.isOwn } ?? false
            guard isPublished || isHidden, let events = last.events(of: other, in: margin),
                zip(its, layout.buckets(of: other, in: margin)).count(where: { $0 != $1 }) == 1
            else { return nil }
            let wasPublished = before.map { $0.release.cell(other, in: margin) != nil }
            let weight = CellWeight(
                of: margin, events: events, isPreferred: isPreferred(margin),
                isRest: layout.isRest(other, in: margin), wasPublished: wasPublished)
            return CandidateWeight(
                cell: layout.name(other, in: margin), events: events, weight: weight.value, isPublished: isPublished,
                wasPublished: wasPublished)
        }.sorted { ($0.weight, $0.cell) < ($1.weight, $1.cell) }.prefix(10).map(\.self)
    }

    /// What would help a number that is withheld.
    func cures(for cell: CellIndex, in margin: Margin) -> [Cure] {
        guard let last = latest, let grouping = last.release.header.groupings.firstIndex(of: margin) else { return [] }
        let yield = groupings[grouping]
        if last.reason(cell, in: margin) == .revealsTied {
            return [Cure(kind: .untie, sentence: words.untying, events: last.events(of: cell, in: margin))]
        }
        if !yield.dimensions.isEmpty, let cure = cure(for: yield), cure.kind == .leaveOut { return [cure] }
        let place = Blame.Place(margin: margin, cell: cell)
        var blame = Blame(last)
        let isOwn = last.reason(cell, in: margin)?.isOwn ?? false
        let small = isOwn ? [place] : blame.protected(by: place)
        let blamed = Set(small.compactMap { blame.bucket(of: $0, beside: place) })
        let names = blamed.map { place in
            let dimension = last.layout.dimensions[place.dimension]
            return [dimension.name.text, dimension.labels[place.bucket].text]
        }
        let found = buckets.filter { names.contains([$0.dimension, $0.bucket]) }
        if found.isEmpty, !blamed.isEmpty { return [cure(for: yield)].compactMap(\.self) }
        return found.prefix(Self.mostCures).map { self.cure(for: $0) }
    }
}
