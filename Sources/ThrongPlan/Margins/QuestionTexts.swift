package import ThrongWire

/// The canonical texts of the questions that a metric's numbers answer: what was counted, of whom, when, and by which
/// buckets.
///
/// The texts describe everything by extension. The name of a metric, dimension, bucket or partner is no part of them,
/// so that the same question has the same noise whoever asks it.
package struct QuestionTexts: Sendable {
    private let layout: MetricLayout
    /// Lines that hold for all of the layout's events.
    private let terms: [String]
    /// The line that says of whom and when an event was counted, by event; nil if nobody kept that.
    package let events: [String: String]?
    private let origins: [DimensionName: DimensionOrigin]

    /// Describes what was counted in a layout.
    ///
    /// - Parameters:
    ///   - events: see ``lines(of:in:)``; nil if nobody kept them, so that the layout itself stands for them.
    ///   - origins: the origins of its base dimensions. The layout describes a dimension of which several are known.
    package init(layout: MetricLayout, events: [String: String]?, origins: DimensionOrigins) {
        self.layout = layout
        self.events = events
        self.origins = origins.compactMapValues { $0.count == 1 ? $0.first : nil }
        var terms = [
            "app \(layout.app)",
            layout.hasIdentifiers ? "identifiers of \(layout.rotation.seconds) s" : "no identifiers",
            "in a \(layout.period.rawValue)", "sampling \(layout.sampling)",
        ]
        // A frequency counts whoever sent anything; a funnel counts those who took its first step.
        if case .funnel? = layout.within, let steps = layout.dimensions.last(where: { $0.coarsening == nil }) {
            terms.append("on the way \(steps.rule)")
        }
        self.terms = terms
    }

    package func eventSet(_ cell: CellIndex, in margin: Margin) -> String {
        var names = events.map { Set($0.keys) }
        var lines: [String] = []
        let kept = layout.dimensions.indices.filter(margin.keeps)
        for (place, bucket) in zip(kept, layout.buckets(of: cell, in: margin)) {
            if let all = names,
                let kinds = origins[layout.dimensions[place].name]?.kinds(of: Set(all.map { EventName($0) }))
            {
                names = Set(kinds[bucket].map(\.text))
            } else {
                lines.append(extents(of: place)[bucket].text)
            }
        }
        let counted = names.map { names in names.compactMap { events?[$0] } } ?? [own]
        return (terms + counted.sortedByBytes() + lines.sortedByBytes()).joined(separator: "\n")
    }

    /// Returns a field's buckets in the order of their texts, and the text of all of them.
    package func field(_ place: Int) -> (text: String, order: [Int]) {
        let texts = extents(of: place).map(\.text)
        let order = texts.indices.sorted { texts[$0].precedes(texts[$1]) }
        return (order.map { texts[$0] }.joined(separator: "\n"), order)
    }

    private var own: String { "layout \(layout.counted.id)" }

    /// Returns what each bucket of a dimension holds of which field.
    private func extents(of place: Int) -> [Extent] {
        let dimension = layout.dimensions[place]
        if let coarsening = dimension.coarsening {
            let parts = Dictionary(grouping: zip(coarsening.buckets, extents(of: coarsening.place)), by: \.0)
            return dimension.labels.indices.map { bucket in
                let held = (parts[bucket] ?? []).map(\.1)
                return Extent.union(held) ?? .told(held.map(\.text).sortedByBytes().joined(separator: " or "))
            }
        }
        if layout.within != nil, place == layout.dimensions.lastIndex(where: { $0.coarsening == nil }) {
            // The rule says all: which bands, or which steps.
            return dimension.labels.indices.map { .told("progress \(dimension.rule) \($0)") }
        }
        guard let origin = origins[dimension.name], !dimension.isRevealed else {
            // Learned slots, and fields that nobody knows, are known nowhere else.
            return dimension.labels.indices.map { .told("\(own) \(dimension.name) \($0)") }
        }
        return origin.rule.extents(of: dimension.labels, fingerprint: dimension.rule).map { $0.of(origin.field) }
    }

    /// Returns a line per event: its clients, and when it was counted in the period; nil if nobody kept that.
    package static func lines(of counted: CountedEvents?, in period: Period) -> [String: String]? {
        guard let counted, let kinds = counted.kinds else { return nil }
        var stretches: [EventName: [String: Set<Int>]] = [:]
        for kind in kinds {
            stretches[kind.event, default: [:]][kind.client.canonicalText, default: []].insert(kind.stretch)
        }
        return stretches.reduce(into: [:]) { lines, event in
            let clients = event.value.map { "\($0.key) \(times($0.value, counted.starts, period))" }
            lines[event.key.text] = "event \(event.key) of \(clients.sortedByBytes().joined(separator: ", "))"
        }
    }

    /// Returns the stretches as text, in seconds after the period's start; those that meet are joined.
    private static func times(_ stretches: Set<Int>, _ starts: [UnixSeconds], _ period: Period) -> String {
        var spans: [(from: Int64, to: Int64)] = []
        for stretch in stretches.sorted() {
            let from = stretch == 0 ? period.start : max(period.start, starts[stretch])
            let to = stretch + 1 < starts.count ? min(period.end, starts[stretch + 1]) : period.end
            guard from < to else { continue }
            let span = (from: from.value - period.start.value, to: to.value - period.start.value)
            if spans.last?.to == span.from { spans[spans.count - 1].to = span.to } else { spans.append(span) }
        }
        let whole = period.end.value - period.start.value
        if spans.count == 1, spans[0] == (from: 0, to: whole) { return "always" }
        return spans.map { "\($0.from) to \($0.to == whole ? "end" : "\($0.to)")" }.joined(separator: " and ")
    }
}

