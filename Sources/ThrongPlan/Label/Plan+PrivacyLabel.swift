package import ThrongWire

extension Plan {
    /// Returns the public privacy label: what is counted, how coarsely, why, for how long, who receives it, whom to
    /// ask.
    ///
    /// - Parameter today: the date that tells metrics that count from those that have expired.
    package func label(today: CalendarDate = .today) -> PrivacyLabel {
        var promises = [
            "Every published number stands for at least \(app.threshold.devices) devices; smaller ones are withheld."
        ]
        if metrics.contains(where: { purpose($0.purpose)?.hasIdentifiers == false }) {
            promises.append(
                """
                Where your device shows no identifier, that is so many events instead; of how many devices they are, nobody \
                knows.
                """)
        }
        promises.append(
            """
            Every published number is off on purpose, so that nothing about a few devices can be worked out from all that is \
            published together. By how much is said below.
            """)
        promises += childrenPromises
        promises.append("Only what this page lists is counted, and only as coarsely as it says.")
        return PrivacyLabel(
            app: app.name,
            appTitle: app.title,
            appLanguage: spoken("app.title"),
            title: "What \(app.title) counts",
            lede: """
                \(app.title) counts what its visitors do as a crowd, and keeps counters only: no names, no addresses, no \
                identifiers, no record of what one person did.
                """,
            promises: promises,
            contact: app.contact,
            threshold: app.threshold.devices,
            purposes: purposes.map { label(of: $0, today: today) },
            dimensions: labelledDimensions(of: metrics),
            recipients: labelledRecipients(of: metrics),
            events: Set(metrics.flatMap(\.events)).sorted().map(\.text),
            fields: labelledFields,
            plan: String(version.hex.prefix(12)),
            timeZone: app.timeZone)
    }

    /// Returns the label as plain text that also reads as Markdown; no line exceeds 100 columns unless one word does.
    package func privacyLabel(today: CalendarDate = .today) -> String { label(today: today).text }

    private func label(of purpose: Purpose, today: CalendarDate) -> PrivacyLabel.Purpose {
        let rotation = Duration.seconds(purpose.rotation.seconds)
        var facts = [PrivacyLabel.Fact("Consent", consentText(of: purpose))]
        if let use = purpose.use { facts.append(.init("Used for", lead: "Used for: ", use.words + ".")) }
        let signals = OptOutSignal.allCases.filter(purpose.refusedBy.contains).compactMap(\.title)
        if !signals.isEmpty {
            facts.append(
                .init("Signals", "Nothing is counted where your software sends \(signals.joined(separator: " or "))."))
        }
        if let text = childrenText(of: purpose) { facts.append(.init("Children", text)) }
        facts.append(
            .init(
                "Identifier",
                purpose.hasIdentifiers
                    ? """
                    Your device shows a random identifier, another one every \(rotation.spokenText) and for every purpose. \
                    It is scrambled on arrival with a key that is destroyed soon after.
                    """
                    : """
                    Your device shows no identifier: a value is sent, and a counter goes up. How many devices there were is \
                    not known. Nothing that was sent can be told apart, so nothing of it can be taken back.
                    """))
        if purpose.hasIdentifiers { facts.append(.init("Proof", proofText(of: purpose))) }
        if let text = transportText(of: purpose) { facts.append(.init("Way", text)) }
        facts.append(
            .init(
                "Kept",
                "Numbers are kept for \(purpose.retention.planText) here; who was given a report may keep it longer."))
        let counted = metrics.filter { $0.purpose == purpose.name }
        return PrivacyLabel.Purpose(
            name: purpose.name, explanation: purpose.explanation,
            language: spoken("purposes.\(purpose.name).explanation"),
            hasIdentifiers: purpose.hasIdentifiers, rotation: rotation.planText,
            retention: purpose.retention.planText, rotationSeconds: purpose.rotation.seconds,
            retentionSeconds: purpose.retention.components.seconds, facts: facts,
            metrics: counted.map { metric in
                .init(
                    title: metric.title, question: metric.question,
                    titleLanguage: spoken("metrics.\(metric.name).title"),
                    questionLanguage: spoken("metrics.\(metric.name).question"),
                    facts: self.facts(of: metric, today: today))
            },
            dimensions: labelledDimensions(of: counted), recipients: labelledRecipients(of: counted))
    }

