internal import ThrongPlan
internal import ThrongRelease

/// Everything that the page's template shows.
enum PageView {
    static func of(_ document: ReportDocument, css: String) -> TemplateView {
        var view: TemplateView = ["css": css, "restWords": Withheld.together, "othersWords": AnswerRanking.together]
        view["reportTitle"] = document.title
        view["reportTitleLanguage"] = document.language(of: "reports.\(document.name).title")
        view["ledeLanguage"] = document.language(of: "reports.\(document.name).explanation")
        view["appTitleLanguage"] = document.language(of: "app.title")
        view["ledes"] = [document.explanation].compactMap { $0 }
        view["partNotes"] = document.partNotes
        view["deletionDates"] = [document.deleteBy].compactMap { $0 }.map(document.names.instant)
        view["partnerTitle"] = document.partner.title
        view["appTitle"] = document.app.title
        view["appContact"] = document.app.contact
        view["periodTitle"] = document.periodTitle
        view["dateLanguage"] = document.locale.rawValue
        view["periodLabel"] = document.periodLabel
        view["timeZone"] = document.app.timeZone
        view["planVersion"] = document.plan.hex
        view["manifestName"] =
            ReportFile.stem(report: document.name.text, period: document.periodLabel) + ReportFile.manifestEnding
        view["withheldWording"] = Withheld.wording
        view["withheldMarker"] = Withheld.marker
        let tables = document.answers.compactMap(\.answered?.table)
        let views = document.answers.compactMap(\.answered?.view)
        view["hasRest"] = zip(tables, views).contains { $0.rest?.quantity != nil && $1 == .table }
        view["hasOthers"] = views.contains { shown in
            guard case .ranking(let ranking) = shown else { return false }
            return ranking.rest != nil
        }
        let bases = document.answers.compactMap(\.answered?.basis)
        view["hasSample"] = bases.contains { $0.sampling < 1 }
        view["hasWindow"] = bases.contains { $0.devices == .window }
        view["hasSaid"] = bases.contains { $0.devices == .firsts || $0.devices == .answers }
        view["hasIdentifiers"] = bases.contains { $0.counts == .identifiers }
        view["hasQuantiles"] = document.answers.contains { answer in
            guard case .quantiles(at: _) = answer.insight.kind else { return false }
            return true
        }
        view["hasImpossible"] = tables.contains { $0.rows.contains { $0.figure == .impossible } }
        let answers = document.answers.map(\.inWords)
        let tiles = answers.enumerated().map { place, answer in
            TileView(
                answer, anchor: "insight-\(place + 1)",
                language: document.language(of: "insights.\(answer.insight.name).title"))
        }
        view["tiles"] = tiles
        view["sections"] = zip(answers, tiles).enumerated().map {
            SectionView.of($1.0, tile: $1.1, ordinal: $0 + 1, whyLanguage: document.whyLanguage(of: $1.0.insight))
        }
        view["sources"] = document.sources.map {
            [
                "sourceTitle": $0.title, "sourcePeriod": $0.period,
                "sourceThreshold": String($0.threshold.devices), "sourceCost": $0.cost,
                "sourceDigest": $0.digest.hex,
            ] as TemplateView
        }
        return view
    }
}

extension ReportDocument {
    /// The attributes of an element that shows a text of the plan; none where nobody knows its language.
    fileprivate func language(of place: String) -> String { languages[place].attributes }

    /// The same of what says why an insight is asked: its own explanation, or its metric's question.
    fileprivate func whyLanguage(of insight: Insight) -> String {
        language(
            of: insight.explanation == nil
                ? "metrics.\(insight.metric).question" : "insights.\(insight.name).explanation")
    }
}
