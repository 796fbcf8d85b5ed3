extension Plan {
    /// The words before the titles of what is made up.
    private static let mark = "Made up: "
    private static let warning = "Made up by throng try: no such devices exist, and no number here is true."

    /// Returns the same plan for a crowd that is made up: the titles of its app and reports say so, in each language, and
    /// reports go nowhere but to folders within the data directory.
    package func forMadeUpCrowd() -> Plan {
        var plan = self
        plan.app.title = Self.mark + app.title
        for (place, report) in reports.enumerated() {
            plan.reports[place].title = Self.mark + report.title
            plan.reports[place].explanation =
                [Self.warning, report.explanation].compactMap { $0 }.joined(separator: " ")
            plan.reports[place].deliveries = [.folder("reports/\(report.partner)")]
        }
        for (place, words) in translations.words {
            let parts = place.split(separator: ".")
            let isTitle = place == "app.title" || parts.first == "reports" && parts.last == "title"
            let isExplanation = parts.first == "reports" && parts.last == "explanation"
            guard isTitle || isExplanation else { continue }
            let mark = isTitle ? Self.mark : Self.warning + " "
            plan.translations.words[place] = PlanTranslations.Words(
                texts: words.texts.mapValues { mark + $0 }, fallback: words.fallback)
        }
        return plan
    }
}
