extension PlanReader {
    mutating func readPartner(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Partner.self) else { return }
        let title = words(.title, in: body, of: "partners.\(part.name)")
        let contact = text(body[.contact])
        let language = language(body[.language])
        if part.name == Partner.everybody.text {
            problems.add(part.place, "partner 'public' is everybody: delete it, and write 'public: true' in a report")
        }
        guard let title, let contact else { return }
        partners.append(Partner(name: PartnerName(part.name), title: title, contact: contact, language: language))
    }

    mutating func readAnnotation(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Annotation.self) else { return }
        let date = date(body[.date])
        let text = words(.text, in: body, of: "annotations.\(part.name)")
        if let date, let text { annotations.append(Annotation(name: part.name, date: date, text: text)) }
    }

    mutating func readReport(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Report.self) else { return }
        let title = words(.title, in: body, of: "reports.\(part.name)")
        let explanation = words(.explanation, in: body, of: "reports.\(part.name)", longest: 600)
        let publicity: Publicity? = choice(body[.public])
        let named: PartnerName? = reference(body[.partner], to: .partner)
        let partner = body[.public] == nil ? named : Partner.everybody
        switch (body[.partner], body[.public]) {
        case (nil, nil): problems.add(body, "'partner' is missing; add it, or 'public: true' for everybody")
        case (_?, let isPublic?):
            problems.add(isPublic, "everybody is the partner, too; keep one of 'partner' and 'public'")
        default: break
        }
        let names: [InsightName]? = references(body[.insights], to: "insight", among: declared[.insight] ?? [])
        let period: PeriodKind? = choice(body[.period])
        if let names, let period { checkPeriods(of: names, period, in: body) }
        let schedule = schedule(body[.schedule])
        let standard = ReportFormat.standard + (body[.public] == nil ? [] : [.svg])
        let formats: [ReportFormat] = body[.formats] == nil ? standard : choices(body[.formats]) ?? []
        let language = language(body[.language])
        let split: SplitPeriod? = choice(body[.split])
        let deliveries = self.deliveries(body[.deliver]) ?? []
        if schedule != nil, body[.deliver] == nil, body[.public] == nil {
            problems.add(
                body[.schedule]?.place,
                "\(body.subject) has a schedule and no 'deliver', so it would go nowhere; say where it goes")
        }
        let alert = names.flatMap { self.alert(body[.alert], of: $0) }
        guard let title, let partner, let names, let period else { return }
        reports.append(
            Report(
                name: ReportName(part.name), title: title, explanation: explanation, partner: partner, insights: names,
                period: period, schedule: schedule, formats: formats, deliveries: deliveries, split: split ?? .say,
                language: language, alert: alert, publicity: publicity))
    }

    /// Reads the condition of a report with these insights.
    private mutating func alert(_ value: PlanValue?, of names: [InsightName]) -> Alert? {
        guard let body = body(value, PlanKeys.Alert.self) else { return nil }
        let name: InsightName? = reference(body[.insight], to: .insight)
        let (below, above) = (number(body[.below]), number(body[.above]))
        let isUnusual = flag(body[.unusual]) ?? false
        if below == nil, above == nil, !isUnusual {
            problems.add(body, "one of 'below: NUMBER', 'above: NUMBER' and 'unusual: true' is needed")
        }
        if let below, let above, below >= above {
            problems.add(body[.above], "an alert 'below' \(PlanNumber.text(below)) needs an 'above' that is larger")
        }
        guard let name else { return nil }
        if !names.contains(name) {
            problems.add(body[.insight], "insight '\(name)' is not among the report's 'insights'; add it there")
        }
        if let insight = insights.first(where: { $0.name == name }), !insight.isOneNumber {
            problems.add(
                body[.insight],
                """
                insight '\(name)' has no single number; use a count, reach, mean, or share with a 'part', without 'by'
                """)
        }
        return Alert(insight: name, below: below, above: above, isUnusual: isUnusual)
    }

    private mutating func checkPeriods(
        of names: [InsightName], _ period: PeriodKind, in body: PlanBody<PlanKeys.Report>
    ) {
        let place = body[.period]?.place
        for insight in names.compactMap({ name in insights.first { $0.name == name } }) {
            let covers = "\(body.subject) covers a \(period.rawValue), but insight '\(insight.name)'"
            if period > .day, insight.asksForLastWeek {
                problems.add(
                    place, "\(covers) compares with 'week_before', which hours and days have; use 'period_before'")
            }
            guard let metric = metrics.first(where: { $0.name == insight.metric }), metric.period != period,
                !metric.rollups.contains(period)
            else { continue }
            let fix = metric.period.rollups.contains(period) ? ", or 'rollups: [\(period.rawValue)]' in the metric" : ""
            problems.add(
                place,
                "\(covers) reads metric '\(metric.name)', which counts by \(metric.period.rawValue); "
                    + "use one period\(fix)")
        }
    }

    private mutating func schedule(_ value: PlanValue?) -> CronSchedule? {
        guard let written = text(value) else { return nil }
        do { return try CronSchedule(written) } catch { return problems.refuse(value, "\(error)") }
    }

    mutating func deliveries(_ value: PlanValue?) -> [Delivery]? {
        guard let values = list(value) else { return nil }
        var deliveries: [Delivery] = []
        for value in values {
            guard let body = body(value, PlanKeys.Delivery.self), let delivery = delivery(body, after: deliveries)
            else { continue }
            // A run delivers once to each address, whatever its authorization is.
            if deliveries.contains(where: { Self.areSame($0, delivery) }) {
                problems.add(value, "\(Self.words(delivery)) is listed twice; keep one")
                continue
            }
            deliveries.append(delivery)
        }
        return deliveries
    }

    private static func areSame(_ one: Delivery, _ other: Delivery) -> Bool {
        if case (.mail(let address, _), .mail(let second, _)) = (one, other) { return address == second }
        return one.target == other.target
    }

    private static func words(_ delivery: Delivery) -> String {
        switch delivery {
        case .folder(let path): YAMLNode.quoted(path)
        case .http(let http): YAMLNode.quoted(http.url)
        case .mail(let address, place: _): YAMLNode.quoted(address.text)
        }
    }

    private mutating func delivery(_ body: PlanBody<PlanKeys.Delivery>, after others: [Delivery]) -> Delivery? {
        let given = [PlanKeys.Delivery.folder, .put, .post, .mail].filter { body[$0] != nil }
        guard given.count == 1, let way = given.first else {
            return problems.refuse(body, "one of 'folder', 'put', 'post' and 'mail' is needed; found \(given.count)")
        }
        guard let target = text(body[way], longest: 1000) else { return nil }
        if way == .folder || way == .mail { problems.add(body[.authorization], "only 'put' and 'post' have one") }
        if way == .mail {
            guard let address = MailAddress(target) else {
                return problems.refuse(
                    body[way],
                    "found \(YAMLNode.quoted(target)); one address is allowed, NAME@HOST.DOMAIN in ASCII, without a "
                        + "name before it; a list of 'mail' has one for each reader")
            }
            let mails = others.count { if case .mail = $0 { true } else { false } }
            return .mail(address, place: mails + 1)
        }
        if way == .folder {
            if let problem = AddressText.problem(ofPath: target) {
                return problems.refuse(body[way], "\(problem), or name an https address as 'put' or 'post'")
            }
            if target.hasPrefix("~") || target.split(separator: "/").contains("..") {
                return problems.refuse(
                    body[way],
                    "found \(YAMLNode.quoted(target)); a path without ~ and .. is allowed, absolute or in the daemon's "
                        + "data directory")
            }
            return .folder(target)
        }
        let secret = text(body[.authorization], longest: 64)
        if let secret, !Self.isSecretName(secret) {
            return problems.refuse(
                body[.authorization],
                "the name of a file in the operator's folder of secrets is allowed (a to z, 0 to 9, _ and -), never "
                    + "the secret itself")
        }
        guard let method = HTTPDelivery.Method(rawValue: way.rawValue),
            let http = HTTPDelivery(method, target, authorization: secret)
        else {
            return problems.refuse(
                body[way],
                """
                found \(YAMLNode.quoted(target)); https://HOST/PATH is allowed, without user, query \
                and fragment\(way == .put ? ", and with a slash at the end, after which the file's name is put" : "")
                """)
        }
        return .http(http)
    }

    private static func isSecretName(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z0-9_\-]*/.matchingSemantics(.unicodeScalar)) != nil
    }
}

