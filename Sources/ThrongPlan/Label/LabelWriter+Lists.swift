internal import ThrongWire

extension LabelWriter {
    func dimensions(of metrics: [Metric]) -> [PrivacyLabel.Dimension] {
        let used = Set(metrics.flatMap(\.dimensions) + metrics.flatMap(\.steps).flatMap(\.filters).map(\.dimension))
        let coarser = Set(metrics.flatMap { plan.derivedDimensions(of: $0) })
        return plan.dimensions.filter { used.contains($0.name) }.map(labelled)
            + plan.derivedDimensions.filter(coarser.contains).map { derived in
                let buckets =
                    derived.groups.map { group in
                        let parts = group.values.map {
                            plan.words(for: BucketLabel($0), of: derived.base, in: language)
                        }
                        return "\(group.label) (\(listed(parts)))"
                    } + [language.say(.otherBucket)]
                return PrivacyLabel.Dimension(
                    title: derived.title, language: plan.spoken("dimensions.\(derived.name).title"),
                    source: source("made", plan.dimension(derived.base)?.title ?? derived.base.text),
                    buckets: buckets, summary: listed(buckets))
            }
    }

    private func source(_ word: String, _ field: String = "") -> String {
        language.say(.labelSource, ["case": word, "field": field])
    }

    private func labelled(_ dimension: Dimension) -> PrivacyLabel.Dimension {
        let source =
            switch dimension.field {
            case .time: source("time")
            case .event: source("event")
            default: source("field", dimension.field.text)
            }
        var buckets: [String] = []
        var summary = revealed(dimension)
        if summary == nil {
            do {
                buckets = try dimension.rule.labels().map { language.words(for: $0, by: dimension.rule) }
            } catch { summary = language.say(.labelUnlisted, ["error": "\(error)"]) }
        }
        return PrivacyLabel.Dimension(
            title: dimension.title, language: plan.spoken("dimensions.\(dimension.name).title"), source: source,
            buckets: buckets, summary: summary ?? self.summary(of: buckets))
    }

    /// Returns what the public is told of a dimension whose buckets are learned; nil for any other.
    private func revealed(_ dimension: Dimension) -> String? {
        guard case .revealed(let most) = dimension.rule else { return nil }
        return language.say(
            .labelRevealed,
            [
                "hasHelp": plan.app.evaluator != nil, "host": plan.app.evaluator?.url.host ?? "",
                "threshold": written(plan.revealThreshold(of: dimension.name)), "most": language.written("\(most)"),
            ])
    }

    /// Returns the buckets as text: all of them, or the first and last if they are many.
    private func summary(of labels: [String]) -> String {
        guard labels.count > 16 else { return listed(labels) }
        return language.say(
            .labelSummary,
            [
                "first": listed(Array(labels.prefix(6))), "last": listed(Array(labels.suffix(2))),
                "count": language.written("\(labels.count)"),
            ])
    }

    /// Returns the app itself, and the partners who receive something of some metrics.
    func recipients(of metrics: [Metric]) -> [PrivacyLabel.Recipient] {
        let counted = Set(metrics.map(\.name))
        let own = language.joined([language.say(.labelOwn, ["app": plan.app.title]), language.say(.labelCountsReaders)])
        return [PrivacyLabel.Recipient(title: own, insights: [])]
            + plan.partners.map { partner in
                let insights = plan.insights(for: partner.name).filter { counted.contains($0.metric) }
                return PrivacyLabel.Recipient(
                    title: partner.isEverybody ? language.say(.everybody) : "\(partner.title) (\(partner.contact))",
                    insights: insights.map(\.title),
                    languages: insights.map { plan.spoken("insights.\($0.name).title") })
            }.filter { !$0.insights.isEmpty }
    }
}

extension Plan {
    /// Returns the public privacy label: what is counted, how coarsely, why, for how long, who receives it, whom to
    /// ask.
    ///
    /// - Parameters:
    ///   - today: the date that tells metrics that count from those that have expired.
    ///   - language: the language of its sentences; that of the plan's texts is ``translated(into:)``'s.
    package func label(today: CalendarDate = .today, in language: Language = .english) -> PrivacyLabel {
        LabelWriter(plan: self, language: language, today: today).label
    }

    /// Returns the label as plain text that also reads as Markdown; no line exceeds 100 columns unless one word does.
    package func privacyLabel(today: CalendarDate = .today, in language: Language = .english) -> String {
        label(today: today, in: language).text
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
}

extension Plan {
    /// A bucket of one of its dimensions in a reader's words.
    package func words(for bucket: BucketLabel, of name: DimensionName, in language: Language) -> String {
        language.words(for: bucket, by: dimension(name)?.rule)
    }

    /// A step in words: "After 30 days the split by System is deleted".
    package func words(for step: DecayStep, in language: Language) -> String {
        LabelWriter(plan: self, language: language, today: .today).fact(of: step).text
    }

    /// A sum in words: "amount, each held between 0 and 500 EUR".
    package func words(for sum: SumMeasure, in language: Language) -> String {
        LabelWriter(plan: self, language: language, today: .today).text(of: sum)
    }
}

extension BucketingRule {
    package var readsUserAgents: Bool {
        switch self {
        case .browser, .operatingSystem, .deviceClass: true
        case .list, .bands, .significantFigures, .powers, .version, .screen, .language, .utcOffset, .region, .time,
            .host, .route, .fileType, .revealed:
            false
        }
    }
}
