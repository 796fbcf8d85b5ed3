package import ThrongPlan
package import ThrongRelease

/// The content of one partner's report about one period: a pure value, the same for every format.
package struct ReportDocument: Sendable, Hashable {
    package let name: ReportName
    package let title: String
    package let explanation: String?
    /// The languages of texts where the plan names one, by place in the plan: `reports.daily.title`.
    package let languages: [String: LanguageTag]
    package let partner: Partner
    let publicity: Publicity?
    package let app: App
    let names: PeriodNames
    package let locale: Language
    package let period: Period
    /// The period as file names and tables have it: `2026-11-21`, `2026-W47`.
    package let periodLabel: String
    /// The period in words: "Saturday, 21 November 2026".
    package let periodTitle: String
    package let plan: PlanVersion
    /// The releases that it was made from, by metric, those of earlier periods after the report's own.
    package let sources: [Source]
    /// The time at which copies are to be deleted, because the first number in them may be kept no longer; nil where
    /// nobody said.
    package let deleteBy: UnixSeconds?
    /// Metrics of which it has a part of the period only, by name.
    package let partial: [Partial]
    package let answers: [InsightAnswer]
    /// The reason why its alert goes out; nil where it has none, or its number is as it should be.
    package let alert: AlertFinding?

    /// A metric that was not counted in one way all period long.
    package struct Partial: Sendable, Hashable {
        package let metric: MetricName
        package let title: String
        package let part: PartOfPeriod
    }

    /// A release that a report was made from.
    package struct Source: Sendable, Hashable {
        package let metric: MetricName
        package let title: String
        /// The period that the release covers: `2026-11-21`.
        package let period: String
        package let digest: ReleaseDigest
        /// The layout, which says what its cells mean, bucketings included.
        package let layout: LayoutID
        /// The least number of devices behind each of its numbers.
        package let threshold: Threshold
        /// The bound that it chose; nil where the plan fixed it. Unit: events of an identifier in its window.
        package let chosenBound: Int?
        /// ρ: what one device adds to it costs at most, or one event without identifiers.
        package let cost: String
    }

    /// Makes a report's document from the releases of its period; releases of other periods or apps are not read, but
    /// for those that an insight compares with.
    ///
    /// Where a metric was laid out anew within the period, the release of the given plan is read.
    ///
    /// - Parameters:
    ///   - releases: those of the report's period, and of earlier ones what had been released when these were.
    ///   - began: by metric, when its first released period begins; the first of `releases` unless given.
    ///   - parts: by release, of what time its numbers are where that is not the whole period.
    ///   - deleteBy: when the first number in it may be kept no longer.
    ///   - unnamed: by metric, the periods whose numbers plans promised to others only.
    ///   - locale: the language of its sentences; the report's own unless given.
    package init(
        plan: Plan, report: Report, period: Period, releases: [Release], began: [MetricName: UnixSeconds] = [:],
        parts: [ReleaseDigest: PartOfPeriod] = [:], deleteBy: UnixSeconds? = nil,
        unnamed: [MetricName: Set<Period>] = [:], locale: Language? = nil
    ) {
        let locale = locale ?? Language(plan.language(of: report)) ?? .english
        let plan = plan.translated(into: plan.language(of: report))
        let report = plan.report(report.name) ?? report
        languages = plan.translations.spoken
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let ours = releases.filter { $0.header.layout.app == plan.app.name }
        func history(_ metric: MetricName) -> ReleaseHistory? {
            let all = ours.filter { $0.header.layout.metric == metric && $0.header.period.kind == period.kind }
            let candidates = all.filter { $0.header.period == period }
            guard let current = candidates.first(where: { $0.header.plan == plan.version }) ?? candidates.first else {
                return nil
            }
            return ReleaseHistory(
                current: current, earlier: all.filter { $0.header.period < period }, began: began[metric],
                unnamed: unnamed[metric] ?? [], partial: Set(parts.filter(\.value.isShorter).keys))
        }
        let insights = report.insights.compactMap { plan.insight($0) }
        let histories = Dictionary(uniqueKeysWithValues: Set(insights.map(\.metric)).map { ($0, history($0)) })
        (name, title, explanation) = (report.name, report.title, report.explanation)
        partner = plan.partner(report.partner) ?? Partner(name: report.partner, title: report.partner.text, contact: "")
        (app, publicity) = (plan.app, report.publicity)
        names = PeriodNames(calendar: calendar, locale: locale)
        (self.locale, self.period, self.deleteBy) = (locale, period, deleteBy)
        (periodLabel, periodTitle) = (calendar.label(of: period), calendar.title(of: period, in: locale))
        self.plan = plan.version
        sources = report.sources(of: insights, in: histories, plan, calendar, period)
        partial = histories.keys.sorted().compactMap { metric in
            guard let history = histories[metric] ?? nil, let part = parts[history.current.digest] else { return nil }
            return Partial(metric: metric, title: plan.metric(metric)?.title ?? metric.text, part: part)
        }
        var answers = insights.map {
            InsightAnswer(
                to: $0, plan: plan, period: period, history: histories[$0.metric] ?? nil, locale: locale,
                isNamed: !(unnamed[$0.metric]?.contains(period) ?? false))
        }
        let comparisons = answers.reduce(0) { $0 + $1.comparisons }
        let current = histories.compactMapValues { $0?.current }
        let (excesses, choices) = (plan.excesses(of: answers, in: current), plan.choices(of: answers, in: current))
        for (place, likenesses) in plan.likenesses(of: answers).enumerated() {
            answers[place].comparisons = comparisons
            answers[place].likenesses = likenesses + excesses[place] + choices[place]
            answers[place].notes = plan.notes(on: answers[place], from: histories[answers[place].insight.metric] ?? nil)
        }
        self.answers = answers
        alert = report.finding(in: answers, histories, plan)
    }

    func periodLabel(of period: Period) -> String { names.label(period) }

    /// The sentences above all answers: the alert, and each metric that was not counted in one way all period long.
    package var partNotes: [String] {
        [alert?.sentence].compactMap { $0 }
            + partial.map { $0.part.sentence(about: $0.title, period, names.calendar, in: locale) }
    }
}

