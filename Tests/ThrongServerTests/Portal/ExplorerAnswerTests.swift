import Testing
import ThrongPlan

@testable import ThrongReport
@testable import ThrongServer
@testable import ThrongStore

@Suite("The explorer says of each number how far off it is, and of withheld rows that they are withheld")
struct ExplorerAnswerTests {
    private static let saturday = UnixSeconds(1_795_219_200)

    /// A row of a day of what is counted, a sum and devices, which are off by 12, by 3.40 and by 7.
    static func row(
        _ buckets: [String], _ count: Int128?, _ revenue: Int128? = nil, day: Int64 = 2, reason: String? = nil
    ) -> AnalystRow {
        let start = saturday + day * 86_400
        let why = count == nil ? reason ?? Withheld.wording : nil
        return AnalystRow(
            period: PeriodCalendar.utc.label(of: PeriodCalendar.utc.period(.day, containing: start)),
            date: PeriodCalendar.utc.date(at: start), start: start, buckets: buckets,
            numbers: [
                count.map { .init(units: $0, places: 0, within: 12) },
                count.map { .init(units: revenue ?? $0 * 100, places: 2, within: 340) },
                count.map { .init(units: $0 / 2, places: 0, within: 7) },
            ],
            reasons: [why, why])
    }

    static func answer(
        _ address: String, _ rows: [AnalystRow], total: Int = 0, whole: [AnalystRow] = [], before: [AnalystRow] = [],
        over: ExplorerNeighbours.Over? = nil, edges: [[AnalystRow]] = [],
        shape: AnalystShape = ExplorerChoiceTests.shape,
        titles: ExplorerTitles? = nil
    ) throws -> ExplorerAnswer {
        let choice = try ExplorerChoiceTests.choice("app=shop&metric=orders\(address)", shape)
        let totals = zip(choice.edges, edges).map { (question: $0, rows: $1) }
        return ExplorerAnswer(
            choice, rows: rows, total: total,
            beside: ExplorerNeighbours(wholes: whole, before: before, over: over, edges: totals),
            titles: titles ?? ExplorerTitles(plans: [], language: .english))
    }

