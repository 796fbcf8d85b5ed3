internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of rows that an analyst has chosen, with the links and forms that lead to others.
enum ExplorerView {
    static let mostShown = 1000
    /// The most periods that a list has, the latest ones; addresses may name any.
    private static let mostPeriods = 500

    static func of(_ answer: ExplorerAnswer, metrics: [AnalystMetric], frame: PageFrame) -> TemplateView {
        let (choice, titles, language) = (answer.choice, answer.titles, answer.titles.language)
        let charts = ExplorerCharts(answer)
        let hasChart = !(charts.stats.isEmpty && charts.barCharts.isEmpty && charts.lineCharts.isEmpty)
        // Every row begins with something to call it by.
        let hasPeriods = choice.releases.count > 1 || choice.question.columns.isEmpty
        let sources = choice.releases.suffix(mostPeriods).map { release -> TemplateView in
            [
                "sourcePeriod": choice.calendar.label(of: release.period),
                "sourceThreshold": language.text(release.threshold),
                "sourceSampling": language.written(release.sampling), "sourceDigest": release.digest,
            ]
        }
        let count = choice.releases.count
        let sourceNote: String? =
            count > mostPeriods
            ? language.say(.exploreLatestOf, ["number": language.text(mostPeriods), "all": language.text(count)]) : nil
        return [
            "frame": frame, "appTitle": titles.app(choice.metric.app), "metricTitle": titles.metric(choice.metric),
            "questions": [titles.question(choice.metric)].compactMap(\.self), "facets": facets(answer, metrics),
            "hiddens": choice.carried.compactMap { name, value -> TemplateView? in
                value.map { ["hiddenName": name, "hiddenValue": $0] }
            }, "selects": selects(answer), "heading": answer.heading,
            "tableName": language.say(.tableNamed, ["title": answer.heading]), "partsTitle": facet("rows", language),
            "showing": facet("show", language), "sentence": answer.sentence,
            "warnings": answer.partNotes(choice.releases) + [extent(answer)].compactMap(\.self),
            "hasParts": answer.parts > 1,
            "partLinks": partLinks(answer), "hints": charts.hints, "stats": charts.stats, "barCharts": charts.barCharts,
            "lineCharts": charts.lineCharts, "heatTables": charts.heatTables,
            "evidenceClass": hasChart ? (charts.lineCharts.count > 1 ? "evidence wide" : "evidence") : "evidence alone",
            "hasChart": hasChart, "isFolded": !charts.heatTables.isEmpty,
            "sideHeads": (hasPeriods ? [language.say(.headPeriod)] : []) + choice.question.columns.map(answer.title),
            "numberHeads": heads(answer),
            "dataRows": answer.rows.prefix(mostShown).enumerated().map { place, row -> TemplateView in
                [
                    "sides": (hasPeriods ? [label(of: row, choice)] : [])
                        + row.buckets.enumerated().map { answer.named($1, at: $0) }, "cells": cells(place, answer),
                ]
            }, "withheldNotes": [answer.withheldNote].compactMap(\.self),
            "askHref": choice.start().replacing("/explore?", with: "/ask?"),
            "withheldMarker": NumberStatus.withheld.marker(in: language) ?? "", "basisParts": answer.basis,
            "sources": sources, "sourceNotes": [sourceNote].compactMap(\.self),
            "files": NumbersFormat.allCases.reversed().map { format -> TemplateView in
                [
                    "fileHref": choice.numbers(format: format.rawValue),
                    "fileTitle": language.say(.download, ["file": format.title, "hasPeriod": false, "period": ""]),
                ]
            },
            "sqlLines": choice.question.sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init),
        ]
    }

    /// One rule for all: SQL and CSV have a part of the rows, mostly the only one, and the table the first of it.
    private static func extent(_ answer: ExplorerAnswer) -> String? {
        guard answer.rows.count > mostShown || !answer.isWhole else { return nil }
        let (first, last) = answer.span(ofPart: answer.choice.part)
        let shown = first + min(answer.rows.count, mostShown) - 1
        let language = answer.titles.language
        return language.say(
            .exploreExtent,
            [
                "all": language.text(answer.total), "low": language.text(first), "high": language.text(last),
                "last": language.text(shown),
            ])
    }

    /// The title of a group of links, or of a list to choose from.
    private static func facet(_ name: String, _ language: Language) -> String {
        language.say(.exploreFacet, ["facet": name])
    }

    private static func partLinks(_ answer: ExplorerAnswer) -> [TemplateView] {
        let (chosen, last) = (answer.choice.part, answer.parts)
        return Set([1, chosen - 1, chosen, chosen + 1, last]).sorted().filter { (1...last).contains($0) }.map { part in
            let span = answer.span(ofPart: part)
            let language = answer.titles.language
            let ends = [span.first, span.last].map { language.text($0) }
            return link(
                language.say(.exploreRows, ["low": ends[0], "high": ends[1]]), answer.choice.address { $0.part = part },
                isChosen: part == chosen)
        }
    }

    /// A link that leads nowhere where it is the chosen one.
    private static func link(_ text: String, _ address: String, isChosen: Bool) -> TemplateView {
        ["linkText": text, "linkHrefs": isChosen ? [] : [address]]
    }

    private static func label(of row: AnalystRow, _ choice: ExplorerChoice) -> String {
        choice.calendar.label(of: choice.calendar.period(choice.kind, containing: row.start))
    }

    /// The headings of numbers: of measures, which lead to rows in their order and back; then of what is computed.
    private static func heads(_ answer: ExplorerAnswer) -> [TemplateView] {
        let choice = answer.choice
        let measures = choice.measures.map { measure -> TemplateView in
            let isSorted = choice.order == measure
            let address = choice.address { $0.order = isSorted ? nil : measure }
            return [
                "headText": answer.titles.heading(measure, choice), "isSorted": isSorted,
                "sortHrefs": answer.total > 1 ? [address] : [],
            ]
        }
        let language = answer.titles.language
        let about = language.say(.headAbout, ["hasUnit": false, "unit": ""])
        let sampledHeads = answer.sampled == nil ? [] : [about, language.say(.interval)]
        let others = answer.figures.map(\.title) + sampledHeads
        return measures + others.map { ["headText": $0, "isSorted": false, "sortHrefs": [String]()] }
    }

    /// A cell a number; one over all of them where the row has none.
    private static func cells(_ place: Int, _ answer: ExplorerAnswer) -> [TemplateView] {
        let row = answer.rows[place]
        var marks = row.numbers.indices.map { answer.mark(row, $0) }
        let isEmpty = row.withheld != nil && row.numbers.allSatisfy { $0 == nil }
        marks += answer.figures.map { answer.mark($0, place) }
        if let place = answer.sampled {
            let estimate = answer.estimate(row, place)
            let texts = estimate.map { [answer.wording.about($0.decimal), answer.wording.span($1)] }
            // A number of events that were all counted is no estimate.
            marks += texts?.map { .number(0, text: $0, words: $0) } ?? [marks[place], .nothing("\u{2013}")]
        }
        if isEmpty, let mark = marks.first { return [mark.view(["cellSpan": marks.count])] }
        return marks.map { $0.view(["cellSpan": 1]) }
    }

    /// True if a form brings a value back as it was: the text shown in place of steering characters is another one.
    private static func survivesForms(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    private static func facets(_ answer: ExplorerAnswer, _ metrics: [AnalystMetric]) -> [TemplateView] {
        let (choice, titles, language) = (answer.choice, answer.titles, answer.titles.language)
        func choose(_ name: String, _ title: String = "") -> String {
            language.say(.exploreChoice, ["choice": name, "title": title])
        }
        // What has numbers stands first.
        let splits = choice.shape.margins.filter(\.isTold) + choice.shape.margins.filter { !$0.isTold }
        let split = splits.map { margin in
            let names = margin.columns.compactMap(choice.shape.dimension).map(answer.title)
            let title = names.isEmpty ? choose("nothing") : names.joined(separator: " \u{00d7} ")
            return link(
                margin.isTold ? title : choose("few", title), choice.address { $0.margin = margin },
                isChosen: margin == choice.margin)
        }
        let measures = choice.measures.map { one in
            link(titles.heading(one, choice), choice.address { $0.measure = one }, isChosen: one == choice.measure)
        }
        let over = choice.partners(among: metrics).map { other in
            let isChosen = other.metric == choice.over
            return link(titles.metric(other), choice.address { $0.over = other.metric }, isChosen: isChosen)
        }
        let nothing = [link(choose("nothing"), choice.address { $0.over = nil }, isChosen: choice.over == nil)]
        let kinds = choice.metric.kinds.map {
            link(language.say(.periodKind, ["kind": $0.rawValue]), choice.start(kind: $0), isChosen: $0 == choice.kind)
        }
        let layouts = metrics.filter { $0.app == choice.metric.app && $0.metric == choice.metric.metric }.map {
            link(
                $0.isCurrent ? choose("current") : choose("former", language.text($0.version)),
                choice.start(layout: $0.version), isChosen: $0.version == choice.metric.version)
        }
        return [
            ("split", split), ("show", measures), ("time", lasts(choice, language)), ("kind", kinds),
            ("over", nothing + over), ("layout", layouts),
        ].filter { $0.1.count > 1 }.map { ["facetTitle": facet($0.0, language), "facetLinks": $0.1] }
    }

    /// The last period, the last eight, thirty and all, as far as there are so many.
    private static func lasts(_ choice: ExplorerChoice, _ language: Language) -> [TemplateView] {
        let labels = choice.shape.releases.map { choice.calendar.label(of: $0.period) }
        let counts = [1, 8, 30, labels.count].filter { $0 <= labels.count }
        return Set(counts).sorted().map { count in
            let from = labels[labels.count - count]
            let span = count == 1 ? "one" : count == labels.count ? "all" : "some"
            let periods = Wording(language).periods(count, choice.kind)
            let text = language.say(.exploreLast, ["span": span, "periods": periods])
            let isChosen = choice.from == from && choice.to == labels.last
            return link(
                text, choice.address { ($0.from, $0.to, $0.part) = (from, labels.last ?? $0.to, 1) }, isChosen: isChosen
            )
        }
    }

    private static func selects(_ answer: ExplorerAnswer) -> [TemplateView] {
        let (choice, language) = (answer.choice, answer.titles.language)
        let known = choice.shape.releases
        func select(
            _ id: String, _ name: String, _ label: String, _ options: [(value: String, text: String)], _ chosen: String
        ) -> TemplateView {
            [
                "selectID": "choose-\(id)", "selectName": name, "selectLabel": label,
                "options": PortalPages.options(options, chosen: chosen),
            ]
        }
        func span(_ name: String, _ label: String, _ chosen: String) -> TemplateView {
            let labels = known.suffix(mostPeriods).reversed().map { choice.calendar.label(of: $0.period) }
            let offered = labels.contains(chosen) ? labels : labels + [chosen]
            return select(name, name, facet(label, language), offered.map { ($0, $0) }, chosen)
        }
        let spans = known.count < 2 ? [] : [span("from", "from", choice.from), span("to", "until", choice.to)]
        let buckets = choice.question.columns.enumerated().map { place, column in
            select(
                "\(place)", ExplorerChoice.bucket + column.name, answer.title(of: column),
                [("", language.say(.headAll))]
                    + column.buckets.filter(survivesForms).map { ($0, answer.named($0, at: place)) },
                choice.filters.first { $0.column == column.name }?.bucket ?? "")
        }
        return spans + buckets
    }
}

