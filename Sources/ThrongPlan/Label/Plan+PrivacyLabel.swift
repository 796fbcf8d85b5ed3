package import ThrongWire

extension Plan {
    /// Returns the public privacy label: what is counted, how coarsely, why, for how long, who receives it, whom to
    /// ask.
    ///
    /// - Parameter today: the date that tells metrics that count from those that have expired.
    package func label(today: CalendarDate = .today) -> PrivacyLabel {
        let promises =
            [
                smallestText,
                """
                Every published number is off on purpose, so that nothing about a few devices can be worked out from all that is \
                published together. By how much is said below.
                """,
            ] + childrenPromises + [
                """
                Nobody can tell afterwards which counts are yours. So they can\u{2019}t be shown to you, put right or deleted one by one \
                (Art. 11 GDPR). You may complain to your data protection authority.
                """, "Only what this page lists is counted, and only as coarsely as it says.",
            ]
        return PrivacyLabel(
            app: app.name, appTitle: app.title, appLanguage: spoken("app.title"), title: "What \(app.title) counts",
            lede: """
                \(app.title) counts what its visitors do as a crowd. It keeps no names, no addresses and no list of what one person did.
                """,
            promises: promises, contact: app.contact, threshold: app.threshold.devices,
            purposes: purposes.map { label(of: $0, today: today) }, dimensions: labelledDimensions(of: metrics),
            recipients: labelledRecipients(of: metrics), events: Set(metrics.flatMap(\.events)).sorted().map(\.text),
            fields: labelledFields, plan: String(version.hex.prefix(12)), timeZone: app.timeZone)
    }

    /// Returns the label as plain text that also reads as Markdown; no line exceeds 100 columns unless one word does.
    package func privacyLabel(today: CalendarDate = .today) -> String { label(today: today).text }

    private func label(of purpose: Purpose, today: CalendarDate) -> PrivacyLabel.Purpose {
        let counted = metrics.filter { $0.purpose == purpose.name }
        return PrivacyLabel.Purpose(
            name: purpose.name, explanation: purpose.explanation,
            language: spoken("purposes.\(purpose.name).explanation"),
            hasIdentifiers: purpose.hasIdentifiers, sentByServers: purpose.senders == .backends,
            rotationSeconds: purpose.rotation.seconds, retentionSeconds: purpose.retention.components.seconds,
            facts: facts(of: purpose),
            metrics: counted.map { metric in
                .init(
                    title: metric.title, question: metric.question,
                    titleLanguage: spoken("metrics.\(metric.name).title"),
                    questionLanguage: spoken("metrics.\(metric.name).question"),
                    facts: self.facts(of: metric, today: today))
            },
            dimensions: labelledDimensions(of: counted), recipients: labelledRecipients(of: counted))
    }

    /// The fewest devices, visits or actions behind a number.
    private var smallestText: String {
        let units = Set(purposes.map(\.unit))
        let actions = "\(app.threshold.devices) actions, and of how many devices they are nobody knows."
        let least = "Every published number stands for at least "
        if units == [.action] { return least + actions + " Smaller ones are left out." }
        let told = "\(app.threshold.devices) \(LabelUnit.text(units.subtracting([.action])))"
        return
            "\(least)\(told). Smaller ones are left out.\(units.contains(.action) ? " Where no code is sent it is \(actions)" : "")"
    }

    private func facts(of metric: Metric, today: CalendarDate) -> [PrivacyLabel.Fact] {
        let unit = purpose(metric.purpose)?.unit ?? .action
        let titles =
            metric.dimensions.compactMap { dimension($0)?.title } + derivedDimensions(of: metric).map(\.title)
        let rollups = metric.rollups.map(\.rawValue).joined(separator: " and by ")
        var facts = PrivacyLabel.Fact.all([
            ("Counts", "Counts, ", countText(of: metric, unit)),
            ("Counts", "", rollups.isEmpty ? nil : "Added up by \(rollups), too."),
            ("Counts", "", reachText(of: metric)),
            ("Answered", "", metric.answered.map { text(of: $0) }),
            ("Split by", "Split by: ", titles.isEmpty ? nil : titles.joined(separator: ", ") + "."),
        ])
        if !metric.impossible.isEmpty {
            let shown = metric.impossible.prefix(6).map { $0.parts.map(\.bucket.text).joined(separator: " with ") }
            let rest = metric.impossible.count > 6 ? " and \(metric.impossible.count - 6) more" : ""
            let text = "because it cannot be: \(shown.joined(separator: ", "))\(rest)."
            facts.append(.init("Refused", lead: "Refused, ", text))
        }
        for sum in metric.sums {
            let (lowest, highest) = (PlanNumber.text(sum.lowest), PlanNumber.text(sum.highest))
            let text =
                "\(sum.field), each held between \(lowest) and \(highest)\(sum.unit.isEmpty ? "" : " \(sum.unit)")."
            facts.append(.init("Adds up", lead: "Adds up ", text))
        }
        if let histogram = metric.histogram {
            let edges = histogram.edges.map { PlanNumber.text($0) }.joined(separator: ", ")
            let unit = histogram.unit.isEmpty ? "" : " \(histogram.unit)"
            facts.append(.init("Spreads", lead: "Spreads ", "\(histogram.field) over ranges at \(edges)\(unit)."))
        }
        let (isSampled, isLarger) = (metric.sampling < 1, metric.threshold > app.threshold)
        facts += PrivacyLabel.Fact.all([
            (
                "Sampling", "",
                isSampled ? "Only \(PlanNumber.text(metric.sampling * 100)) % of it is sent at all." : nil
            ),
            ("Margin", "", marginText(of: metric)),
            (
                "Published", "",
                isLarger ? "Its numbers stand for at least \(metric.threshold.devices) \(unit.many)." : nil
            ),
        ])
        let end =
            metric.expires > today ? "ends on \(metric.expires) unless it is renewed" : "ended on \(metric.expires)"
        return facts + metric.decay.map { fact(of: $0) } + [.init("Until", "Counting \(end).")]
    }

