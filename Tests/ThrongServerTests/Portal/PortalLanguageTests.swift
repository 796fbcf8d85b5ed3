import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Testing
import ThrongPlan
import ThrongReport
import ThrongSystem

@testable import ThrongServer
@testable import ThrongStore

@Suite("A page of the portal is in one language: the reader's")
struct PortalLanguageTests {
    /// Languages that write no word in Latin letters, so that a sentence of English stands out.
    private static let languages = ["ar", "ja", "zh-Hans", "zh-Hant"].compactMap {
        LanguageTag($0).flatMap { Language($0) }
    }

    /// What all languages write in Latin letters: formats, programs, units, and buckets of the tests.
    private static let names: Set = [
        "SHA", "UTC", "SQL", "CSV", "SVG", "JSON", "HTML", "Excel", "psql", "EUR", "iOS", "it", "os", "step", "cart",
        "kB", "UTF", "PostgreSQL", "curl", "throng", "try", "grouping", "from", "last", "over", "revenue", "Revenue",
        "Step",
    ]

    // MARK: Templates

    @Test("a template has no word of its own, and shows only messages that there are")
    func templates() {
        let templates = ThrongServer.PackageResources.all.filter {
            $0.name.hasSuffix(".mustache") && $0.name != "operator.mustache"
        }
        #expect(templates.count == 18)
        var shown = 0
        for (name, bytes) in templates {
            let text = String(decoding: bytes, as: UTF8.self)
            for message in text.matches(of: /say\.(\w+)/) {
                shown += 1
                #expect(Language.english.words[String(message.1)] != nil, "\(name) shows \(message.1)")
            }
            let plain = text.replacing(/\{\{.*?\}\}+/, with: "").replacing(/<code>throng verify [^<]*/, with: "")
            let labels = plain.matches(of: /aria-label="([^"]*)"/).map { String($0.1) }.filter { $0 != "SQL" }
            let words = (plain.replacing(/<[^>]*>/, with: "") + labels.joined()).filter(\.isLetter)
            #expect(words.isEmpty, "\(name) says \(words)")
        }
        #expect(shown > 50)
    }

    // MARK: Pages

    /// A page without styles, codes and commands.
    private static func plain(_ html: String) -> String {
        html.replacing(/<(style|pre|code|script)[ >](?s:.*?)<\/(style|pre|code|script)>/, with: "")
    }

    /// The words in Latin letters on a page that are no names.
    private static func strange(_ html: String) -> Set<String> {
        let plain = plain(html)
        let labels = plain.matches(of: /(?:aria-label|data-copied)="([^"]*)"/).map { String($0.1) }
        let text = plain.replacing(/<[^>]*>/, with: " ") + labels.joined(separator: " ")
        let words = text.replacing(/&#?\w+;/, with: " ").matches(of: /[A-Za-z]{2,}/).map { String($0.0) }
        return Set(words).subtracting(names)
    }

    private static func check(_ html: String, _ language: Language, _ name: String) {
        let side = language.isRightToLeft ? "rtl" : "ltr"
        #expect(html.contains("<html lang=\"\(language.tag)\" dir=\"\(side)\">"), "\(name)")
        #expect(strange(html).isEmpty, "\(language.tag): \(name)")
        #expect(!plain(html).contains("{"), "\(language.tag): \(name) has an argument that was left out")
    }

    private static func plan(_ reports: String = "", language: String = "ja") throws -> Plan {
        try Plan(
            yaml: """
                app: {name: shop, title: 店, owner: Team, contact: a@example.com, audience: 1000}
                purposes:
                  product: {explanation: 知るため, consent: not_required, rotation: 1 day, retention: 400 days}
                dimensions:
                  os: {title: 機種, field: os, list: [iOS, "it is"], partitions: devices}
                metrics:
                  orders:
                    {title: 注文, events: [paid], question: いくつ, decision: That., owner: Team, expires: 2027-10-31,
                    purpose: product, dimensions: [os], period: day}
                insights:
                  all: {title: 全部, metric: orders, kind: count}
                partners:
                  bank: {title: 銀行, contact: b@example.com}
                reports:
                  daily: {title: 毎日, partner: bank, insights: [all], period: day, language: \(language)}
                \(reports)
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    @Test(
        "the explorer's pages: metrics, bars, lines, a number, a heat table, what is withheld, problems",
        arguments: languages)
    func explorer(language: Language) throws {
        let plan = try Self.plan()
        let (pages, titles) = (try PortalPages(plans: [plan]), ExplorerTitles(plans: [plan], language: language))
        let frame = pages.frame("", in: language, visitor: language.say(.role, ["role": "analyst"]))
        func row(_ buckets: [String], _ count: Int128?, day: Int64 = 2) -> AnalystRow {
            ExplorerAnswerTests.row(buckets, count, day: day)
        }
        let some = [row(["iOS"], 60), row(["it's"], nil), row(["other"], 20)]
        let cases: [(address: String, rows: [AnalystRow], total: Int)] = [
            ("", some, 3), ("&grouping=(total)", [row([], 1410)], 1), ("&grouping=(total)", [row([], nil)], 1),
            ("&grouping=(total)&from=2026-11-21", (0..<3).map { row([], 50 + Int128($0), day: $0) }, 3),
            ("&from=2026-11-21&over=visits", some + some, 6), ("&measure=devices&at.os=other", some, 3),
            ("&grouping=os,%20step", [row(["iOS", "cart"], 60), row(["iOS", "other"], nil)], 2),
            ("", some, 25_000), ("", [], 0),
        ]
        for (place, one) in cases.enumerated() {
            let over = ExplorerNeighbours.Over(metric: "visits", title: "訪問", columns: ["os"], rows: one.rows)
            let answer = try ExplorerAnswerTests.answer(
                one.address, one.rows, total: one.total, whole: [row([], 800)], before: [row(["iOS"], 40, day: 1)],
                over: place == 4 ? over : nil, titles: titles)
            let view = ExplorerView.of(answer, metrics: [ExplorerChoiceTests.metric], frame: frame)
            Self.check(try pages.html(of: view, by: "explorer"), language, "page \(place)")
            let list = CatalogueView.of(
                [ExplorerChoiceTests.metric], trends: [ExplorerChoiceTests.metric: answer], titles: titles, frame: frame
            )
            Self.check(try pages.html(of: list, by: "catalogue"), language, "list \(place)")
        }
        let none = CatalogueView.of([], trends: [:], titles: titles, frame: frame)
        Self.check(try pages.html(of: none, by: "catalogue"), language, "nothing")
        for address in [
            "", "app=shop", "last=0", "from=2026-11-23&to=2026-11-21", "at.step=cart", "new=1", "measure=x",
        ] {
            do {
                _ = try ExplorerChoiceTests.choice(
                    "app=shop&metric=orders&\(address)".replacing("&app=shop", with: "&a=1"))
                #expect(address.isEmpty)
            } catch let problem as ExplorerProblem {
                let text = problem.heading(in: language) + problem.text(in: language)
                #expect(Self.strange(text).isSubset(of: ["measure"]) && !text.contains("{"), "\(text)")
            }
        }
    }

    @Test("lists of reports, comparisons and notices", arguments: languages)
    func partners(language: Language) throws {
        let plan = try Self.plan()
        let pages = try PortalPages(plans: [plan])
        let frame = pages.frame("", in: language, visitor: "銀行")
        let files = (0..<70).flatMap { place -> [KeptReportFile] in
            let start = UnixSeconds(1_795_219_200) + Int64(place) * 86_400
            let period = PeriodCalendar.utc.period(.day, containing: start)
            return [".html", ".csv", ".json", "-all.svg", ".manifest.json", ".manifest.sig"].map { ending in
                let stem = ReportFile.stem(report: "daily", period: PeriodCalendar.utc.label(of: period))
                return KeptReportFile(
                    report: "daily", period: period, name: stem + ending, bytes: 20_000, madeAt: period.end)
            }
        }
        for (part, files) in [(1, files), (2, files), (1, files.filter { $0.name.hasSuffix("csv") }), (1, [])] {
            var view = ReportsView.of(files, plan: plan, partner: "銀行", part: part, frame: frame)
            view["feeds"] = ["https://count.example/"]
            Self.check(try pages.html(of: view, by: "reports"), language, "reports")
        }
        let rows = [("iOS", "published", Optional("1500")), ("other", "withheld", nil)]
        let (one, two) = try (
            ComparisonTests.report("2026-11-20", title: "毎日", view: "ranking", rows: rows, withheldShare: "0.1"),
            ComparisonTests.report("2026-11-21", title: "毎日", view: "ranking", rows: [rows[0]], sampling: "0.25")
        )
        for other in [one, two] {
            let view = ComparisonView(one, other, frame: frame)
            Self.check(try pages.html(of: view, by: "comparison"), language, "comparison")
        }
        for notice in [PortalPages.Notice.missing, .same, .closed, .gone] {
            #expect(Self.strange(language.say(.noticeWhy, ["notice": notice.rawValue])).isEmpty)
        }
    }

    @Test(
        "the page that asks for a number: its form, what it says of a draft, what was asked", arguments: languages)
    func asking(language: Language) throws {
        let plan = try Self.plan()
        let pages = try PortalPages(plans: [plan])
        let values = ["metric": "orders", "split": "os", "measure": "events", "kind": "day"]
        let asked = try #require(AskedNumber(for: nil) { values[$0] })
        let own = [asked.form, [("event", "orders"), ("kind", "week")]].flatMap { form in
            [nil, UnixSeconds.epoch].map { end in
                AskedQuestion(
                    id: "0", role: .analysis, note: nil, app: "shop", question: AddressQuery.text(form),
                    askedAt: .epoch,
                    declinedAt: end)
            }
        }
        #expect(Set(own.map { $0.state(in: [plan]) }).count == 3)
        let missing: [[String: String]] = [
            ["event": "orders", "kind": "week"], ["metric": "orders", "measure": "devices", "kind": "day"],
            ["metric": "orders", "kind": "hour"],
        ]
        let readers: [(PartnerName?, AccessRole)] = [
            (nil, .analysis), (nil, .operations), ("bank", .operations), ("bank", .partner("bank", of: "shop")),
        ]
        for (partner, role) in readers {
            let view = AskView(plan: plan, partner: partner, role: role, language: language)
            var page = view.page({ values[$0] }, own, "full")
            let drafts = try missing.map { form in try #require(AskedNumber(for: partner) { form[$0] }) }
            page["drafts"] = ([asked] + drafts).map { view.draft($0, now: UnixSeconds(1_795_219_200)) }
            page["frame"] = pages.frame("", in: language)
            let html = try pages.html(of: page, by: "ask")
            Self.check(html, language, "ask")
            // What the bank's daily report lacks changes no margin.
            #expect(html.contains("±") == (partner == nil), "\(role): costs are for all but partners")
            #expect(!html.contains(view.told("anyway")) || role == .analysis, "\(role) can't send without lines")
            for told in ["same", "changes", "none", "anyway", "costs", "had", "unclear", "first"] {
                #expect(Self.strange(view.told(told)).isEmpty)
            }
        }
    }

    @Test("the page of a trial, and all that it says of the plan, reports and batches", arguments: languages)
    func trial(language: Language) async throws {
        let plan = try Self.plan(language: language.tag.text)
        let feed = TryoutFeed(plan: TryoutPlan("店.yaml", plan, .counting))
        feed.set([PeriodKind.hour, .day, .week, .month, nil].map { (title: "毎日", kind: $0, address: "/") })
        let desk = TryoutProxy(
            feed, plan: plan, daemon: "http://127.0.0.1:1", authorities: nil,
            settings: ConnectionSettings(connectionString: "host=/nowhere"), folder: "/nowhere")
        defer { desk.close() }
        let client = RouterClient(
            TryoutServer(
                desk, example: { OutgoingRequest(.post, "/v1/batches") }, made: [],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            .router())
        let headers: HTTPFields = [.acceptLanguage: "\(language.tag), en;q=0.5"]
        Self.check(try await client.send(.get, "/try", headers: headers).body, language, "/try")
        let nothing = try await client.send(.get, "/try/made/7", headers: headers)
        #expect(nothing.status == .notFound && Self.strange(nothing.body).isEmpty)

        let now = UnixSeconds(1_795_219_200)
        let window = try #require(plan.purposes.first).rotation.window(at: now).value
        let detail = RefusalDetail(pointer: "/0", member: 3, field: "os", nearest: "os")
        let reasons = RefusalReason.allCases.enumerated().map {
            BatchAnswer.Refusal(index: $0 + 1, reason: $1, detail: detail)
        }
        let answer = try JSONEncoder().encode(BatchAnswer(accepted: 1, refused: reasons))
        let tuple = PreviewAnswer.Tuple(
            metric: "orders", buckets: ["os": "iOS"], period: "2026-11-21", count: 3, sums: [:])
        let preview = try JSONEncoder().encode(
            PreviewAnswer(events: [.init(index: 0, counted: [tuple], refused: nil)]))
        for (place, shift) in [Int64(0), -1, 1, 9, 9_999_999].enumerated() {
            let events = String(repeating: ", {}", count: reasons.count + 2).dropFirst(2)
            let body = """
                {"purpose": "\(place == 1 ? "x" : "product")", "window": \(window + shift), "batch": "7", "test": true,
                "events": [\(events)]}
                """
            for status in [202, 400] {
                let batch = TryoutBatch(
                    feed.nextNumber(), plan: plan, now: now, body: Array(body.utf8), isGzip: false, status: status,
                    answer: Array(answer), preview: Array(preview), hasCome: { _ in place == 2 })
                feed.put(batch, isNew: true)
            }
        }
        for state in [TryoutPlan.State.counting, .starting, .missing, .mistaken] {
            feed.set(TryoutPlan("店.yaml", plan, state))
            let news = try await client.send(.get, "/try/feed?after=0", headers: headers).body
            let read = try #require(try JSONSerialization.jsonObject(with: Data(news.utf8)) as? [String: Any])
            var said: [String] = []
            func gather(_ value: Any, _ key: String) {
                if let text = value as? String, !["refused", "address", "state", "version", "file"].contains(key) {
                    said.append(text)
                }
                for part in value as? [Any] ?? [] { gather(part, key) }
                for (key, part) in value as? [String: Any] ?? [:] { gather(part, key) }
            }
            gather(read, "")
            let words = said.filter { !["good", "bad", "product", "x"].contains($0) && !$0.contains("http_400") }
            #expect(words.count > 200 && !words.contains { $0.contains("{") })
            let text = words.joined(separator: " ").replacing(plan.version.short, with: "")
            let strange = Self.strange(text).subtracting(["yaml", "PostgreSQL"])
            #expect(strange.isEmpty, "\(language.tag): \(strange)")
        }
    }

    // MARK: Whose language

    private static func request(_ wanted: String?) -> Request {
        let headers: HTTPFields = wanted.map { [.acceptLanguage: $0] } ?? [:]
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("a partner reads the language of its reports; others what they ask for, of those that all plans are in")
    func choice() throws {
        let (ja, en) = (try PortalPages(plans: [Self.plan()]), try PortalPages(plans: [PortalPlan.read()]))
        let bank = AccessRole.partner("bank", of: "shop")
        for wanted in ["de", "ar,en", nil] {
            #expect(ja.language(of: bank, for: Self.request(wanted)).tag.text == "ja")
            #expect(en.language(of: bank, for: Self.request(wanted)) == .english)
            #expect(en.language(of: .analysis, for: Self.request(wanted)) == .english)
            #expect(ja.language(of: .analysis, for: Self.request(wanted)).tag.text == "ja")
        }
        let both = try PortalPages(plans: [Self.plan(), PortalPlan.read()])
        #expect(both.language(of: .analysis, for: Self.request("ja")) == .english)
        #expect(both.language(for: Self.request("ja"), isDoor: true).tag.text == "ja")
        let two = try PortalPages(
            plans: [
                Self.plan("  weekly: {title: Week, partner: bank, insights: [all], period: day, language: en}")
            ])
        #expect(two.language(of: bank, for: Self.request("en-GB")) == .english)
        #expect(two.language(of: bank, for: Self.request("de")).tag.text == "ja")
    }

    @Test("the door speaks the language of reports behind it, also to those whom it keeps out")
    func door() async throws {
        let access = AccessStore(ConnectionSettings(connectionString: "host=/nowhere"))
        defer { access.close(within: .zero) }
        let door = Doorkeeper(access: access, now: { UnixSeconds(1_795_219_200) }, onRefusal: { _ in })
        let router = Router(context: BasicRequestContext.self)
        SignInRoutes(door: door, pages: try PortalPages(plans: [Self.plan()])).add(to: router)
        let client = RouterClient(router)
        let japanese = try #require(LanguageTag("ja").flatMap { Language($0) })
        let headers: HTTPFields = [.acceptLanguage: "ja-JP, en;q=0.5"]
        for path in ["/", "/sign-in", "/sign-in?link=x"] {
            Self.check(try await client.send(.get, path, headers: headers).body, japanese, path)
        }
        for _ in 0..<12 {
            let answer = try await client.send(.post, "/sign-in", headers: headers, body: "token=wrong")
            #expect(answer.status == .forbidden || answer.status == .tooManyRequests)
            Self.check(answer.body, japanese, "\(answer.status)")
        }
    }
}