extension Report {
    /// Returns what a document is made from, by metric: of each its own period's release first, then the earlier ones.
    fileprivate func sources(
        of insights: [Insight], in histories: [MetricName: ReleaseHistory?], _ plan: Plan, _ calendar: PeriodCalendar,
        _ period: Period
    ) -> [ReportDocument.Source] {
        histories.keys.sorted().flatMap { metric -> [ReportDocument.Source] in
            guard case .some(let history?) = histories[metric] else { return [] }
            let asked = Set(
                insights.filter { $0.metric == metric }.flatMap { earlierPeriods(of: period, for: $0, in: calendar) })
            let used = history.earlier.filter { asked.contains($0.header.period) }
            return ([history.current] + used.sorted { $0.header.period > $1.header.period }).map {
                ReportDocument.Source(
                    metric: metric, title: plan.metric(metric)?.title ?? metric.text,
                    period: calendar.label(of: $0.header.period), digest: $0.digest,
                    layout: $0.header.layout.bounded(by: Metric.firstBound).id, threshold: $0.header.threshold,
                    chosenBound: $0.header.chosenBound, cost: $0.header.margins?.cost ?? "")
            }
        }
    }

    /// Returns the reason why its alert goes out; nil where it has none, or the number is as it should be.
    fileprivate func finding(
        in answers: [InsightAnswer], _ histories: [MetricName: ReleaseHistory?], _ plan: Plan
    ) -> AlertFinding? {
        guard let alert, let answer = answers.first(where: { $0.insight.name == alert.insight }),
            let history = histories[answer.insight.metric] ?? nil,
            let source = AnswerSource(of: answer.insight, plan: plan, history: history)
        else { return nil }
        let period = history.current.header.period
        let before = alert.periods(before: period, in: answer.names.calendar)
        return AlertFinding(
            alert, answer: answer, kind: period.kind, usual: before.compactMap { source.point($0).figures.first })
    }
}