extension Insight {
    /// True if all it says of a period is one number.
    fileprivate var isOneNumber: Bool {
        switch kind {
        case .count, .reach, .mean, .share(of: _, part: .some): by.isEmpty
        case .share, .distribution, .quantiles, .retention, .frequency, .funnel: false
        }
    }

    fileprivate var asksForLastWeek: Bool {
        guard case .change(let references) = view else { return false }
        return references.contains(.weekBefore)
    }
}

/// No report mixes languages: Throng's sentences and the plan's texts are all there in its own.
extension Plan {
    /// Finds reports in a language of which Throng's sentences or some of the plan's texts are missing.
    func languageProblems() -> [PlanProblem] {
        var lacking: [String: [ReportName]] = [:]
        var problems: [PlanProblem] = []
        for report in reports {
            let tag = language(of: report)
            if let message = catalogueProblem(of: tag) {
                problems.append(places.problem(on: .report, report.name, message))
            } else {
                for place in texts(of: report) where lacks(place, tag) {
                    lacking["\(tag) \(place)", default: []].append(report.name)
                }
            }
        }
        return problems
            + lacking.sorted { $0.key < $1.key }.map { key, reports in
                // A bucket's name, at the end of its place, may have a space in it.
                let (tag, place) = (key.prefix { $0 != " " }, key.drop { $0 != " " }.dropFirst())
                let message =
                    "\(place) is not there in \(tag), the language of report '\(reports[0])'; "
                    + "add it as '\(tag): …', or choose another language for the report"
                return places.message(onText: String(place), message)
            }
    }