extension String {
    /// True if the bytes of a text stand before those of another: the same order on every machine.
    package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Sequence<String> {
    /// Returns the texts in the order of their bytes.
    package func sortedByBytes() -> [String] { sorted { $0.precedes($1) } }
}

extension Extent {
    fileprivate func of(_ field: FieldName) -> Extent {
        switch self {
        case .values(let kind, let values): .values("\(field) \(kind)", values)
        case .rest(let kind, let values): .rest("\(field) \(kind)", values)
        case .told(let text): .told("\(field) \(text)")
        case .numbers(let kind, let low, let high): .numbers("\(field) \(kind)", low, high)
        }
    }
}

extension SumMeasure {
    /// The sum by extension, without its name and unit.
    package var canonicalText: String { "\(field) from \(lowest) to \(highest) by 10^-\(decimals)" }
}

extension CountedEvents.Client {
    fileprivate var canonicalText: String {
        switch self {
        case .answers(let bits): "\(bits)"
        case .former(let purpose): "former \(purpose)"
        }
    }
}

/// The values that a bucket holds, in a form that is the same for every rule that puts the same values into one.
///
/// Questions compare extents: a bucket of another name, of a list in another order, of a coarser dimension, or beside
/// other buckets is the same bucket if it holds the same values.
enum Extent: Hashable {
    /// These values, of that kind.
    case values(String, Set<String>)
    /// All values of that kind but these.
    case rest(String, Set<String>)
    /// Numbers of that kind from the first on and below the second; nil is no bound.
    case numbers(String, Double?, Double?)
    /// A bucket whose values only its rule tells.
    case told(String)

    /// Returns the extent of several buckets together; nil if it has no form of its own.
    static func union(_ parts: [Extent]) -> Extent? {
        guard var sum = parts.first else { return nil }
        for part in parts.dropFirst() {
            guard let joined = sum.joined(with: part) else { return nil }
            sum = joined
        }
        return sum
    }

    private func joined(with other: Extent) -> Extent? {
        switch (self, other) {
        case (.values(let kind, let mine), .values(let its, let more)):
            return kind == its ? .values(kind, mine.union(more)) : nil
        case (.rest(let kind, let listed), .values(let its, let held)),
            (.values(let its, let held), .rest(let kind, let listed)):
            return kind == its ? .rest(kind, listed.subtracting(held)) : nil
        case (.numbers(let kind, let low, let end), .numbers(let its, let start, let high)):
            guard kind == its else { return nil }
            if let end, end == start { return .numbers(kind, low, high) }
            return low != nil && low == high ? .numbers(kind, start, end) : nil
        default: return nil
        }
    }

