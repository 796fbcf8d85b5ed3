internal import ThrongNoise

extension Plan {
    /// The public privacy label: what is counted, how coarsely, why, for how long, who receives it, and whom to ask.
    ///
    /// Plain text that also reads as Markdown; no line is longer than 100 columns unless one word is.
    public func privacyLabel(today: CalendarDate = .today) -> String {
        var label = LabelText()
        label.heading(1, "What \(app.title) counts")
        label.paragraph(
            """
            \(app.title) counts what its visitors do as a crowd, and keeps counters only: no names, no addresses, no \
            identifiers, no record of what one person did.
            """
        )
        label.item(
            "Every published number stands for at least \(app.threshold.devices) devices; smaller ones are withheld.")
        if metrics.contains(where: { $0.noise != nil }) {
            label.item(
                """
                Some metrics promise something else: all of their numbers are published, none without random noise. \
                They say so below.
                """)
        }
        label.item("Only what this page lists is counted, and only as coarsely as it says.")
        label.item("Questions: \(app.contact)")
        for purpose in purposes { add(purpose, to: &label, today: today) }
        addDimensions(to: &label)
        addRecipients(to: &label)
        label.gap()
        label.paragraph("Plan \(version.hex.prefix(12)), days in \(app.timeZone).")
        return label.text.replacing(/\n+$/, with: "\n")
    }

    private func add(_ purpose: Purpose, to label: inout LabelText, today: CalendarDate) {
        label.heading(2, "Purpose: \(purpose.name)")
        label.paragraph(purpose.explanation)
        label.item(purpose.needsConsent ? "You are asked first." : "You are not asked first.")
        if !purpose.refusedBy.isEmpty {
            let signals = OptOutSignal.allCases.filter(purpose.refusedBy.contains).map(\.title)
            label.item("Nothing is counted where your software sends \(signals.joined(separator: " or ")).")
        }
        label.item(
            """
            Your device shows a random identifier, another one every \
            \(Duration.seconds(purpose.rotation.seconds).spokenText) and for every purpose. It is scrambled on \
            arrival with a key that is destroyed soon after.
            """
        )
        label.item("Numbers are kept for \(purpose.retention.planText).")
        for metric in metrics where metric.purpose == purpose.name { add(metric, to: &label, today: today) }
    }

    private func add(_ metric: Metric, to label: inout LabelText, today: CalendarDate) {
        label.heading(3, metric.title)
        label.paragraph(metric.question)
        label.item(
            """
            Counts, by \(metric.period.rawValue): \(metric.events.map(\.text).joined(separator: ", ")); at most \
            \(PlanNumber.text(metric.contributionBound)) from one identifier.
            """
        )
        if !metric.rollups.isEmpty {
            label.item("Added up by \(metric.rollups.map(\.rawValue).joined(separator: " and by ")), too.")
        }
        if metric.reach { label.item("Counts devices, too.") }
        let titles =
            metric.dimensions.compactMap { dimension($0)?.title } + derivedDimensions(of: metric).map(\.title)
        if !titles.isEmpty { label.item("Split by: \(titles.joined(separator: ", ")).") }
        let sensitive = metric.sensitive.map { dimension($0)?.title ?? $0.text }
        if !sensitive.isEmpty {
            label.item("Nobody learns that everyone in a group has the same: \(sensitive.joined(separator: ", ")).")
        }
        if !metric.impossible.isEmpty {
            let shown = metric.impossible.prefix(6).map { $0.parts.map(\.bucket.text).joined(separator: " with ") }
            let rest = metric.impossible.count > 6 ? " and \(metric.impossible.count - 6) more" : ""
            label.item("Refused, because it cannot be: \(shown.joined(separator: ", "))\(rest).")
        }
        for sum in metric.sums {
            label.item(
                """
                Adds up \(sum.field), each held between \(PlanNumber.text(sum.lowest)) and \
                \(PlanNumber.text(sum.highest))\(sum.unit.isEmpty ? "" : " \(sum.unit)").
                """
            )
        }
        if let histogram = metric.histogram {
            let edges = histogram.edges.map { PlanNumber.text($0) }.joined(separator: ", ")
            let unit = histogram.unit.isEmpty ? "" : " \(histogram.unit)"
            label.item("Spreads \(histogram.field) over bands at \(edges)\(unit).")
        }
        if metric.sampling < 1 {
            label.item("Only \(PlanNumber.text(metric.sampling * 100)) % of the events are sent at all.")
        }
        if let noise = metric.noise { add(noise, of: metric, to: &label) }
        let threshold = releaseThreshold(of: metric)
        if threshold > app.threshold {
            label.item("Its numbers stand for at least \(threshold.devices) devices.")
        }
        for step in metric.decay {
            switch step.action {
            case .drop(let name):
                let title = dimension(name)?.title ?? derivedDimension(name)?.title ?? name.text
                label.item("After \(step.after.planText) the split by \(title) is deleted.")
            case .delete:
                label.item("After \(step.after.planText) its numbers are deleted.")
            }
        }
        label.item(
            metric.expires > today
                ? "Counting ends on \(metric.expires) unless it is renewed." : "Counting ended on \(metric.expires).")
    }

