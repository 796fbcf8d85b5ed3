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
                        return "\(plan.words(for: group.label, of: derived.name, in: language)) (\(listed(parts)))"
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
                buckets = try dimension.rule.labels().map { language.words(for: $0, by: dimension) }
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

    /// Returns what the public is told of a purpose as a whole, by topic.
    func facts(of purpose: Purpose) -> [PrivacyLabel.Fact] {
        // No software says by itself how old somebody is.
        let names: [OptOutSignal: String] = [
            .globalPrivacyControl: "Global Privacy Control", .doNotTrack: "Do Not Track",
            .limitAdTracking: "Limit Ad Tracking",
        ]
        let signals = OptOutSignal.allCases.filter(purpose.refusedBy.contains).compactMap { names[$0] }
        let texts: [(PrivacyLabel.Topic, String?)] = [
            (.consent, consent(for: purpose)),
            (.usedFor, purpose.use.map { language.say(.finding, ["finding": $0.words(in: language)]) }),
            (
                .signals,
                signals.isEmpty ? nil : language.say(.labelSignals, ["signals": language.list(signals, isChoice: true)])
            ), (.children, children(in: purpose)), (.code, code(of: purpose)), (.proof, proof(of: purpose)),
            (.way, way(of: purpose)), (.takenBack, purpose.hasIdentifiers ? withdrawal(from: purpose) : nil),
            (.kept, kept(of: purpose)),
        ]
        return texts.compactMap { topic, text in text.map { fact(topic, $0) } }
    }

    /// The promises for children; none if the app is for a general audience.
    var childrenPromises: [String] {
        guard plan.app.directedTo != .general else { return [] }
        let time = language.duration(seconds: Plan.rotationForChildren.seconds)
        return [
            language.say(
                plan.app.directedTo == .children ? .labelForChildren : .labelMixed,
                ["app": plan.app.title, "time": time])
        ]
    }

    private func consent(for purpose: Purpose) -> String {
        let isMixed = plan.app.directedTo == .mixed
        let unasked = purpose.legalBasis?.rawValue ?? "none"
        let word = !purpose.needsConsent ? unasked : !purpose.needsParent ? "self" : isMixed ? "mixed" : "parent"
        return language.say(.labelConsent, ["case": word, "contact": plan.app.contact])
    }

    /// Returns a sentence that says if a purpose counts children; nil if that is no question.
    private func children(in purpose: Purpose) -> String? {
        if purpose.refusedBy.contains(.ageSignal) { return language.say(.labelGrownUps) }
        guard plan.app.directedTo == .mixed else { return nil }
        return language.say(.labelChildren, ["threshold": written(.forChildren), "units": purpose.unit.rawValue])
    }

    private func code(of purpose: Purpose) -> String {
        let isServed = purpose.senders == .backends
        guard purpose.hasIdentifiers else { return language.say(.labelCodeless, ["isServed": isServed]) }
        let (unit, count) = language.unit(seconds: purpose.rotation.seconds)
        return language.say(
            .labelCode,
            [
                "isServed": isServed, "unit": unit.rawValue, "count": count, "isDevice": purpose.unit == .device,
                "hasTabs": !isServed && !purpose.needsProof,
                "time": language.duration(seconds: purpose.rotation.seconds * 2),
            ])
    }

    private func proof(of purpose: Purpose) -> String {
        language.say(
            .labelProof,
            [
                "isServed": purpose.senders == .backends, "app": plan.app.title,
                "case": purpose.needsProof ? "proved" : purpose.hasIdentifiers ? "codes" : "none",
                "hasMost": purpose.floorPerNetwork != nil,
                "most": purpose.floorPerNetwork.map { language.written("\($0)") } ?? "",
            ])
    }

    /// Returns a text for clients' users on the way that a purpose's events take; nil if devices send none.
    private func way(of purpose: Purpose) -> String? {
        guard purpose.transport == .oblivious, let relay = plan.app.relay else {
            return purpose.senders == .backends ? nil : language.say(.labelDirect)
        }
        return language.say(.labelRelayed, ["host": relay.host])
    }

    /// Returns what somebody can expect who says no later; the daemon's `POST /v1/withdraw` does it.
    private func withdrawal(from purpose: Purpose) -> String {
        language.say(
            .labelWithdrawal,
            [
                "isServed": purpose.senders == .backends,
                "hasProofs": plan.metrics.contains { $0.purpose == purpose.name && $0.provesFirsts },
            ])
    }

    private func kept(of purpose: Purpose) -> String {
        let isGiven = recipients(of: plan.metrics.filter { $0.purpose == purpose.name }).count > 1
        let time = language.duration(seconds: purpose.retention.components.seconds)
        return language.joined([
            language.say(.labelKept, ["time": time, "isGiven": isGiven]), language.say(.labelCountsKept),
        ])
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
            let sums = metrics.flatMap { metric in
                metric.sums.filter { $0.field == field }.map { metric.title(of: $0) }
            }
            var uses: [String] = []
            for use in readers.map(\.title) + steps.map(\.title) + sums where !uses.contains(use) { uses.append(use) }
            return PrivacyLabel.Field(
                name: field.text, uses: uses, isUserAgent: (readers + steps).contains { $0.rule.readsUserAgents })
        }
    }

    /// A bucket of one of its dimensions in a reader's words.
    package func words(for bucket: BucketLabel, of name: DimensionName, in language: Language) -> String {
        language.words(for: bucket, by: tellingDimensions()[name])
    }

    /// A step in words: "After 30 days the split by System is deleted".
    package func words(for step: DecayStep, in language: Language) -> String {
        LabelWriter(plan: self, language: language, today: .today).fact(of: step).text
    }

    /// A metric's sum in words: "Revenue, each held between 0 and 500 EUR"; nil where it has none of that name.
    package func words(forSum name: String, of metric: MetricName, in language: Language) -> String? {
        let (metric, writer) = (self.metric(metric), LabelWriter(plan: self, language: language, today: .today))
        return metric.flatMap { own in own.sums.first { $0.name == name }.map { writer.text(of: $0, in: own) } }
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

extension PurposeUse {
    /// "making the app better".
    func words(in language: Language) -> String { language.say(.labelUse, ["use": rawValue]) }
}

extension Rotation {
    /// The length as in "every day": "day" rather than "1 day".
    package var spoken: String { Duration.seconds(seconds).planText.replacing(/^1\s/, with: "") }
}