extension ChartMark {
    /// The mark for a template, with more values: its text if it is a number, else what stands in its place.
    func view(_ more: TemplateView) -> TemplateView {
        let own: TemplateView =
            switch self {
            case .number(_, let text, _): ["markNumbers": [text]]
            case .withheld: ["markWithheld": true]
            case .nothing(let marker): ["markNothings": [marker]]
            }
        return own.merging(more) { own, _ in own }
    }
}

/// The titles of what the database has short names for: by the plans that the daemon runs, else those names.
struct ExplorerTitles: Sendable {
    /// The plans, in the language.
    let plans: [Plan]
    let language: Language

    func app(_ name: AppName) -> String { plan(name)?.app.title ?? name.text }

    func metric(_ metric: AnalystMetric) -> String { planned(metric)?.title ?? metric.metric.text }

    func question(_ metric: AnalystMetric) -> String? { planned(metric)?.question }

    func expires(_ metric: AnalystMetric) -> CalendarDate? { planned(metric)?.expires }

    /// Returns, by their starts, the parts of releases' periods in which they were counted, where that is not all of them.
    func parts(of releases: [AnalystRelease], in choice: ExplorerChoice) -> [UnixSeconds: PartOfPeriod] {
        let end = expires(choice.metric).map(choice.calendar.midnight)
        return releases.reduce(into: [:]) { parts, one in
            let until = [one.countedUntil, end].compactMap(\.self).min()
            parts[one.period.start] = PartOfPeriod(of: one.period, from: one.countedFrom, until: until, isSplit: false)
        }
    }

