/// The writer of a plan's label in one language.
struct LabelWriter {
    let plan: Plan
    let language: Language
    /// The date that tells metrics that count from those that have expired.
    let today: CalendarDate

    var label: PrivacyLabel {
        let app = plan.app
        let promises = [smallest, language.say(.labelOff)] + childrenPromises + [language.say(.labelOnly)]
        return PrivacyLabel(
            language: language, app: app.name, appTitle: app.title, appLanguage: plan.spoken("app.title"),
            title: language.say(.labelTitle, ["app": app.title]), lede: language.say(.labelLede, ["app": app.title]),
            promises: promises, rights: rights, steps: steps, contact: app.contact, threshold: app.threshold.devices,
            purposes: plan.purposes.map(purpose), dimensions: dimensions(of: plan.metrics),
            recipients: recipients(of: plan.metrics), events: Set(plan.metrics.flatMap(\.events)).sorted().map(\.text),
            fields: plan.labelledFields, words: words, plan: String(plan.version.hex.prefix(12)), timeZone: app.timeZone
        )
    }

    private var words: [String: String] {
        let filled: KeyValuePairs<String, any MessageArgument> = [
            "contact": plan.app.contact, "error": "{error}", "accepted": "{accepted}", "refused": "{refused}",
            "sent": "{sent}",
        ]
        let panel = Message.allCases.filter { $0.rawValue.hasPrefix("panel") }
        var words = Dictionary(uniqueKeysWithValues: panel.map { ($0.rawValue, language.say($0, filled)) })
        for (name, message) in [("coarsely", Message.labelCoarsely), ("recipients", .labelRecipients)] {
            words[name] = language.say(message)
        }
        words["questions"] = language.say(.questions, ["contact": plan.app.contact])
        words["dir"] = language.isRightToLeft ? "rtl" : "ltr"
        return words
    }

    /// Returns a fact under a topic, which a sentence by itself begins with where `text` is none.
    func fact(_ topic: PrivacyLabel.Topic, _ text: String, isSentence: Bool = false) -> PrivacyLabel.Fact {
        PrivacyLabel.Fact(
            topic: language.say(.labelTopic, ["topic": topic.rawValue]), text: text,
            sentence: language.say(.labelFact, ["topic": isSentence ? "sentence" : topic.rawValue, "text": text]))
    }

    /// The texts as one, parted by commas.
    func listed(_ texts: [String]) -> String { texts.joined(separator: language.say(.comma)) }

    func written(_ threshold: Threshold) -> String { language.written("\(threshold.devices)") }

    private func written(_ number: Double) -> String { language.written(PlanNumber.text(number)) }

    private func purpose(_ purpose: Purpose) -> PrivacyLabel.Purpose {
        let counted = plan.metrics.filter { $0.purpose == purpose.name }
        return PrivacyLabel.Purpose(
            name: purpose.name, explanation: purpose.explanation,
            language: plan.spoken("purposes.\(purpose.name).explanation"), hasIdentifiers: purpose.hasIdentifiers,
            sentByServers: purpose.senders == .backends, rotationSeconds: purpose.rotation.seconds,
            retentionSeconds: purpose.retention.components.seconds, facts: facts(of: purpose),
            metrics: counted.map { metric in
                .init(
                    title: metric.title, question: metric.question,
                    titleLanguage: plan.spoken("metrics.\(metric.name).title"),
                    questionLanguage: plan.spoken("metrics.\(metric.name).question"), facts: facts(of: metric))
            },
            dimensions: dimensions(of: counted), recipients: recipients(of: counted))
    }

    /// The rights of people, and how they are used where nothing is stored under anybody's name.
    @ListBuilder<String> private var rights: [String] {
        let isSignalled = plan.purposes.contains { !$0.refusedBy.subtracting([.ageSignal]).isEmpty }
        language.say(.labelRights)
        language.say(.labelRightsAsk, ["contact": plan.app.contact])
        if plan.purposes.contains(where: \.needsConsent) { language.say(.labelRightsNo) }
        if isSignalled { language.say(.labelRightsSignal) }
        language.say(.labelRightsComplain)
    }

