internal import ThrongWire

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
                    lacking["\(place) \(tag)", default: []].append(report.name)
                }
            }
        }
        return problems
            + lacking.sorted { $0.key < $1.key }.map { key, reports in
                let (place, tag) = (key.split(separator: " ")[0], key.split(separator: " ")[1])
                let message = """
                    \(place) is not there in \(tag), the language of report '\(reports[0])'; add it as '\(tag): …', \
                    or choose another language for the report
                    """
                let parts = place.split(separator: ".").map(String.init)
                guard let part = PlanPart.allCases.first(where: { $0.section == parts[0] }) else {
                    return PlanProblem(file: places.file, line: nil, column: nil, message: message)
                }
                return places.message(on: part, named: parts[1], message)
            }
    }

    private func catalogueProblem(of tag: LanguageTag) -> String? {
        let complete = Language.all.filter(\.catalogue.missing.isEmpty).map(\.tag.text).joined(separator: ", ")
        guard let language = Language(tag) else {
            return "there are no sentences of Throng in its language '\(tag)'; \(complete) are allowed, with any region"
        }
        let missing = language.catalogue.missing.map(\.rawValue)
        guard let first = missing.first else { return nil }
        return """
            \(missing.count) of Throng\u{2019}s sentences are not there in its language '\(tag)', such as '\(first)'; \
            \(complete) are allowed, with any region
            """
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
        let used = Set(metrics.flatMap { cubeDimensions(of: $0) }.map(\.name))
        texts.formUnion((dimensions.map(\.name).filter(used.contains)).map { "dimensions.\($0).title" })
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
        var texts: Set = ["app.title", "reports.\(report.name).title"]
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
            let shown = Set(insight.by + insight.filters.map(\.dimension))
            texts.formUnion(
                shown.filter { dimension($0) != nil || derivedDimension($0) != nil }.map { "dimensions.\($0).title" })
        }
        return texts
    }

    /// True if a text is missing in a language: one that is there once is in the language that readers of none get, and in
    /// any where no text of the plan is in several.
    private func lacks(_ place: String, _ tag: LanguageTag) -> Bool {
        if let words = translations.words[place] { return LanguageTag.best(of: words.texts.keys, for: [tag]) == nil }
        // A name that is written once is the same in every language.
        if place == "app.title" { return false }
        let fallbacks = Set(translations.words.values.map(\.fallback.language))
        return !fallbacks.isEmpty && !fallbacks.contains(tag.language)
    }
}