    private func catalogueProblem(of tag: LanguageTag) -> String? {
        let complete = Language.all.filter(\.catalogue.missing.isEmpty).map(\.tag.text).joined(separator: ", ")
        guard let language = Language(tag) else {
            return "there are no sentences of Throng in its language '\(tag)'; \(complete) are allowed, with any region"
        }
        let missing = language.catalogue.missing.map(\.rawValue)
        guard let first = missing.first else { return nil }
        return "\(missing.count) of Throng\u{2019}s sentences are not there in its language '\(tag)', "
            + "such as '\(first)'; \(complete) are allowed, with any region"
    }

    /// The languages in which the plan's public texts all are, and Throng's sentences: no page mixes two. A plan in one
    /// language is in that of its reports, if all of them have the same; else there is none.
    package var labelLanguages: [LanguageTag] {
        guard !translations.languages.isEmpty else {
            let asked = Set(reports.map(language))
            return asked.count == 1 ? asked.filter { catalogueProblem(of: $0) == nil }.sorted() : []
        }
        var texts: Set = ["app.title"]
        texts.formUnion(purposes.map { "purposes.\($0.name).explanation" })
        texts.formUnion(metrics.flatMap { ["metrics.\($0.name).title", "metrics.\($0.name).question"] })
        texts.formUnion(partners.flatMap { insights(for: $0.name) }.map { "insights.\($0.name).title" })
        let used = metrics.flatMap { cubeDimensions(of: $0).map(\.name) + derivedDimensions(of: $0).map(\.name) }
        texts.formUnion(dimensionTexts(used))
        texts.formUnion(metrics.map(\.name).flatMap(stepTexts) + partners.map { "partners.\($0.name).title" })
        for one in metrics { texts.formUnion(one.sumTitles.keys.map { "metrics.\(one.name).sums.\($0).title" }) }
        return translations.languages.filter { tag in
            Language(tag)?.catalogue.missing.isEmpty == true && !texts.contains { lacks($0, tag) }
        }
    }

    /// Returns the language that serves a reader of the label best, English or the first for readers of none; nil where
    /// there is none.
    package func labelLanguage(for wanted: [LanguageTag]) -> LanguageTag? {
        LanguageTag.best(of: labelLanguages, for: wanted + [Language.english.tag]) ?? labelLanguages.first
    }

    /// The places of the plan's texts that a report shows.
    private func texts(of report: Report) -> Set<String> {
        var texts: Set = ["app.title", "partners.\(report.partner).title", "reports.\(report.name).title"]
        if report.explanation != nil { texts.insert("reports.\(report.name).explanation") }
        for insight in report.insights.compactMap({ self.insight($0) }) {
            texts.formUnion(["insights.\(insight.name).title", "metrics.\(insight.metric).title"])
            texts.insert(
                insight.explanation == nil
                    ? "metrics.\(insight.metric).question" : "insights.\(insight.name).explanation")
            if metric(insight.metric)?.noun != nil {
                texts.formUnion(["one", "many"].map { "metrics.\(insight.metric).noun.\($0)" })
            }
            if case .trend = insight.view { texts.formUnion(annotations.map { "annotations.\($0.name).text" }) }
            texts.formUnion(dimensionTexts(insight.by + insight.filters.map(\.dimension)))
            if case .distribution = insight.kind, metric(insight.metric)?.histogram?.title != nil {
                texts.insert("metrics.\(insight.metric).histogram.title")
            }
            if case .funnel = insight.kind { texts.formUnion(stepTexts(of: insight.metric)) }
            if case .mean(let sum) = insight.kind, metric(insight.metric)?.sumTitles[sum] != nil {
                texts.insert("metrics.\(insight.metric).sums.\(sum).title")
            }
        }
        return texts
    }

    /// The places of the texts of dimensions: their titles, and those of buckets. A bucket without one has its name, which
    /// is the same in every language.
    private func dimensionTexts(_ names: [DimensionName]) -> [String] {
        let telling = tellingDimensions()
        return names.compactMap { telling[$0] }.flatMap { dimension in
            (["title"] + dimension.titles.keys.map { "titles.\($0)" }).map { "dimensions.\(dimension.name).\($0)" }
        }
    }

    /// The places of a funnel's titles; those that are written once are names, too.
    private func stepTexts(of metric: MetricName) -> [String] {
        translations.words.keys.filter { $0.hasPrefix("metrics.\(metric).steps.") }
    }

    /// True if a text is missing in a language: one that is there once is in the language that readers of none get, and in
    /// any where no text of the plan is in several.
    private func lacks(_ place: String, _ tag: LanguageTag) -> Bool {
        if let words = translations.words[place] { return LanguageTag.best(of: words.texts.keys, for: [tag]) == nil }
        // A name that is written once is the same in every language.
        if place == "app.title" || place.hasPrefix("partners.") { return false }
        let fallbacks = Set(translations.words.values.map(\.fallback.language))
        return !fallbacks.isEmpty && !fallbacks.contains(tag.language)
    }
}