    /// True if the extent is known to hold nothing that the other does not.
    func lies(within other: Extent) -> Bool {
        switch (self, other) {
        case (.values(let kind, let mine), .values(let its, let all)): kind == its && mine.isSubset(of: all)
        case (.values(let kind, let mine), .rest(let its, let listed)): kind == its && mine.isDisjoint(with: listed)
        case (.rest(let kind, let mine), .rest(let its, let listed)): kind == its && listed.isSubset(of: mine)
        case (.numbers(let kind, let low, let high), .numbers(let its, let from, let end)):
            kind == its && (from ?? -.infinity) <= (low ?? -.infinity) && (high ?? .infinity) <= (end ?? .infinity)
        default: self == other
        }
    }

    /// The extent as one line, which no other extent has.
    var text: String {
        switch self {
        case .values(let kind, let values): "\(kind) in \(Self.list(values))"
        case .rest(let kind, let values): "\(kind) none of \(Self.list(values))"
        case .numbers(let kind, let low, let high):
            "\(kind) from \(low.map { "\($0)" } ?? "-") to \(high.map { "\($0)" } ?? "-")"
        case .told(let text): text
        }
    }

    /// Returns the values with their lengths, so that no two sets have the same text.
    private static func list(_ values: Set<String>) -> String {
        values.sortedByBytes().map { "\($0.utf8.count) \($0)" }.joined(separator: ", ")
    }
}

extension BucketingRule {
    /// Returns the values that each bucket holds.
    ///
    /// - Parameters:
    ///   - labels: the rule's buckets.
    ///   - fingerprint: the rule's fingerprint; see ``fingerprint(rules:)``.
    func extents(of labels: [BucketLabel], fingerprint: String) -> [Extent] {
        switch self {
        case .list(let groups), .region(let groups):
            let named = groups.filter { $0.label != .other }.map { $0.values.isEmpty ? [$0.label.text] : $0.values }
            return Self.extents(named, of: labels, as: "value")
        case .version(let level, let known):
            return Self.extents(known.map { [$0] }, of: labels, as: "\(level.rawValue) version")
        case .language(let known): return Self.extents(known.map { [$0] }, of: labels, as: "language")
        case .host(let known): return Self.extents(known.map { [$0] }, of: labels, as: "host")
        case .bands(let edges): return Self.extents(edges, of: labels)
        case .powers(let base, let lowest, let highest):
            return Self.extents((lowest...highest).map { Self.power(base, $0) }, of: labels)
        case .significantFigures, .screen, .browser, .operatingSystem, .deviceClass, .utcOffset, .time, .route,
            .fileType, .revealed:
            return labels.map { .told("\(fingerprint) \($0.text.utf8.count) \($0.text)") }
        }
    }

    /// True if each bucket of another rule is known to lie in a bucket of this rule.
    func isCoarser(than other: BucketingRule) -> Bool {
        // Every plan's rules compiled when it was read; of one that does not any more, nothing is known.
        guard let mine = try? labels(), let its = try? other.labels() else { return false }
        // Two rules that have no form of their own are alike only if they are the same.
        let buckets = extents(of: mine, fingerprint: "now")
        return self == other
            || other.extents(of: its, fingerprint: "before").allSatisfy { bucket in
                buckets.contains { bucket.lies(within: $0) }
            }
    }

    /// Returns the groups of values, then what none of them holds.
    private static func extents(_ groups: [[String]], of labels: [BucketLabel], as kind: String) -> [Extent] {
        let rest = Extent.rest(kind, Set(groups.joined()))
        return labels.indices.map { bucket in
            if bucket < groups.count { return .values(kind, Set(groups[bucket])) }
            return bucket == groups.count ? rest : .told("\(rest.text), \(labels[bucket].text)")
        }
    }

    /// Returns the ranges between edges, open at both ends; a further bucket is for what is no number.
    private static func extents(_ edges: [Double], of labels: [BucketLabel]) -> [Extent] {
        let ends = [nil] + edges.map { $0 } + [nil]
        return labels.indices.map { bucket in
            bucket + 1 < ends.count
                ? .numbers("number", ends[bucket], ends[bucket + 1]) : .told("no number \(labels[bucket].text)")
        }
    }
}