    private func proofText(of purpose: Purpose) -> String {
        switch purpose.floor {
        case .attested:
            """
            Only identifiers that a device has proved count for the number of devices that a published number stands for. \
            The proof says that there is a device, and not which.
            """
        case .any:
            "No identifier is proved: whoever makes some up can make a group look larger than it is."
        }
    }

    private func facts(of metric: Metric, today: CalendarDate) -> [PrivacyLabel.Fact] {
        var facts = countFacts(of: metric)
        facts += valueFacts(of: metric)
        facts += publicationFacts(of: metric)
        facts += metric.decay.map { fact(of: $0) }
        facts.append(
            .init(
                "Until",
                metric.expires > today
                    ? "Counting ends on \(metric.expires) unless it is renewed."
                    : "Counting ended on \(metric.expires)."))
        return facts
    }

    /// The things that a metric counts: events, devices, or what one did within its window.
    private func countFacts(of metric: Metric) -> [PrivacyLabel.Fact] {
        var facts: [PrivacyLabel.Fact] = []
        func add(_ topic: String, lead: String = "", _ text: String) { facts.append(.init(topic, lead: lead, text)) }
        if let within = metric.within {
            facts += self.facts(of: within, in: metric)
        } else {
            add(
                "Counts", lead: "Counts, ",
                """
                by \(metric.period.rawValue): \(metric.events.map(\.text).joined(separator: ", ")); at most \
                \(PlanNumber.text(metric.contributionBound)) \(purpose(metric.purpose)?.hasIdentifiers == false ? "at once" : "from one identifier").
                """)
        }
        if !metric.rollups.isEmpty {
            add("Counts", "Added up by \(metric.rollups.map(\.rawValue).joined(separator: " and by ")), too.")
        }
        if metric.countsFirsts {
            let periods = metric.firstPeriods.map { "in \($0 == .hour ? "an" : "a") \($0.rawValue)" }
            add(
                "Counts",
                """
                Counts devices, too: yours remembers what it has sent already, and says which event is its first \
                \(periods.joined(separator: " or ")). Nobody can check what a device says.
                """)
        } else if metric.reach {
            add("Counts", provedText(of: metric) ?? "Counts devices, too.")
        }
        return facts
    }

    private func valueFacts(of metric: Metric) -> [PrivacyLabel.Fact] {
        var facts: [PrivacyLabel.Fact] = []
        func add(_ topic: String, lead: String = "", _ text: String) { facts.append(.init(topic, lead: lead, text)) }
        if let answer = metric.answered { add("Answered", text(of: answer)) }
        let titles =
            metric.dimensions.compactMap { dimension($0)?.title } + derivedDimensions(of: metric).map(\.title)
        if !titles.isEmpty { add("Split by", lead: "Split by: ", "\(titles.joined(separator: ", ")).") }
        if !metric.impossible.isEmpty {
            let shown = metric.impossible.prefix(6).map { $0.parts.map(\.bucket.text).joined(separator: " with ") }
            let rest = metric.impossible.count > 6 ? " and \(metric.impossible.count - 6) more" : ""
            add("Refused", lead: "Refused, ", "because it cannot be: \(shown.joined(separator: ", "))\(rest).")
        }
        for sum in metric.sums {
            add(
                "Adds up", lead: "Adds up ",
                """
                \(sum.field), each held between \(PlanNumber.text(sum.lowest)) and \
                \(PlanNumber.text(sum.highest))\(sum.unit.isEmpty ? "" : " \(sum.unit)").
                """)
        }
        if let histogram = metric.histogram {
            let edges = histogram.edges.map { PlanNumber.text($0) }.joined(separator: ", ")
            let unit = histogram.unit.isEmpty ? "" : " \(histogram.unit)"
            add("Spreads", lead: "Spreads ", "\(histogram.field) over bands at \(edges)\(unit).")
        }
        if metric.sampling < 1 {
            add("Sampling", "Only \(PlanNumber.text(metric.sampling * 100)) % of the events are sent at all.")
        }
        return facts
    }