    private func add(_ noise: NoiseMechanism, of metric: Metric, to label: inout LabelText) {
        let rotation = purpose(metric.purpose)?.rotation ?? .standard
        let windows = metric.period.longestSeconds / rotation.seconds + 1
        do {
            label.item(
                """
                Every number of it is published with random noise; at most \
                \(PlanNumber.text(metric.cellsBound)) of its cells are touched by one identifier. \
                \(try noise.statement(forDeviceActiveIn: windows))
                """)
        } catch {
            label.item("Every number of it is published with random noise of \(noise.cost).")
        }
        if let budget = purpose(metric.purpose)?.budget {
            let span = budget.per == .purpose ? "for ever" : "in each \(budget.per.rawValue)"
            label.item("All noisy numbers of this purpose together cost at most \(budget.total) \(span).")
        }
    }

    private func addDimensions(to label: inout LabelText) {
        let used = Set(metrics.flatMap(\.dimensions))
        let shown = dimensions.filter { used.contains($0.name) }
        guard !shown.isEmpty else { return }
        label.heading(2, "How coarsely")
        label.paragraph("Each of these is reduced to one of the listed words before anything is stored.")
        for dimension in shown {
            let source =
                switch dimension.field {
                case .time: "the time of the event"
                case .event: "the kind of the event"
                default: dimension.field.text
                }
            label.item("\(dimension.title), from \(source): \(Self.summary(of: dimension.rule))")
        }
        let coarser = Set(metrics.flatMap { derivedDimensions(of: $0) })
        for derived in derivedDimensions where coarser.contains(derived) {
            let source = dimension(derived.base)?.title ?? derived.base.text
            let buckets = derived.groups.map { "\($0.label) (\($0.values.joined(separator: ", ")))" }
            label.item("\(derived.title), made of \(source): \((buckets + ["other"]).joined(separator: ", "))")
        }
    }

    /// The buckets, or the first and last of them where they are many.
    private static func summary(of rule: BucketingRule) -> String {
        do {
            let labels = try rule.labels().map(\.text)
            guard labels.count > 16 else { return labels.joined(separator: ", ") }
            return labels.prefix(6).joined(separator: ", ") + ", … " + labels.suffix(2).joined(separator: ", ")
                + " (\(labels.count) in all)"
        } catch {
            return "can't be listed on this machine: \(error)"
        }
    }

    private func addRecipients(to label: inout LabelText) {
        label.heading(2, "Who receives numbers")
        label.item("\(app.title) itself, from published numbers only.")
        for partner in partners {
            let insights = insights(for: partner.name)
            guard !insights.isEmpty else { continue }
            label.item("\(partner.title) (\(partner.contact)):")
            for insight in insights { label.item(insight.title, depth: 1) }
        }
    }
}

extension PeriodKind {
    /// Unit: seconds; with an hour for the clock's change.
    fileprivate var longestSeconds: Int64 {
        switch self {
        case .hour: 3600
        case .day: 25 * 3600
        case .week: 169 * 3600
        case .month: 745 * 3600
        }
    }
}

extension OptOutSignal {
    /// As people call it.
    fileprivate var title: String {
        switch self {
        case .globalPrivacyControl: "Global Privacy Control"
        case .doNotTrack: "Do Not Track"
        case .limitAdTracking: "Limit Ad Tracking"
        }
    }
}

extension Duration {
    /// "day" rather than "1 day", as in "every day".
    fileprivate var spokenText: String {
        planText.hasPrefix("1 ") ? String(planText.dropFirst(2)) : planText
    }
}
