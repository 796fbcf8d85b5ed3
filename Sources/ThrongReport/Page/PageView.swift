internal import ThrongPlan
internal import ThrongRelease

/// Everything that the page's template shows; names are unique over all views, because a template that misses a name
/// in an inner view looks it up in the outer ones.
struct PageView {
    let css: String
    let reportTitle: String
    let reportTitleLanguage: String
    let ledes: [String]
    let ledeLanguage: String
    /// Metrics that were not counted in one way all period long.
    let partNotes: [String]
    let deletionDates: [String]
    let partnerTitle: String
    let appTitle: String
    let appTitleLanguage: String
    let appContact: String
    let periodTitle: String
    let dateLanguage: String
    let periodLabel: String
    let timeZone: String
    let planVersion: String
    /// The name of the manifest's file in a signed report.
    let manifestName: String
    let withheldWording: String
    let withheldMarker: String
    let restWords = Withheld.together
    let hasRest: Bool
    let hasOthers: Bool
    let hasSample: Bool
    let hasQuantiles: Bool
    let othersWords = AnswerRanking.together
    let hasImpossible: Bool
    let hasWindow: Bool
    let hasSaid: Bool
    let hasIdentifiers: Bool
    let tiles: [TileView]
    let sections: [SectionView]
    let sources: [SourceView]

    init(_ document: ReportDocument, css: String) {
        self.css = css
        reportTitle = document.title
        reportTitleLanguage = document.language(of: "reports.\(document.name).title")
        ledeLanguage = document.language(of: "reports.\(document.name).explanation")
        appTitleLanguage = document.language(of: "app.title")
        ledes = [document.explanation].compactMap { $0 }
        partNotes = document.partNotes
        deletionDates = document.deleteBy.map { [document.names.instant($0)] } ?? []
        partnerTitle = document.partner.title
        appTitle = document.app.title
        appContact = document.app.contact
        periodTitle = document.periodTitle
        dateLanguage = document.locale.rawValue
        periodLabel = document.periodLabel
        timeZone = document.app.timeZone
        planVersion = document.plan.hex
        manifestName =
            ReportFile.stem(report: document.name.text, period: document.periodLabel) + ReportFile.manifestEnding
        withheldWording = Withheld.wording
        withheldMarker = Withheld.marker
        let tables = document.answers.compactMap(\.answered?.table)
        let views = document.answers.compactMap(\.answered?.view)
        hasRest = zip(tables, views).contains { $0.rest?.quantity != nil && $1 == .table }
        hasOthers = views.contains { view in
            guard case .ranking(let ranking) = view else { return false }
            return ranking.rest != nil
        }
        let bases = document.answers.compactMap(\.answered?.basis)
        hasSample = bases.contains { $0.sampling < 1 }
        hasWindow = bases.contains { $0.devices == .window }
        hasSaid = bases.contains { $0.devices == .firsts || $0.devices == .answers }
        hasIdentifiers = bases.contains { $0.counts == .identifiers }
        hasQuantiles = document.answers.contains { answer in
            guard case .quantiles(at: _) = answer.insight.kind else { return false }
            return true
        }
        hasImpossible = tables.contains { $0.rows.contains { $0.figure == .impossible } }
        let answers = document.answers.map(\.inWords)
        let tiles = answers.enumerated().map { place, answer in
            TileView(
                answer, anchor: "insight-\(place + 1)",
                language: document.language(of: "insights.\(answer.insight.name).title"))
        }
        self.tiles = tiles
        sections = zip(answers, tiles).enumerated().map {
            SectionView($1.0, tile: $1.1, ordinal: $0 + 1, whyLanguage: document.whyLanguage(of: $1.0.insight))
        }
        sources = document.sources.map {
            SourceView(
                sourceTitle: $0.title, sourcePeriod: $0.period,
                sourceThreshold: String($0.threshold.devices), sourceCost: $0.cost,
                sourceDigest: $0.digest.hex)
        }
    }
}

/// A release in the page's colophon.
struct SourceView {
    let sourceTitle: String
    let sourcePeriod: String
    let sourceThreshold: String
    let sourceCost: String
    let sourceDigest: String
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
