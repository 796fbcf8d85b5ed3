internal import ThrongInsight
internal import ThrongPlan
internal import ThrongRelease

extension MetricReview {
    /// What would help the most, at most ``mostCures``.
    package var cures: [Cure] { cures(for: buckets, groupings) }

    /// What would help against some buckets and groupings, at most ``mostCures``.
    func cures(for buckets: [Bucket], _ groupings: [Grouping]) -> [Cure] {
        var cures: [Cure] = []
        // Two small buckets that go into `other` together are one cure.
        var merged: Set<[String]> = []
        for bucket in buckets {
            let together = ([bucket.bucket] + companions(of: bucket).map(\.text)).sorted()
            if merged.insert([bucket.dimension] + together).inserted { cures.append(cure(for: bucket)) }
        }
        cures += groupings.filter { !$0.dimensions.isEmpty }.compactMap { cure(for: $0) }
        cures.sort { ($0.events ?? 0) > ($1.events ?? 0) }
        return Array((wholeCures(groupings) + cures).prefix(Self.mostCures))
    }

    /// What would help where next to nothing of a metric is shown, so that no bucket of it is to blame.
    private func wholeCures(_ groupings: [Grouping]) -> [Cure] {
        guard let last = latest, last.release.shows(.total) else { return [] }
        let total = last.yields.first { $0.dimensions.isEmpty }?.events
        if let reason = last.reason(CellIndex(0), in: .total) {
            if reason == .revealsTied {
                return [Cure(kind: .untie, sentence: words.untying, events: total)]
            }
            guard reason.isOwn, let longer = words.longer(than: kind) else { return [] }
            return [
                Cure(
                    kind: .longer,
                    sentence: "\(longer.sentenceCased): not even its total is published of a \(kind.rawValue).",
                    events: total)
            ]
        }
        let poor = groupings.count { cure(for: $0)?.kind == .leaveOut }
        guard 2 * poor > groupings.count, let longer = words.longer(than: kind) else { return [] }
        return [
            Cure(
                kind: .longer,
                sentence:
                    "\(longer.sentenceCased): \(poor) of its \(groupings.count) groupings show under a tenth of a "
                    + "\(kind.rawValue).", events: total)
        ]
    }

    /// What would help against a bucket.
    func cure(for bucket: Bucket) -> Cure {
        let (name, label) = (DimensionName(bucket.dimension), BucketLabel(bucket.bucket))
        let head = words.merging(label, with: companions(of: bucket), of: name)
        return Cure(kind: .merge, sentence: "\(head). \(history(of: bucket))", events: bucket.events)
    }

    /// "It was small on 9 of the last 14 days and cost Android each time."
    private func history(of bucket: Bucket) -> String {
        let lost = bucket.neighbours.isEmpty ? "other numbers" : Array(bucket.neighbours.prefix(3)).listed
        if isExpected { return "\(bucket.bucket) would be small and cost \(lost)." }
        guard bucket.known > 1 else { return "\(bucket.bucket) was small and cost \(lost)." }
        let all = "the last \(bucket.known) \(kind.rawValue)s"
        let span = bucket.small == bucket.known ? "on all of \(all)" : "on \(bucket.small) of \(all)"
        let times = bucket.costly == bucket.small ? "each time" : "on \(bucket.costly) of them"
        return "\(bucket.bucket) was small \(span), and cost \(lost) \(times)."
    }

    /// What has to go into `other` with a bucket, so that it is not small itself: its small siblings, then the smallest that is
    /// not, which is mostly the one that protects them and is not shown anyway.
    private func companions(of small: Bucket) -> [BucketLabel] {
        let (name, label) = (DimensionName(small.dimension), BucketLabel(small.bucket))
        guard let last = latest, let place = last.layout.dimensions.firstIndex(where: { $0.name == name }) else {
            return []
        }
        let margin = Margin(keeping: [place])
        let labels = last.layout.dimensions[place].labels
        guard last.release.shows(margin), last.reasons != nil else { return [] }
        /// What is proved of a bucket; nil where that is k or more.
        func floor(_ bucket: Int) -> Int64? {
            let cell = CellIndex(UInt32(bucket))
            if last.release.cell(cell, in: margin) != nil { return nil }
            guard let reason = last.reason(cell, in: margin) else { return 0 }
            if case .small(let floor) = reason { return floor.devices }
            return nil
        }
        // Over several windows floors are maxima, and no more is proved of several buckets than of the largest.
        let period = last.release.header.period
        let isOneWindow = last.layout.rotation.seconds >= period.end - period.start
        let adds = isOneWindow && last.layout.dimensions[place].partitionsDevices
        var proved: Int64 = 0
        func add(_ floor: Int64) { proved = adds ? proved + floor : max(proved, floor) }
        let own = labels.indices.filter { labels[$0] == label || labels[$0] == .other }
        for floor in own.map(floor) {
            guard let floor else { return [] }
            add(floor)
        }
        func rank(_ bucket: Int) -> (Int, Int64, Int) {
            let isShown = last.release.cell(CellIndex(UInt32(bucket)), in: margin) != nil
            let events = last.events(of: BucketPlace(dimension: place, bucket: bucket)) ?? 0
            return (floor(bucket) != nil ? 0 : isShown ? 2 : 1, events, bucket)
        }
        var companions: [BucketLabel] = []
        for bucket in labels.indices.filter({ !own.contains($0) }).sorted(by: { rank($0) < rank($1) }) {
            guard proved < last.release.header.threshold.devices else { break }
            guard let floor = floor(bucket) else { return companions + [labels[bucket]] }
            guard floor > 0 else { continue }
            companions.append(labels[bucket])
            add(floor)
        }
        return companions
    }

    /// What would help a grouping: one of which hardly anything is shown, and one whose small numbers are of large buckets; nil
    /// where it needs nothing, or small buckets or other metrics are to blame.
    func cure(for grouping: Grouping) -> Cure? {
        guard let last = latest,
            let place = last.yields.firstIndex(where: { $0.dimensions.map(\.text) == grouping.dimensions })
        else { return nil }
        let (margin, yield) = (last.release.header.groupings[place], last.yields[place])
        let (tied, scattered) = (lastCosts?.tied[margin] ?? 0, lastCosts?.scattered[margin] ?? 0)
        let blamed = lastCosts?.blamed[margin] ?? (0, 0)
        let names = grouping.dimensions.map { DimensionName($0) }
        if grouping.isPoor {
            if tied > scattered + blamed.events || blamed.numbers > 0 && blamed.events >= scattered { return nil }
            let longer = words.longer(than: kind).map { ", or \($0)" } ?? ""
            let span = grouping.periods == 1 ? "the \(kind.rawValue)" : "the last \(grouping.periods) \(kind.rawValue)s"
            let shown = grouping.shown.map { "\(Self.percent($0)) of its events" } ?? "nothing"
            let what = isExpected ? "it would show \(shown)" : "it showed \(shown) in \(span)"
            return Cure(
                kind: .leaveOut, sentence: "\(words.leavingOut(names))\(longer): \(what).",
                events: yield.hiddenEvents.map { $0 - tied })
        }
        // Of one dimension, a small number is a small bucket.
        guard names.count > 1, scattered > 0 else { return nil }
        return Cure(
            kind: .coarsen,
            sentence: "\(words.coarsening(names)): small numbers of buckets that are large by themselves "
                + "\(isExpected ? "would cost" : "cost") larger ones.", events: scattered)
    }

    /// "3.4 %"; what is not all is never 100.
    package static func percent(_ share: Double) -> String {
        let tenths = Int64((share * 1000).rounded(.down))
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
