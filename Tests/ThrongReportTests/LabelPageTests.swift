import Foundation
import Testing
import ThrongPlan
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Promise 7: anyone can see on one page what is counted, why, how coarsely, for how long and who receives it")
struct LabelPageTests {
    private static let today = CalendarDate(daysSince1970: 20_778)

    private static func shop() throws -> Plan {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Deploy/sample/shop.yaml").standardized
        return try Plan(bytes: try Data(contentsOf: file), file: "shop.yaml", today: today)
    }

    private static func spaced(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("the page and the text for a privacy policy say the same")
    func sameAsText() throws {
        let plan = try Self.shop()
        let label = plan.label(today: Self.today)
        let page = Self.spaced(try PagePieces(label.page(root: "").html).root.stringValue ?? "")
        let text = Self.spaced(plan.privacyLabel(today: Self.today))
        var said: [String] = [label.title, label.lede, label.contact, label.plan, label.timeZone] + label.promises
        said += label.rights
        for purpose in label.purposes {
            said += [purpose.name.text, purpose.explanation] + purpose.facts.map(\.text)
            for metric in purpose.metrics { said += [metric.title, metric.question] + metric.facts.map(\.text) }
        }
        for dimension in label.dimensions { said += [dimension.title, dimension.source] }
        for recipient in label.recipients { said += [recipient.title] + recipient.insights }
        #expect(said.count > 80)
        for words in said {
            #expect(page.contains(Self.spaced(words)), "the page lacks: \(words)")
            #expect(text.contains(Self.spaced(words)), "the text lacks: \(words)")
        }
    }

    @Test("no word on the page is one of ours alone")
    func words() throws {
        let label = try Self.shop().label(today: Self.today)
        let pages = [try label.page(root: ""), try LabelPage.index(of: [label])]
        for page in pages {
            let text = try PagePieces(page.html).text("//body").joined(separator: " ").lowercased()
            let words = Set(text.split { !$0.isLetter && $0 != "_" }.map(String.init))
            #expect(words.count > 20)
            #expect(words.isDisjoint(with: ["event", "events", "identifier", "identifiers", "cell", "floor", "band"]))
            #expect(!words.contains("k"))
        }
    }

    @Test("four drawings without words show how an act becomes a number, each with its sentence")
    func steps() throws {
        let label = try Self.shop().label(today: Self.today)
        let pieces = try PagePieces(label.page(root: "").html)
        let way = "//*[@aria-labelledby='way']//li"
        #expect(try pieces.text(way).map(Self.spaced) == label.steps && label.steps.count == 4)
        #expect(try pieces.elements("\(way)/*[name()='svg'][@aria-hidden='true']").count == 4)
        #expect(try pieces.text("\(way)/*[name()='svg']").allSatisfy(\.isEmpty))
    }

    @Test("every bucket of every dimension is on the page")
    func buckets() throws {
        let label = try Self.shop().label(today: Self.today)
        let shown = try PagePieces(label.page(root: "").html).text("//*[@id='coarsely']//li")
        #expect(shown == label.dimensions.flatMap(\.buckets))
    }

    @Test("the page keeps its elements and attributes whatever the plan says", arguments: InjectionTests.hostile)
    func hostile(text: String) throws {
        func page(_ text: String) throws -> String {
            let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            let yaml = """
                app: {name: app, title: \(quoted), owner: Team, contact: \(quoted), audience: 1000}
                purposes:
                  product: {explanation: \(quoted), consent: not_required, rotation: 1 day, retention: 30 days}
                dimensions:
                  os: {title: \(quoted), field: os, list: {"a": [x]}}
                metrics:
                  views: {title: \(quoted), events: [view], question: \(quoted), decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, dimensions: [os], period: day}
                insights:
                  all: {title: \(quoted), metric: views, kind: count}
                partners:
                  them: {title: \(quoted), contact: \(quoted)}
                reports:
                  daily: {title: Daily, partner: them, insights: [all], period: day, deliver: [{folder: x}]}
                """
            let plan = try Plan(yaml: yaml, file: "plan.yaml", today: Self.today)
            let trial = LabelTrial(
                event: text, values: ["os": text],
                outcomes: [.init(title: text, text: text, remains: [.init(name: text, value: text)])])
            return try plan.label(today: Self.today).page(root: "../", trial: trial).html
        }
        func skeleton(_ html: String) throws -> [String] {
            try PagePieces(html).elements("//*").map { element in
                ([element.name ?? ""] + (element.attributes ?? []).compactMap(\.name).sorted()).joined(separator: " ")
            }
        }
        let html: String
        do {
            html = try page(text)
        } catch is PlanProblems {
            // The plan's reader takes no controls.
            #expect(text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202e}" })
            return
        }
        #expect(try skeleton(html) == skeleton(page("plain")))
        #expect(!html.contains("<script"))
        #expect(!html.contains("<img"))
    }

    @Test("nothing is loaded, nothing runs, no style is inline, and its one style element is the one that is named")
    func selfContained() throws {
        let page = try Self.shop().label(today: Self.today).page(root: "")
        let pieces = try PagePieces(page.html)
        #expect(try pieces.elements("//script | //link | //img | //iframe | //@src | //@style").isEmpty)
        #expect(try pieces.elements("//style").count == 1)
        #expect(page.html.contains("<style>\(page.style)</style>"))
        #expect(!page.style.contains("url(") && !page.style.contains("@import"))
    }

    @Test("several apps have a page that leads to theirs")
    func index() throws {
        let label = try Self.shop().label(today: Self.today)
        let pieces = try PagePieces(LabelPage.index(of: [label, label]).html)
        #expect(
            try pieces.elements("//a").map { $0.attribute(forName: "href")?.stringValue } == ["apps/shop", "apps/shop"])
    }
}