    /// The steps by which something that is done becomes a number, as the page draws them.
    private var steps: [String] {
        let served = plan.purposes.count { $0.senders == .backends }
        let hasValues = plan.metrics.contains { !plan.recorded($0).isEmpty || !$0.sums.isEmpty }
        return [
            language.say(
                .labelStepSays, ["case": served == 0 ? "devices" : served == plan.purposes.count ? "servers" : "both"]),
            language.say(.labelStepCoarse, ["hasValues": hasValues]), language.say(.labelStepCounts),
            language.say(
                .labelStepShown,
                [
                    "threshold": written(plan.app.threshold),
                    "units": LabelUnit.word(for: Set(plan.purposes.map(\.unit))),
                ]),
        ]
    }

    /// The fewest devices, visits or actions behind a number.
    private var smallest: String {
        let units = Set(plan.purposes.map(\.unit))
        let told = units.subtracting([.action])
        return language.say(
            .labelSmallest,
            [
                "case": told.isEmpty ? "actions" : units.contains(.action) ? "both" : "told",
                "threshold": written(plan.app.threshold), "units": LabelUnit.word(for: told),
            ])
    }

    @ListBuilder<PrivacyLabel.Fact> func facts(of metric: Metric) -> [PrivacyLabel.Fact] {
        let unit = plan.purpose(metric.purpose)?.unit ?? .action
        let titles =
            metric.dimensions.compactMap { plan.dimension($0)?.title } + plan.derivedDimensions(of: metric).map(\.title)
        fact(.counts, counts(of: metric, unit))
        rollups(of: metric).map { fact(.counts, $0, isSentence: true) }
        reach(of: metric).map { fact(.counts, $0, isSentence: true) }
        metric.answered.map { fact(.answered, text(of: $0)) }
        if !titles.isEmpty { fact(.splitBy, language.say(.labelSplit, ["titles": listed(titles)])) }
        if !metric.impossible.isEmpty {
            let shown = metric.impossible.prefix(6).map { combination in
                let buckets = combination.parts.map { plan.words(for: $0.bucket, of: $0.dimension, in: language) }
                return buckets.dropFirst().reduce(buckets.first ?? "") {
                    language.say(.labelWith, ["before": $0, "bucket": $1])
                }
            }
            let more = metric.impossible.count - shown.count
            fact(
                .refused, language.say(.labelImpossible, ["shown": listed(shown), "hasMore": more > 0, "count": more]))
        }
        metric.sums.map { fact(.addsUp, text(of: $0, in: metric)) }
        if let histogram = metric.histogram {
            let words: KeyValuePairs<String, any MessageArgument> = [
                "field": histogram.field.text, "edges": listed(histogram.edges.map(written)),
                "hasUnit": !histogram.unit.isEmpty, "unit": histogram.unit,
            ]
            fact(.spreads, language.say(.labelSpread, words))
        }
        terms(of: metric, unit)
    }

    /// Returns the facts of how exact a metric's numbers are, and how long they live.
    @ListBuilder<PrivacyLabel.Fact>
    private func terms(of metric: Metric, _ unit: LabelUnit) -> [PrivacyLabel.Fact] {
        if metric.sampling < 1 {
            fact(.sampling, language.say(.labelSampled, ["share": written(metric.sampling * 100)]))
        }
        fact(.margin, margin(of: metric))
        if metric.threshold > plan.app.threshold {
            let words: KeyValuePairs<String, any MessageArgument> = [
                "threshold": written(metric.threshold), "units": unit.rawValue,
            ]
            fact(.published, language.say(.labelThreshold, words))
        }
        let end: KeyValuePairs<String, any MessageArgument> = [
            "isOver": metric.expires <= today, "date": language.date("yMMMMd", metric.expires),
        ]
        metric.decay.map { fact(of: $0) }
        fact(.until, language.say(.labelUntil, end))
    }

    private func rollups(of metric: Metric) -> String? {
        guard let first = metric.rollups.first else { return nil }
        let periods = metric.rollups.dropFirst().reduce(language.say(.labelBy, ["kind": first.rawValue])) {
            language.say(.labelAndBy, ["before": $0, "kind": $1.rawValue])
        }
        return language.say(.labelRollups, ["periods": periods])
    }