/// The part of a period in which a metric's layout was counted, where that is not all of it: a change of the plan began
/// to count the metric anew, or counting began.
package struct PartOfPeriod: Sendable, Hashable {
    /// The time at which this way of counting began; nil where that was before the period.
    package let from: UnixSeconds?
    /// The time at which this way of counting ended; nil where that was after the period, or never.
    package let until: UnixSeconds?
    /// True if the metric was counted in another way in the rest of the period.
    package let isSplit: Bool

    /// Takes what lies within a period of the time in which a layout was counted; nil where that is all of the period.
    ///
    /// Events that were counted for a period before anybody counted were handed in later, and are taken for the whole.
    package init?(of period: Period, from: UnixSeconds?, until: UnixSeconds?, isSplit: Bool) {
        let start = from.flatMap { $0 > period.start && $0 < period.end ? $0 : nil }
        let end = until.flatMap { $0 > period.start && $0 < period.end ? $0 : nil }
        if start == nil, end == nil, !isSplit { return nil }
        (self.from, self.until, self.isSplit) = (start, end, isSplit)
    }

    /// True if something is known to be missing.
    package var isShorter: Bool { from != nil || until != nil }

    /// Returns the hours of a day, or the days of a longer period, that it touches, and all of them; nil if it touches all.
    package func units(of period: Period, in calendar: PeriodCalendar) -> (kind: PeriodKind, counted: Int, all: Int)? {
        func place(_ time: UnixSeconds) -> Int {
            Int(period.kind == .day ? (time - period.start) / 3600 : calendar.date(at: time).daysSince1970)
        }
        let all = place(period.end - 1) - place(period.start) + 1
        let counted = place((until ?? period.end) - 1) - place(from ?? period.start) + 1
        return period.kind > .hour && counted < all ? (period.kind == .day ? .hour : .day, counted, all) : nil
    }

    /// "“Views” was not counted all period long. Its numbers are from 12 November 2026, 12:00 on: 5 of 7 days."
    package func sentence(
        about title: String, _ period: Period, _ calendar: PeriodCalendar, in locale: Language
    ) -> String {
        let ends = [from, until].map { $0.map { calendar.instantTitle(of: $0, in: locale) } }
        let units = units(of: period, in: calendar)
        return locale.say(
            .partCounted,
            [
                "title": title, "isSplit": isSplit,
                "ends": from == nil ? until == nil ? "none" : "high" : until == nil ? "low" : "both",
                "from": ends[0] ?? "", "until": ends[1] ?? "", "units": units?.kind.rawValue ?? "none",
                "counted": units?.counted ?? 0, "all": units?.all ?? 0,
            ])
    }
}

extension Plan {
    /// Returns the notes on the periods of a trend: the plan's own, and where another version of it began to count.
    func notes(on answer: InsightAnswer, from history: ReleaseHistory?) -> [PeriodNote] {
        guard case .trend(let points)? = answer.answered?.view else { return [] }
        let (names, locale) = (answer.names, answer.locale)
        let own = annotations.compactMap { annotation -> PeriodNote? in
            let instant = names.calendar.midnight(of: annotation.date)
            guard let point = points.first(where: { $0.period.start <= instant && instant < $0.period.end }) else {
                return nil
            }
            let date = locale.date("yMMMMd", annotation.date)
            return PeriodNote(
                period: point.period, words: locale.say(.annotation, ["date": date, "title": annotation.text]))
        }
        let releases = history.map { $0.earlier + [$0.current] } ?? []
        let versions = points.compactMap { point in
            releases.last { $0.header.period == point.period }.map { (period: point.period, plan: $0.header.plan) }
        }
        let edits = zip(versions, versions.dropFirst()).filter { $0.plan != $1.plan }.map { _, now in
            PeriodNote(period: now.period, words: locale.say(.planEdited, ["period": names.short(now.period)]))
        }
        return (own + edits).sorted { $0.period < $1.period }
    }
}
