internal import ThrongWire

extension Plan {
    func labelledDimensions(of metrics: [Metric]) -> [PrivacyLabel.Dimension] {
        let used = Set(metrics.flatMap(\.dimensions) + metrics.flatMap(\.steps).flatMap(\.filters).map(\.dimension))
        let coarser = Set(metrics.flatMap { derivedDimensions(of: $0) })
        return dimensions.filter { used.contains($0.name) }.map(labelled)
            + derivedDimensions.filter(coarser.contains).map { derived in
                let buckets = derived.groups.map { "\($0.label) (\($0.values.joined(separator: ", ")))" } + ["other"]
                return PrivacyLabel.Dimension(
                    title: derived.title, language: spoken("dimensions.\(derived.name).title"),
                    source: "made of \(dimension(derived.base)?.title ?? derived.base.text)",
                    buckets: buckets, summary: buckets.joined(separator: ", "))
            }
    }

    private func labelled(_ dimension: Dimension) -> PrivacyLabel.Dimension {
        let source =
            switch dimension.field {
            case .time: "the time at which it was done"
            case .event: "what was done"
            default: dimension.field.text
            }
        var buckets: [String] = []
        var summary = revealedSummary(of: dimension)
        if summary == nil {
            do {
                buckets = try dimension.rule.labels().map(\.text)
            } catch {
                summary = "can't be listed on this machine: \(error)"
            }
        }
        return PrivacyLabel.Dimension(
            title: dimension.title, language: spoken("dimensions.\(dimension.name).title"), source: "from \(source)",
            buckets: buckets, summary: summary ?? Self.summary(of: buckets))
    }

    /// Returns the buckets as text: all of them, or the first and last if they are many.
    private static func summary(of labels: [String]) -> String {
        guard labels.count > 16 else { return labels.joined(separator: ", ") }
        return labels.prefix(6).joined(separator: ", ") + ", … " + labels.suffix(2).joined(separator: ", ")
            + " (\(labels.count) in all)"
    }

    package var labelledFields: [PrivacyLabel.Field] {
        Set(purposes.flatMap { contextFields(of: $0.name) }).sorted().map { field in
            let readers = metrics.flatMap { cubeDimensions(of: $0) }.filter { $0.field == field }
            let steps = Set(metrics.flatMap(\.steps).flatMap(\.filters).map(\.dimension))
                .compactMap { dimension($0) }.filter { $0.field == field }.sorted { $0.name < $1.name }
            let sums = metrics.flatMap(\.sums).filter { $0.field == field }
            var uses: [String] = []
            for use in readers.map(\.title) + steps.map(\.title) + sums.map(\.name) where !uses.contains(use) {
                uses.append(use)
            }
            return PrivacyLabel.Field(
                name: field.text, uses: uses, isUserAgent: (readers + steps).contains { $0.rule.readsUserAgents })
        }
    }

    /// Returns the app itself, and the partners who receive something of some metrics.
    func labelledRecipients(of metrics: [Metric]) -> [PrivacyLabel.Recipient] {
        let counted = Set(metrics.map(\.name))
        let own = "\(app.title) itself: those who analyse it read all of these numbers. \(Self.countsReaders)"
        return [PrivacyLabel.Recipient(title: own, insights: [])]
            + partners.map { partner in
                let insights = insights(for: partner.name).filter { counted.contains($0.metric) }
                return PrivacyLabel.Recipient(
                    title: "\(partner.title) (\(partner.contact))", insights: insights.map(\.title),
                    languages: insights.map { spoken("insights.\($0.name).title") })
            }.filter { !$0.insights.isEmpty }
    }
}
