internal import ThrongPlan
internal import ThrongRelease

extension ReportDocument {
    /// The report as sheets of a workbook: what it is about and how to read it, then one an insight.
    package var sheets: [Sheet] { ([about] + answers.map { sheet(of: $0.inWords) }).named }

    private var about: Sheet {
        let facts = [
            locale.say(.sheetFor, ["partner": partner.title]), locale.say(.sheetApp, ["app": app.title]),
            locale.say(.sheetPeriod, ["period": periodLabel, "timeZone": app.timeZone]),
        ]
        let releases: [[SheetCell]] = sources.map {
            [.text($0.title), .text($0.period), SheetCell($0.threshold.devices), .text($0.digest.hex)]
        }
        let lines = [title, periodTitle] + [explanation].compactMap { $0 } + facts + partNotes
        let heads = [Message.headMetric, .headPeriod, .headLeast, .headDigest]
        return Sheet(
            name: locale.say(.sheetAbout), isRightToLeft: locale.isRightToLeft,
            lines: lines + [locale.say(.sheetMargins), locale.say(.sheetLeast)], heads: heads.map { locale.say($0) },
            rows: releases + [[.text(locale.say(.headPlan)), .empty, .empty, .text(plan.hex)]],
            notes: [deleteBy].compactMap { $0.map { locale.say(.sheetDelete, ["time": names.instant($0)]) } }
                + [locale.say(.questions, ["contact": app.contact])])
    }

    private func sheet(of answer: InsightAnswer) -> Sheet {
        let insight = answer.insight
        let table = answer.answered.map { SheetTable(answer, $0) }
        let lines = [insight.title, insight.explanation ?? answer.question, answer.sentence, periodTitle]
        return Sheet(
            name: insight.title, isRightToLeft: locale.isRightToLeft,
            lines: lines.filter { !$0.isEmpty } + answer.scopes, heads: table?.heads ?? [], rows: table?.rows ?? [],
            notes: answer.withheldNotes + answer.leaningNotes + answer.ageNotes + answer.likenesses
                + answer.notes.map(\.words) + (answer.answered?.basis.words(in: answer.wording) ?? []))
    }
}