    /// Returns the step that takes numbers of a metric, after the end of their period; nil where no plan has it.
    func end(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> DecayStep? {
        planned(metric).flatMap { plan(metric.app)?.end(of: $0, splitBy: Set(names), by: period) }
    }

    /// Returns the words for when such numbers go, and what is kept for longer; nil if no plan says so.
    func ageing(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> String? {
        end(of: metric, by: period, splitBy: names).flatMap { plan(metric.app)?.words(for: $0, in: language) }
    }

    func dimension(_ name: DimensionName, of metric: AnalystMetric) -> String {
        let title = telling(name, of: metric)?.title ?? name.text
        // A histogram has no title but its name and unit.
        return title.hasPrefix(name.text) ? Self.worded(title) : title
    }

    /// A name as people write it: "Order value".
    private static func worded(_ name: String) -> String { name.replacing("_", with: " ").sentenceCased }

    /// The title of a sum; nil where no plan has one.
    func sum(_ name: String, of metric: AnalystMetric) -> String? { planned(metric)?.sumTitles[name] }

    /// Returns the dimension by which people are told buckets, also one that the metric has no more; nil where no plan has it.
    func telling(_ name: DimensionName, of metric: AnalystMetric) -> Dimension? {
        plan(metric.app)?.tellingDimensions(of: planned(metric))[name]
    }

    /// "Events", "Identifiers", "Revenue", "Devices", "Devices (as they say)".
    func measure(_ column: AnalystColumn, of metric: AnalystMetric) -> String {
        switch column.kind {
        case .count: Wording(language).noun(Counted(rawValue: column.unit) ?? .events).many.sentenceCased
        case .reached: language.say(.exploreFigure, ["figure": "reached", "title": ""])
        case .sum(let name): sum(name, of: metric) ?? Self.worded(name)
        case .devices: Wording.heading(devices: .window, in: language)
        case .clientDevices: Wording.heading(devices: .firsts, in: language)
        case .dimension(let name): name.text
        }
    }

    /// Returns the words for what a measure counts, in the basis of its numbers.
    func meaning(_ column: AnalystColumn, of metric: AnalystMetric) -> String {
        let counted = Counted(rawValue: column.unit) ?? .events
        let noun = Wording(language).noun(counted).many
        switch column.kind {
        case .count:
            guard let within = within(metric) else { return language.say(.countsNoun, ["noun": noun]) }
            let isFunnel = if case .funnel = within.kind { true } else { false }
            return language.say(.exploreWithin, ["noun": noun, "isFunnel": isFunnel])
        case .sum(let name):
            return plan(metric.app)?.words(forSum: name, of: metric.metric, in: language) ?? Self.worded(name)
        case .clientDevices: return language.say(.countsDevices, ["kind": "said", "time": ""])
        case .reached, .devices, .dimension: return measure(column, of: metric)
        }
    }

    /// The same with its unit: "Revenue (EUR)".
    func heading(_ column: AnalystColumn, _ choice: ExplorerChoice) -> String {
        let title = measure(column, of: choice.metric)
        guard case .sum = column.kind, !column.unit.isEmpty else { return title }
        return "\(title) (\(column.unit))"
    }

    /// Returns the measure that counts identifiers instead of events, by the plan alone; nil where events are counted.
    func within(_ metric: AnalystMetric) -> WindowMeasure? {
        planned(metric)?.within.flatMap { metric.dimensions.contains($0.name) ? $0 : nil }
    }

    private func plan(_ app: AppName) -> Plan? { plans.first { $0.app.name == app } }

    private func planned(_ metric: AnalystMetric) -> Metric? { plan(metric.app)?.metric(metric.metric) }
}

extension AnalystColumn {
    /// Its unit, as its comment says; empty where it has none.
    var unit: String {
        guard let place = comment.ranges(of: "Unit: ").last else { return "" }
        let unit = comment[place.upperBound...]
        let text = String(unit.hasSuffix(".") ? unit.dropLast() : unit)
        return text == "none" ? "" : text
    }

    /// The meaning of the column, as its comment says, without its unit and what withheld numbers look like.
    var meaning: String {
        let ends = [comment.ranges(of: "; null ").first, comment.ranges(of: " Unit: ").last].compactMap {
            $0?.lowerBound
        }
        let text = ends.min().map { comment[..<$0] } ?? comment[...]
        return String(text.hasSuffix(".") ? text.dropLast() : text)
    }
}