    /// The text about what a number of devices is: proved, said by devices, or told apart for a window; nil if there is none.
    private func reach(of metric: Metric) -> String? {
        guard metric.reach || metric.countsFirsts else { return nil }
        func periods(_ kinds: [PeriodKind]) -> String {
            language.list(kinds.map { language.say(.labelInPeriod, ["kind": $0.rawValue]) }, isChoice: true)
        }
        if metric.countsFirsts { return language.say(.labelFirsts, ["periods": periods(metric.firstPeriods)]) }
        if metric.provesFirsts { return language.say(.labelProved, ["periods": periods(metric.provedPeriods)]) }
        let rotation = plan.purpose(metric.purpose)?.rotation ?? .standard
        let isLonger = ([metric.period] + metric.rollups).contains { $0.shortestSeconds > rotation.seconds }
        let (unit, count) = language.unit(seconds: rotation.seconds)
        return language.say(.labelReach, ["isLonger": isLonger, "unit": unit.rawValue, "count": count])
    }

    /// The margin of a metric's numbers in words.
    private func margin(of metric: Metric) -> String {
        let unit = plan.purpose(metric.purpose)?.unit ?? .action
        let (devices, bounds) = plan.roughMargin(of: metric)
        return language.say(
            .labelMargin,
            [
                "case": metric.within != nil ? "within" : metric.reach && unit != .action ? "reach" : "other",
                "devices": language.written("\(devices)"), "bounds": language.written("\(bounds)"),
                "units": unit.rawValue, "threshold": written(metric.threshold),
            ])
    }

    /// The text about what a sum adds up.
    func text(of sum: SumMeasure, in metric: Metric) -> String {
        let words: KeyValuePairs<String, any MessageArgument> = [
            "field": metric.sumTitles[sum.name] ?? sum.field.text, "low": written(sum.lowest),
            "high": written(sum.highest), "hasUnit": !sum.unit.isEmpty, "unit": sum.unit,
        ]
        return language.say(.labelSum, words)
    }

    /// A step by which a metric's numbers get coarser, or go.
    func fact(of step: DecayStep) -> PrivacyLabel.Fact {
        func title(_ name: DimensionName) -> String {
            plan.dimension(name)?.title ?? plan.derivedDimension(name)?.title ?? name.text
        }
        var (topic, word, dropped, coarser, kept) = (PrivacyLabel.Topic.coarser, "totals", "", "", "")
        switch step.action {
        case .drop(let name): (topic, word, dropped) = (.deleted, "drop", title(name))
        case .coarsen(let name, to: let other): (word, dropped, coarser) = ("coarsen", title(name), title(other))
        case .keep(let kind): (word, kept) = ("keep", kind.rawValue)
        case .keepTotals: break
        case .delete: (topic, word) = (.deleted, "delete")
        }
        return fact(
            topic,
            language.say(
                .labelDecay,
                [
                    "time": language.duration(seconds: step.after.components.seconds), "case": word, "title": dropped,
                    "coarser": coarser, "kind": kept,
                ]))
    }

    /// The text about what a metric counts: events, or what one did within its window.
    private func counts(of metric: Metric, _ unit: LabelUnit) -> String {
        let window = language.duration(seconds: (plan.purpose(metric.purpose)?.rotation ?? .standard).seconds)
        var events = listed(metric.events.map(\.text))
        var isFunnel = false
        if let within = metric.within, case .funnel(let steps) = within.kind {
            let texts = steps.map { text(of: $0, in: within) }
            isFunnel = true
            events = texts.dropFirst().reduce(texts.first ?? "") {
                language.say(.labelThen, ["before": $0, "step": $1])
            }
        }
        return language.say(
            metric.within == nil ? .labelCounts : .labelWithin,
            [
                "kind": metric.period.rawValue, "events": events,
                "most": language.written("\(metric.mostContributions)"),
                "units": unit.rawValue, "case": isFunnel ? "steps" : "times", "time": window,
            ])
    }

    private func text(of step: FunnelStep, in within: WindowMeasure) -> String {
        let places = step.filters.map { filter in
            let title = plan.dimension(filter.dimension)?.title ?? filter.dimension.text
            let bucket = plan.words(for: filter.bucket, of: filter.dimension, in: language)
            return language.say(.scope, ["dimension": title, "bucket": bucket])
        }
        return "\(within.titles[step.title] ?? step.title.text) (\(listed([step.event.text] + places)))"
    }

    private func text(of answer: DeviceAnswer) -> String {
        var weeks: Int?
        if case .retention(_, let most) = answer { weeks = most }
        return language.say(
            .labelAnswered,
            [
                "case": weeks == nil ? "frequency" : "retention", "weeks": language.written("\(weeks ?? 0)"),
                "events": listed(answer.events.map(\.text)),
            ])
    }
}
