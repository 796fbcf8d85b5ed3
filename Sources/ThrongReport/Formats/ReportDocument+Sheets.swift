internal import ThrongPlan
internal import ThrongRelease

extension ReportDocument {
    /// The report as sheets of a workbook: what it is about and how to read it, then one an insight.
    package var sheets: [Sheet] { ([about] + answers.map { sheet(of: $0.inWords) }).named }

    private var about: Sheet {
        let facts = ["For: \(partner.title)", "App: \(app.title)", "Period: \(periodLabel), \(app.timeZone)"]
        let releases: [[SheetCell]] = sources.map {
            [.text($0.title), .text($0.period), SheetCell($0.threshold.devices), .text($0.digest.hex)]
        }
        return Sheet(
            name: "About", isRightToLeft: isRightToLeft("reports.\(name).title"),
            lines: [title, periodTitle] + [explanation].compactMap { $0 } + facts + partNotes + Self.reading,
            heads: ["Metric", "Period", "At least", "SHA-256 of the release"],
            rows: releases + [[.text("Plan"), .empty, .empty, .text(plan.hex)]],
            notes: [deleteBy].compactMap { $0.map { "Delete your copies by \(names.instant($0))." } }
                + ["Questions: \(app.contact)"])
    }

    private static let reading = [
        """
        Margins: each number is off on purpose, by no more than its margin in 19 of 20 cases, so that nobody can work \
        out whether one device more or less is in it. An interval, from and to, says the same of devices and shares.
        """,
        """
        At least: so many devices stand behind each number, or events where devices are not told apart. A number of \
        fewer is "\(Withheld.marker)", which is not 0: nothing says how few they are, or whether there are any.
        """,
    ]

    private func sheet(of answer: InsightAnswer) -> Sheet {
        let insight = answer.insight
        let table = answer.answered.map { SheetTable(answer, $0) }
        let lines = [insight.title, insight.explanation ?? answer.question, answer.sentence, periodTitle]
        return Sheet(
            name: insight.title, isRightToLeft: isRightToLeft("insights.\(insight.name).title"),
            lines: lines.filter { !$0.isEmpty } + answer.filters.map { "\($0.title): \($0.bucket)" },
            heads: table?.heads ?? [], rows: table?.rows ?? [],
            notes: answer.withheldNotes + answer.leaningNotes + answer.ageNotes + answer.likenesses
                + (answer.answered?.basis.words(in: answer.wording) ?? []))
    }

    private func isRightToLeft(_ place: String) -> Bool { languages[place]?.isRightToLeft ?? false }
}