    /// The text about what a number of devices is: proved, said by devices, or told apart for a window; nil if there is none.
    private func reachText(of metric: Metric) -> String? {
        guard metric.reach || metric.countsFirsts else { return nil }
        if metric.countsFirsts {
            let periods = metric.firstPeriods.map { "in \($0 == .hour ? "an" : "a") \($0.rawValue)" }
            return """
                Counts devices, too: yours remembers what it has sent already, and says which is its first \
                \(periods.joined(separator: " or ")). Nobody can check what a device says.
                """
        }
        let rotation = purpose(metric.purpose)?.rotation ?? .standard
        let isLonger = ([metric.period] + metric.rollups).contains { $0.shortestSeconds > rotation.seconds }
        let busiest = isLonger ? ": of a longer time those of its busiest \(rotation.spoken)" : ""
        return provedText(of: metric) ?? "Counts devices, too\(busiest)."
    }

    /// A step by which a metric's numbers get coarser, or go.
    private func fact(of step: DecayStep) -> PrivacyLabel.Fact {
        func title(_ name: DimensionName) -> String {
            dimension(name)?.title ?? derivedDimension(name)?.title ?? name.text
        }
        let (topic, change) =
            switch step.action {
            case .drop(let name): ("Deleted", "the split by \(title(name)) is deleted.")
            case .coarsen(let name, to: let coarse):
                ("Coarser", "the split by \(title(name)) is deleted, and only that by \(title(coarse)) is left.")
            case .keep(let kind):
                (
                    "Coarser",
                    "the numbers of shorter periods are deleted, and only those of whole \(kind.rawValue)s are left."
                )
            case .keepTotals: ("Coarser", "every split is deleted, and only totals are left.")
            case .delete: ("Deleted", "its numbers are deleted.")
            }
        return PrivacyLabel.Fact(topic, "After \(step.after.planText) \(change)")
    }

    /// The text about what a metric counts: events, or what one did within its window.
    private func countText(of metric: Metric, _ unit: LabelUnit) -> String {
        let events = metric.events.map(\.text).joined(separator: ", ")
        let window = Duration.seconds((purpose(metric.purpose)?.rotation ?? .standard).seconds).planText
        let counted: String
        switch metric.within?.kind {
        case nil:
            let most = PlanNumber.text(metric.contributionBound)
            let bound = unit == .device ? "from one device a day" : unit == .visit ? "from one visit" : "at once"
            return "by \(metric.period.rawValue): \(events); at most \(most) \(bound)."
        case .frequency: counted = "by how often each did one of these within \(window): \(events)"
        case .funnel(let steps):
            counted =
                "by how far each came within \(window): \(steps.map { text(of: $0) }.joined(separator: ", then "))"
        }
        return """
            by \(metric.period.rawValue): \(unit.many), \(counted); each once. For that the counting program keeps how far a code has \
            come, in memory and encrypted on its disk, until the code\u{2019}s time is over. Then only the number is left.
            """
    }

    private func text(of step: FunnelStep) -> String {
        let places = step.filters.map { "\(dimension($0.dimension)?.title ?? $0.dimension.text): \($0.bucket)" }
        return "\(step.title) (\(([step.event.text] + places).joined(separator: ", ")))"
    }

    private func text(of answer: DeviceAnswer) -> String {
        let when =
            switch answer {
            case .retention(_, let weeks): "once a week: in which week, 0 to \(weeks) after its first, it"
            case .frequency: "after the week: how often it"
            }
        let events = answer.events.map(\.text).joined(separator: ", ")
        return "Your device works this out by itself and says it \(when) did one of: \(events). No code lasts for it."
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
