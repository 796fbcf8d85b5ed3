internal import ThrongPlan
internal import ThrongRelease

/// Everything that the page's template shows.
enum PageView {
    static func of(_ document: ReportDocument, css: String) -> TemplateView {
        let locale = document.locale
        var view: TemplateView = ["css": css, "say": locale.words, "pageLanguage": locale.tag.attributes]
        view["reportTitle"] = document.title
        view["reportTitleLanguage"] = document.language(of: "reports.\(document.name).title")
        view["ledeLanguage"] = document.language(of: "reports.\(document.name).explanation")
        view["appTitleLanguage"] = document.language(of: "app.title")
        view["ledes"] = [document.explanation].compactMap { $0 }
        view["partNotes"] = document.partNotes
        view["deletions"] = [document.deleteBy].compactMap { $0 }.map {
            locale.say(.deleteCopies, ["time": document.names.instant($0)])
        }
        view["partnerTitle"] = document.partner.title
        view["appTitle"] = document.app.title
        view["isHidden"] = document.publicity != .listed
        view["questions"] = locale.say(.questions, ["contact": document.app.contact])
        view["periodTitle"] = document.periodTitle
        view["periodLabel"] = document.periodLabel
        view["timeZone"] = document.app.timeZone
        view["planVersion"] = document.plan.hex
        let manifest =
            ReportFile.stem(report: document.name.text, period: document.periodLabel) + ReportFile.manifestEnding
        view["signed"] = locale.say(.signed, ["manifest": manifest])
        view["withheldMarker"] = NumberStatus.withheld.marker(in: locale)
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
        document.tell(in: &view)
        view["sources"] = document.sources.map {
            [
                "sourceTitle": $0.title, "sourcePeriod": $0.period,
                "sourceThreshold": locale.written("\($0.threshold.devices)"), "sourceCost": locale.written($0.cost),
                "sourceDigest": $0.digest.hex,
            ] as TemplateView
        }
        return view
    }
}

extension ReportDocument {
    /// Fills in what stands out, the tiles and the insights.
    fileprivate func tell(in view: inout TemplateView) {
        let findings = findings
        view["findings"] = findings.map {
            ["findingAnchor": Self.anchor($0.place), "findingTitle": $0.title, "findingSentence": $0.sentence]
                as TemplateView
        }
        let notes = [nothingYet].compactMap { $0 }
        view["hasFindings"] = !findings.isEmpty
        view["firstNotes"] = notes
        view["isStory"] = !findings.isEmpty || !notes.isEmpty
        let answers = answers.map(\.inWords)
        let titles = answers.map { language(of: "insights.\($0.insight.name).title") }
        // No number stands there twice, also where two insights have it.
        var tiles: [TileView] = []
        for (place, answer) in answers.enumerated() {
            guard let tile = TileView(answer, anchor: Self.anchor(place), language: titles[place]),
                !tiles.indices.contains(where: { tiles[$0].absorb(tile) })
            else { continue }
            tiles.append(tile)
        }
        view["tiles"] = tiles.filter(\.isLarge) + tiles.filter { !$0.isLarge }
        view["hasTiles"] = !tiles.isEmpty
        let bases = answers.compactMap { answer in answer.answered?.basis.words(in: answer.wording) }
        let common = (bases.first ?? []).filter { part in bases.allSatisfy { $0.contains(part) } }
        view["commonParts"] = common
        var told: Set<String> = [""]
        view["sections"] = answers.enumerated().map { place, answer in
            let why = answer.insight.explanation ?? answer.question
            return SectionView.of(
                answer, anchor: Self.anchor(place), tongues: (titles[place], whyLanguage(of: answer.insight)),
                why: told.insert(why).inserted ? why : nil, common: common)
        }
    }

    private static func anchor(_ place: Int) -> String { "insight-\(place + 1)" }

    /// The attributes of an element that shows a text of the plan; none where nobody knows its language.
    fileprivate func language(of place: String) -> String { languages[place].attributes }

    /// The same of what says why an insight is asked: its own explanation, or its metric's question.
    fileprivate func whyLanguage(of insight: Insight) -> String {
        language(
            of: insight.explanation == nil
                ? "metrics.\(insight.metric).question" : "insights.\(insight.name).explanation")
    }
}