    @Test("what counts identifiers is asked for and said as identifiers")
    func identifiers() throws {
        let rows = [row(["iOS"], 600), row(["it's"], nil), row(["other"], nil)]
        let answer = try Self.answer("", rows, whole: [row([], 800)], shape: ExplorerChoiceTests.identifiers)
        #expect(answer.heading == "Identifiers by Os")
        #expect(
            answer.sentence.hasSuffix(
                "with about 600 of about 800 identifiers (75%); off by at most 12 in 19 of 20 cases."))
        #expect(answer.withheldNote?.hasSuffix("25.0% of the identifiers.") == true)
        #expect(answer.choice.question.sql.contains("    \"identifiers\",\n"))
        #expect(!answer.choice.question.sql.contains("events"))
    }

    @Test("what withheld rows leave out is told where the whole is published")
    func rest() throws {
        let rows = [row(["iOS"], 60), row(["it's"], nil), row(["other"], nil)]
        let known = try Self.answer("", rows, whole: [Self.row([], 80)])
        #expect(
            known.withheldNote
                == "\(Withheld.wording). 2 of 3 rows here. Together they are 25.0% of the events."
        )
        #expect(
            known.sentence.hasSuffix(
                "is the largest, with about 60 of about 80 events (80%); off by at most 12 in 19 of 20 cases."
            ))
        #expect(known.sentence.contains("Of the groups shown, “iOS” is the largest, with"))
        let unknown = try Self.answer("", rows, whole: [Self.row([], nil)])
        #expect(unknown.withheldNote?.hasSuffix("How much of the whole that leaves out is unknown.") == true)
        #expect(unknown.sentence.hasSuffix("with about 60 events; off by at most 12 in 19 of 20 cases."))
        #expect(try Self.answer("", [row(["iOS"], 60)]).withheldNote == nil)
    }

    private func row(_ buckets: [String], _ number: Int128?) -> AnalystRow { Self.row(buckets, number) }

    @Test("over several periods the rest is unknown as soon as one whole is")
    func restOfPeriods() throws {
        let rows = [Self.row(["iOS"], 60, day: 0), Self.row(["other"], nil, day: 0), Self.row(["iOS"], 50, day: 1)]
        let span = "&from=2026-11-21&to=2026-11-22"
        let both = try Self.answer(span, rows, whole: [Self.row([], 90, day: 0), Self.row([], 50, day: 1)])
        #expect(both.withheldNote?.hasSuffix("21.4% of the events.") == true)
        let few = try Self.answer(span, rows, whole: [Self.row([], 70, day: 0), Self.row([], 50, day: 1)])
        #expect(few.withheldNote?.hasSuffix("too few of the events to tell from none.") == true)
        let one = try Self.answer(span, rows, whole: [Self.row([], 70, day: 0), Self.row([], nil, day: 1)])
        #expect(one.withheldNote?.hasSuffix("unknown.") == true)
    }

    @Test("sentences: one number, all withheld, nothing that can occur, a course over days")
    func sentences() throws {
        func finding(_ address: String, _ rows: [AnalystRow]) throws -> String {
            try Self.answer(address, rows).sentence
        }
        #expect(
            try finding("&grouping=(total)", [row([], 1410)]).hasSuffix(
                "2026. About 1,410 events; off by at most 12 in 19 of 20 cases."))
        #expect(try finding("&grouping=(total)", [row([], nil)]).hasSuffix("This number is \(Withheld.wording)."))
        #expect(
            try finding("", [row(["iOS"], nil), row(["other"], nil)]).hasSuffix(
                "Every number here is \(Withheld.wording)."))
        let close = [row(["iOS"], 60), row(["it's"], 40), row(["other"], 20)]
        #expect(
            try finding("", close).hasSuffix(
                "“iOS” and “it's” are too uncertain to tell which is the largest: about 60 events and about 40 events; "
                    + "off by at most 12 in 19 of 20 cases."))
        #expect(
            try finding("&grouping=(total)", [Self.row([], nil, reason: "cannot occur")]).hasSuffix(
                "None: the plan rules that out."))
        #expect(
            try finding(
                "&grouping=(total)&from=2026-11-21",
                [Self.row([], 5, day: 0), Self.row([], nil, day: 1), Self.row([], 9, day: 2)]
            ).hasSuffix(
                "The numbers shown lie between about 5 and about 9; off by at most 12 in 19 of 20 cases."))
        #expect(try finding("", []).hasSuffix("age took them, or they were never released."))
    }

    @Test("a small and an empty row make the same cell, whatever their places")
    func alike() throws {
        let rows = [row(["iOS"], 60), row(["it's"], nil), row(["other"], nil)]
        let view = Self.view(try Self.answer("", rows))
        let shown = view.views("dataRows")
        let cells = shown.dropFirst().map { row in
            row.views("cells").map { cell in cell.map { "\($0.key): \($0.value)" }.sorted() }
        }
        #expect(Set(cells).count == 1 && shown[1].views("cells")[0]["markWithheld"] as? Bool == true)
        #expect(shown.map { $0.texts("sides").last } == ["iOS", "it's", "other"])
    }

    private static func view(_ answer: ExplorerAnswer) -> TemplateView {
        ExplorerView.of(
            answer, metrics: [ExplorerChoiceTests.metric],
            frame: PageFrame(language: .english))
    }

    @Test("a page whose table ends before its rows do says how many there are", arguments: [1000, 1001, 10_000])
    func limits(count: Int) throws {
        let answer = try Self.answer("", (0..<count).map { Self.row(["\($0)"], 60) }, total: count)
        let view = Self.view(answer)
        #expect(view.views("dataRows").count == 1000 && view["hasParts"] as? Bool == false && answer.isWhole)
        let total = Wording.english.number(count)
        #expect(
            view.texts("warnings")
                == (count == 1000
                    ? []
                    : [
                        "There are \(total) rows. SQL and files below have 1 to \(total); this table has 1 to 1,000."
                    ]))
        #expect(answer.fileName("csv") == "shop-orders-os-2026-11-23.csv")
    }

    @Test("of more than 500 releases, the latest are listed, with how many there are", arguments: [500, 501, 1200])
    func releases(count: Int) throws {
        let shape = AnalystShape(
            dimensions: ExplorerChoiceTests.shape.dimensions, measures: ExplorerChoiceTests.shape.measures,
            margins: ExplorerChoiceTests.shape.margins,
            releases: (0..<count).map { place in
                let start = Self.saturday + Int64(place) * 86_400
                return AnalystRelease(
                    period: Period(kind: .day, start: start, end: start + 86_400), threshold: 20, sampling: "1",
                    digest: "\(place)", hasDevices: true)
            })
        let view = Self.view(try Self.answer("&from=2026-11-21", [row(["iOS"], 60)], total: 1, shape: shape))
        let sources = view.views("sources")
        #expect(sources.count == 500 && sources.last?["sourceDigest"] as? String == "\(count - 1)")
        #expect(
            view.texts("sourceNotes").map { $0.contains("\(Wording.english.number(count)) releases") }
                == (count > 500 ? [true] : []))
    }

    @Test("rows beyond ten thousand come in parts: page, SQL, CSV's name and links say which; nothing sums up a part")
    func parts() throws {
        let rows = (0..<10_000).map { Self.row(["\($0)"], $0 == 3 ? nil : 60) }
        let first = try Self.answer("", rows, total: 25_000)
        #expect(first.parts == 3 && !first.isWhole && first.fileName("csv").hasSuffix("-rows-1-10000-of-25000.csv"))
        #expect(first.sentence.hasSuffix("These are 25,000 rows, too many to sum up."))
        #expect(first.withheldNote?.hasSuffix("is unknown.") == true)
        #expect(ExplorerCharts(first).barCharts.isEmpty && ExplorerCharts(first).hints.count == 1)
        let links = Self.view(first).views("partLinks")
        #expect(
            links.compactMap { $0["linkText"] as? String } == [
                "Rows 1 to 10,000", "Rows 10,001 to 20,000", "Rows 20,001 to 25,000",
            ])
        let addresses = links.map { $0.texts("linkHrefs") }
        #expect(addresses.map(\.count) == [0, 1, 1] && addresses[2][0].hasSuffix("&part=3"))
        let last = try Self.answer("&part=3", Array(rows.prefix(5000)), total: 25_000)
        #expect(last.choice.question.sql.hasSuffix("\nlimit 10000\noffset 20000;"))
        #expect(last.fileName("csv").hasSuffix("-rows-20001-25000-of-25000.csv"))
        let warning = try #require(Self.view(last).texts("warnings").first)
        #expect(warning.contains("25,000 rows. SQL and files below have 20,001 to 25,000;"))
        #expect(warning.contains("this table has 20,001 to 21,000."))
        let files = Self.view(last).views("files").compactMap { $0["fileHref"] as? String }
        #expect(files.count == 3 && files.allSatisfy { $0.hasPrefix("/v1/numbers/orders?app=shop&") })
        for (file, form) in zip(files, ["xlsx", "csv", "json"]) { #expect(file.hasSuffix("&part=3&format=\(form)")) }
        // Rows that went while they were counted are no reason for less than none.
        #expect(try Self.answer("&part=2", [row(["iOS"], 60)], total: 0).total == 10_001)
    }

    @Test("a sampled number says what it stands for, others how far off they are: events, a sum")
    func estimates() throws {
        let plain = ExplorerChoiceTests.shape
        func shape(sampling: String) -> AnalystShape {
            AnalystShape(
                dimensions: plain.dimensions, measures: plain.measures, margins: plain.margins,
                releases: plain.releases.map {
                    AnalystRelease(
                        period: $0.period, threshold: $0.threshold, sampling: sampling, digest: $0.digest,
                        hasDevices: true)
                })
        }
        let sampled = try Self.answer(
            "&grouping=(total)", [row([], 100)], shape: shape(sampling: "0.25"))
        #expect(
            sampled.sentence.hasSuffix(
                "At a sampling rate of 0.25 that stands for about 400 events: 95% interval 275 to 489."))
        #expect(sampled.basis.last?.hasPrefix("Sampling rate 0.25") == true)
        let drawn = try Self.answer("&grouping=(total)", [row([], 1410)])
        #expect(drawn.sentence.hasSuffix("About 1,410 events; off by at most 12 in 19 of 20 cases."))
        #expect(drawn.basis.contains("Off by at most 12 in 19 of 20 cases"))
        #expect(drawn.basis.contains("Each number stands for 20 devices or more"))
        let sum = try Self.answer("&grouping=(total)&measure=revenue", [Self.row([], 50, 1234)])
        #expect(sum.sentence.hasSuffix("About 12.34 EUR; off by at most 3.40 in 19 of 20 cases."))
    }

    @Test("a sum is told by its title in the reader's language, else by its name, which files keep")
    func sums() throws {
        func answer(_ title: String, _ language: Language) throws -> ExplorerAnswer {
            let plan = try Plan(
                yaml: """
                    app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
                    purposes:
                      product: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 30 days}
                    metrics:
                      orders:
                        {title: Orders, events: [order], question: How many?, decision: None., owner: Team,
                         expires: 2027-01-01, purpose: product, period: day,
                         measures: {sums: {revenue: {\(title)field: amount, from: 0, to: 9}}}}
                    """, file: "shop.yaml", today: CalendarDate(daysSince1970: 20_778))
            let titles = ExplorerTitles(plans: [plan.translated(into: language.tag)], language: language)
            return try Self.answer("&grouping=(total)&measure=revenue", [Self.row([], 50)], titles: titles)
        }
        let titled = try answer("title: {en: Sales, de: Umsatz}, ", .german)
        #expect(titled.heading == "Umsatz (EUR)" && titled.basis[0].hasPrefix("Umsatz, "))
        #expect(titled.choice.question.names.contains("revenue"))
        #expect(titled.figures.first { $0.name == "mean_revenue" }?.title == "Mittel: Umsatz (EUR)")
        #expect(try answer("title: {en: Sales, de: Umsatz}, ", .english).heading == "Sales (EUR)")
        #expect(try answer("", .german).heading == "Revenue (EUR)")
    }

    @Test("a day that counting began in says so and has no change, nor has the day after; files have the time")
    func begun() throws {
        var shape = ExplorerChoiceTests.shape
        let began = Self.saturday + 43_200
        func answer(_ rows: [AnalystRow]) throws -> ExplorerAnswer {
            try Self.answer("&grouping=(total)&from=2026-11-21", rows, shape: shape)
        }
        let rows = (0..<3).map { Self.row([], 100 + Int128($0) * 100, day: Int64($0)) }
        let whole = try answer(rows)
        #expect(Self.view(whole).texts("warnings").isEmpty && !NumbersTable(whole).csv.contains("counted_from"))
        var releases = shape.releases
        releases[0].countedFrom = began
        shape = AnalystShape(
            dimensions: shape.dimensions, measures: shape.measures, margins: shape.margins, releases: releases)
        let part = try answer(rows)
        let note = """
            “orders, Saturday, 21 November 2026” was not counted all period long. Its numbers are from 21 November 2026, \
            12:00 on: 12 of 24 hours.
            """
        #expect(Self.view(part).texts("warnings") == [note])
        let changes = try #require(part.figures.first { $0.kind == .change }).values
        #expect(changes[0] == .missing("not released") && changes[1] == .missing("not comparable"))
        if case .missing(let reason)? = changes.last { Issue.record("\(reason)") }
        let lines = NumbersTable(part).csv.split(separator: "\r\n")
        #expect(lines[0].hasSuffix(",delete_by,counted_from,counted_until"))
        #expect(lines[1].hasSuffix(",,2026-11-21T12:00:00Z,") && lines[2].hasSuffix(",,,"))
    }

    @Test("a funnel says what its numbers mean, in the layout that has its dimension alone")
    func funnel() throws {
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 30 days}
                dimensions:
                  os: {title: System, field: os, list: [iOS, "it is"], partitions: devices}
                metrics:
                  orders:
                    {title: Way, events: [cart, paid], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, dimensions: [os], period: day,
                    measures: {funnel: {steps: [{title: Cart, event: cart}, {title: Paid, event: paid}]}}}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let titles = ExplorerTitles(plans: [plan], language: .english)
        let metric = ExplorerChoiceTests.metric
        let former = AnalystMetric(
            app: metric.app, metric: metric.metric, version: 1, isCurrent: false, view: "shop_orders_v1",
            timeZone: "UTC", dimensions: ["os"], sums: [], steps: nil, sizes: [3], spans: metric.spans)
        #expect(titles.within(metric) != nil && titles.within(former) == nil)
        #expect(titles.dimension("step", of: metric) == "Furthest step")
        let answer = try Self.answer(
            "", [row(["iOS"], 600), row(["other"], nil)], total: 2, whole: [row([], 800)],
            shape: ExplorerChoiceTests.identifiers, titles: titles)
        #expect(answer.sentence.contains("with about 600 of about 800 identifiers (75%); off by"))
        #expect(answer.withheldNote?.hasSuffix("25.0% of the identifiers.") == true)
        #expect(answer.basis[0].hasPrefix("Counts identifiers, each once, at the furthest step"))
    }

    private static let after30 =
        "After 30 days the split by System is deleted, and only that by Kind of system is left."

    @Test("how long numbers are kept stands below them, with what is kept for longer, and in each line of the CSV")
    func ageing() throws {
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}
                dimensions:
                  os: {title: System, field: os, list: [iOS, Android], partitions: devices}
                  kind: {title: Kind of system, of: os, groups: {Mobile: [iOS, Android]}}
                metrics:
                  orders:
                    {title: Orders, events: [paid], question: What?, decision: That., owner: Team, expires: 2027-10-31,
                    purpose: product, dimensions: [os], margins: [[os], [kind]], period: day,
                    decay: [{after: 30 days, coarsen: os, to: kind}, {after: 300 days, keep: totals}]}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let titles = ExplorerTitles(plans: [plan], language: .english)
        let metric = ExplorerChoiceTests.metric
        func said(_ names: [DimensionName]) -> String? { titles.ageing(of: metric, by: .day, splitBy: names) }
        #expect(said(["os"]) == Self.after30)
        #expect(said(["kind"]) == "After 300 days every split is deleted, and only totals are left.")
        #expect(said([]) == "After 400 days its numbers are deleted.")
        let answer = try Self.answer("", [row(["iOS"], 60)], total: 1, whole: [row([], 80)], titles: titles)
        #expect(answer.basis.last == Self.after30)
        #expect(NumbersTable(answer).csv.hasSuffix(",2026-12-24T00:00:00Z\r\n"))
    }

    @Test("a table of two dimensions has the totals as they are published, never sums, and says where there is none")
    func totals() throws {
        let cells = [row(["iOS", "cart"], 60), row(["iOS", "other"], nil), row(["other", "cart"], 25)]
        let edges = [[row(["iOS"], 71), row(["other"], nil)], [row([], 140)]]
        let answer = try Self.answer("&grouping=os,%20step", cells, edges: edges)
        #expect(answer.choice.edges.map { $0.columns.map(\.name) } == [["os"], []], "no grouping by step is published")
        func said(_ buckets: [String: String]) -> String { answer.total(in: buckets).text(in: .english) }
        #expect(said(["os": "iOS"]) == "71" && said([:]) == "140")
        #expect(answer.total(in: ["os": "other"]) == .withheld)
        #expect(said(["step": "cart"]) == answer.missing.text(in: .english))
        let html = try PortalPages(plans: []).html(of: Self.view(answer), by: "explorer")
        #expect(html.matches(of: /<td class="total">/).count == 2)
        #expect(html.contains(">All</th>") && !html.contains(">85<"))
        // A page of several periods, or of one bucket, has no such table.
        let days = try Self.answer("&grouping=os,%20step&from=2026-11-21", cells)
        let single = try Self.answer("", [])
        #expect(days.choice.edges.isEmpty && single.choice.edges.isEmpty)
    }

    @Test("charts: bars, lines over periods, a heat table, one number, and a hint where a drawing would hold too much")
    func charts() throws {
        let one = try ExplorerCharts(Self.answer("", [row(["iOS"], 60)]))
        #expect(one.barCharts.count == 1 && one.hints.isEmpty)
        let days = (0..<3).map { Self.row(["iOS"], 60, day: $0) }
        #expect(try ExplorerCharts(Self.answer("&from=2026-11-21", days)).lineCharts.count == 1)
        let cells = [row(["iOS", "cart"], 60), row(["iOS", "other"], nil)]
        #expect(try ExplorerCharts(Self.answer("&grouping=os,%20step", cells)).heatTables.count == 1)
        #expect(
            try ExplorerCharts(Self.answer("&grouping=(total)", [row([], 60)])).stats.first?.texts("markNumbers") == [
                "60"
            ])
        let many = (0..<61).map { row(["\($0)"], 60) }
        #expect(try ExplorerCharts(Self.answer("", many)).hints.count == 1)
        let wide = try ExplorerCharts(Self.answer("&grouping=os,%20step&from=2026-11-21", cells))
        #expect(wide.heatTables.isEmpty && wide.hints.count == 1)
    }
}
