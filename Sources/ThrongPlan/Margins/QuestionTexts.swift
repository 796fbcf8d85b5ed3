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
            "in a \(layout.period.rawValue)",
            "sampling \(layout.sampling)",
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
                return Extent.union(held)
                    ?? .told(held.map(\.text).sortedByBytes().joined(separator: " or "))
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
        guard let counted, let happenings = counted.happenings else { return nil }
        var stretches: [EventName: [String: Set<Int>]] = [:]
        for happening in happenings {
            stretches[happening.event, default: [:]][happening.client.canonicalText, default: []]
                .insert(happening.stretch)
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