    /// The margin of a metric's numbers, and its k if it is larger than the app's.
    private func publicationFacts(of metric: Metric) -> [PrivacyLabel.Fact] {
        var facts = [PrivacyLabel.Fact("Margin", marginText(of: metric))]
        let threshold = metric.threshold
        if threshold > app.threshold, purpose(metric.purpose)?.hasIdentifiers == true {
            facts.append(.init("Published", "Its numbers stand for at least \(threshold.devices) devices."))
        }
        return facts
    }

    /// A step by which a metric's numbers get coarser, or go.
    private func fact(of step: DecayStep) -> PrivacyLabel.Fact {
        func title(_ name: DimensionName) -> String {
            dimension(name)?.title ?? derivedDimension(name)?.title ?? name.text
        }
        return switch step.action {
        case .drop(let name):
            PrivacyLabel.Fact("Deleted", "After \(step.after.planText) the split by \(title(name)) is deleted.")
        case .coarsen(let name, to: let coarse):
            PrivacyLabel.Fact(
                "Coarser",
                """
                After \(step.after.planText) the split by \(title(name)) is deleted, and only that by \(title(coarse)) \
                is left.
                """)
        case .keep(let kind):
            PrivacyLabel.Fact(
                "Coarser",
                """
                After \(step.after.planText) the numbers of shorter periods are deleted, and only those of whole \
                \(kind.rawValue)s are left.
                """)
        case .keepTotals:
            PrivacyLabel.Fact(
                "Coarser", "After \(step.after.planText) every split is deleted, and only totals are left.")
        case .delete:
            PrivacyLabel.Fact("Deleted", "After \(step.after.planText) its numbers are deleted.")
        }
    }

    private func facts(of within: WindowMeasure, in metric: Metric) -> [PrivacyLabel.Fact] {
        let window = Duration.seconds((purpose(metric.purpose)?.rotation ?? .standard).seconds).planText
        let memory =
            """
            For that the daemon remembers how far your identifier has come, in memory and in its encrypted journal, until \
            the window is over; then only the number remains.
            """
        switch within.kind {
        case .frequency:
            return [
                .init(
                    "Counts", lead: "Counts, ",
                    """
                    by \(metric.period.rawValue): identifiers, by how often each sent one of these within its window of \
                    \(window): \(metric.events.map(\.text).joined(separator: ", ")); each identifier once. \(memory)
                    """)
            ]
        case .funnel(let steps):
            let names = steps.map { step in
                let places = step.filters.map { "\(dimension($0.dimension)?.title ?? $0.dimension.text): \($0.bucket)" }
                return "\(step.title) (\(([step.event.text] + places).joined(separator: ", ")))"
            }
            return [
                .init(
                    "Counts", lead: "Counts, ",
                    """
                    by \(metric.period.rawValue): identifiers, by how far each came within its window of \(window): \
                    \(names.joined(separator: ", then ")); each identifier once. \(memory)
                    """)
            ]
        }
    }

    private func text(of answer: DeviceAnswer) -> String {
        let events = answer.events.map(\.text).joined(separator: ", ")
        return switch answer {
        case .retention(_, let weeks):
            """
            Your device works this out by itself and says it once a week: in which week, 0 to \(weeks) after its \
            first, it did one of: \(events). No identifier lasts for it.
            """
        case .frequency:
            """
            Your device works this out by itself and says it after the week: how often it did one of: \(events). No \
            identifier lasts for it.
            """
        }
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

extension OptOutSignal {
    /// The signal's name for people; nil if no software sends it by itself.
    fileprivate var title: String? {
        switch self {
        case .globalPrivacyControl: "Global Privacy Control"
        case .doNotTrack: "Do Not Track"
        case .limitAdTracking: "Limit Ad Tracking"
        case .ageSignal: nil
        }
    }
}

extension Duration {
    /// The duration as in "every day": "day" rather than "1 day".
    fileprivate var spokenText: String {
        planText.hasPrefix("1 ") ? String(planText.dropFirst(2)) : planText
    }
}
