import HTTPTypes
import Hummingbird
import TestCluster
import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongServer
@testable import ThrongStore

@Suite("A number that is missing is asked for on a page, and its owner finds it")
struct AskRoutesTests {
    private static let now = UnixSeconds(1_795_219_200)
    private static let text = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [iOS, Android], partitions: devices}
        metrics:
          orders: {title: Orders, events: [order], question: What?, decision: That., owner: Team,
            expires: 2027-06-30, purpose: product, period: day}
        insights:
          orders: {title: Orders, metric: orders, kind: count}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          pulse: {title: Pulse, partner: bank, insights: [orders], period: day}

        """
    private static let asked = "app=shop&metric=orders&split=os&measure=events&kind=day&decision=It+<depends>"

    private let access: AccessStore
    private let plan: Plan

    init() async throws {
        access = AccessStore(try await TestCluster.database())
        plan = try Plan(yaml: Self.text, file: "p.yaml", today: CalendarDate(daysSince1970: 20_778))
    }

    private func client(of plans: [Plan]? = nil) throws -> RouterClient {
        let door = Doorkeeper(access: access, now: { Self.now }, onRefusal: { _ in })
        let router = Router(context: BasicRequestContext.self)
        let pages = try PortalPages(plans: plans ?? [plan])
        AskRoutes(door: door, pages: pages, access: access).add(to: router)
        SessionRoutes(door: door, pages: pages, access: access).add(to: router)
        return RouterClient(router)
    }

    /// The headers of a browser in which somebody has signed in.
    private func headers(_ id: String, _ role: AccessRole) async throws -> HTTPFields {
        let token = AccessToken(
            id: id, role: role, note: "Ms <Reader>", createdAt: Self.now, expiresAt: Self.now + 86_400)
        try await access.add(token, AccessSecret())
        return [.cookie: "__Host-throng=\(try await access.beginSession(of: id))", .origin: "http://localhost"]
    }

    @Test(
        "an analyst sees the lines, their cost and the first number at once, sends the question, and the owner finds it"
    )
    func analyst() async throws {
        let (client, headers) = (try client(), try await headers("00000001", .analysis))
        let bare = try await client.send(.get, "/ask", headers: headers)
        #expect(
            bare.status == .ok && !bare.body.contains("class=\"command\"") && bare.body.contains(">Orders</option>"))
        let draft = try await client.send(.get, "/ask?" + Self.asked, headers: headers)
        #expect(draft.status == .ok)
        for part in [
            "Orders by System: events, every day", "metrics:&#10;  orders_by_os:&#10;", "    dimensions: [os]",
            "The margins of all other numbers stay as they are.",
            ">Orders by System: by System</th><td>\u{2013}</td><td>±",
            ">Orders by System: a guess whether a device was there on a day</th><td>\u{2013}</td><td>right in at most ",
            ">All metrics of a day: a guess whether a device was there</th>", "<legend>How it is measured</legend>",
            "method=\"post\" action=\"/ask\"", "It &lt;depends&gt;",
        ] { #expect(draft.body.contains(part), "\(part)") }
        #expect(try await access.asked().isEmpty, "a look sends nothing")

        let sent = try await client.send(.post, "/ask", headers: headers, body: Self.asked)
        #expect(sent.status == .seeOther && sent.headers[.location] == "/ask?app=shop")
        #expect(try await client.send(.get, "/ask", headers: headers).body.contains("Waits since"))
        #expect(
            try await client.send(.post, "/ask", headers: headers, body: Self.asked).status == .badRequest, "it waits")

        let html = try await operatorPage(of: [plan])
        for part in [
            "Ms &lt;Reader&gt;", "Orders by System", "waits; it would decide: It &lt;depends&gt;", "name=\"decline\"",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        // The owner sees the same lines, and declines; nobody else can.
        let href = try #require(html.firstMatch(of: /href="(\/ask[^"]*)"/)?.1)
        let address = String(href).replacing("&amp;", with: "&")
        let owner = try await self.headers("00000005", .operations)
        let seen = try await client.send(.get, address, headers: owner)
        #expect(
            seen.status == .ok && seen.body.contains("  orders_by_os:")
                && !seen.body.contains("method=\"post\" action=\"/ask\""))
        let decline = "decline=" + (try #require(try await access.asked().first).id)
        for other in [headers, [:]] { _ = try await client.send(.post, "/ask", headers: other, body: decline) }
        var foreign = owner
        foreign[.origin] = "https://elsewhere.example"
        #expect(try await client.send(.post, "/ask", headers: foreign, body: decline).status == .forbidden)
        for body in ["", "decline=", "decline=%00", Self.asked] {
            #expect(try await client.send(.post, "/ask", headers: owner, body: body).status == .seeOther)
        }
        #expect(try await access.asked().map(\.declinedAt) == [nil])
        let done = try await client.send(.post, "/ask", headers: owner, body: decline)
        #expect(done.status == .seeOther && done.headers[.location] == "/operator#numbers-asked-for")
        #expect(try await client.send(.get, "/ask", headers: headers).body.contains("Declined on"))
        #expect(try await !operatorPage(of: [plan]).contains("name=\"decline\""))
        #expect(html.contains("id=\"numbers-asked-for\""))
    }

    private func operatorPage(of plans: [Plan]) async throws -> String {
        let view = OperatorView(
            DaemonHealth(panels: [], refusals: []), released: [], runs: [], asked: try await access.asked(),
            plans: plans,
            now: Self.now, frame: PageFrame(language: .english))
        return try PortalPages(plans: plans).html(of: ["panels": view.panels] as TemplateView, by: "operator")
    }

    @Test("a question whose number the plan has says so by itself")
    func settled() async throws {
        let (client, headers) = (try client(), try await headers("00000001", .analysis))
        _ = try await client.send(.post, "/ask", headers: headers, body: Self.asked)
        #expect(try await client.send(.get, "/ask", headers: headers).body.contains("Waits since"))
        let text = Self.text.replacing(
            "purpose: product, period: day", with: "purpose: product, dimensions: [os], period: day")
        let grown = try Plan(yaml: text, file: "p.yaml", today: CalendarDate(daysSince1970: 20_778))
        let later = try self.client(of: [grown])
        #expect(try await later.send(.get, "/ask", headers: headers).body.contains("The plan has it"))
        #expect(try await operatorPage(of: [grown]).contains("the plan has it"))
        // A daemon that still has the former plan says what that plan knows; one without the app can't read it.
        #expect(try await client.send(.get, "/ask", headers: headers).body.contains("Waits since"))
        let gone = try await operatorPage(of: [])
        #expect(gone.contains("shop: a number of no plan here") && gone.contains("name=\"decline\""))
        #expect(try await self.client(of: []).send(.get, "/ask?" + Self.asked, headers: headers).status == .forbidden)
        // Eight wait; the one that is answered leaves its place.
        for number in 2...8 {
            let body = "app=shop&event=e\(number)&kind=day"
            #expect(try await later.send(.post, "/ask", headers: headers, body: body).status == .seeOther)
        }
        let more = "app=shop&event=more&kind=day"
        #expect(try await client.send(.post, "/ask", headers: headers, body: more).status == .badRequest)
        #expect(try await later.send(.post, "/ask", headers: headers, body: more).status == .seeOther)
        #expect(try await later.send(.post, "/ask", headers: headers, body: more).status == .badRequest)
        #expect(try await access.asked().allSatisfy { !$0.question.contains("orders") })
    }

    @Test("a partner asks for its own reports alone; operators, strangers and forms of other pages get nothing")
    func others() async throws {
        let client = try client()
        let bank = try await headers("00000002", .partner("bank", of: "shop"))
        let draft = try await client.send(.get, "/ask?" + Self.asked, headers: bank)
        #expect(draft.body.contains("If the plan had it now") && draft.body.contains("method=\"post\" action=\"/ask\""))
        #expect(!draft.body.contains("value=\"week\""), "no report of weeks goes there")
        #expect(try await client.send(.get, "/ask?" + Self.asked).status == .unauthorized)
        #expect(try await client.send(.post, "/ask", body: Self.asked).status == .unauthorized)
        let own = try await headers("00000003", .operations)
        #expect(try await client.send(.post, "/ask", headers: own, body: Self.asked).status == .seeOther)
        let stranger = try await headers("00000004", .partner("shop", of: "shop"))
        #expect(try await client.send(.get, "/ask", headers: stranger).status == .forbidden)
        var foreign = bank
        foreign[.origin] = "https://elsewhere.example"
        #expect(try await client.send(.post, "/ask", headers: foreign, body: Self.asked).status == .forbidden)
        for body in ["", "app=shop&metric=Orders&kind=day", "app=shop&metric=orders&kind=day"] {
            #expect(try await client.send(.post, "/ask", headers: bank, body: body).status != .seeOther, "\(body)")
        }
        #expect(try await access.asked().isEmpty)
    }

    @Test(
        "a partner learns nothing of metrics that are not its own: not by the form, a draft, its cost, or what it names"
    )
    func secrets() async throws {
        let hidden = Self.text.replacing(
            "insights:\n  orders:",
            with: """
                  secret: {title: Hidden, events: [hide], question: What?, decision: That., owner: Team,
                    expires: 2027-06-30, purpose: product, dimensions: [shade], period: day,
                    measures: {sums: {depth: {field: deep, from: 0, to: 9}}}}
                insights:
                  orders:
                """
        ).replacing("metrics:\n", with: "  shade: {title: Shading, field: tone, list: [dark, light]}\nmetrics:\n")
        let more = try Plan(yaml: hidden, file: "p.yaml", today: CalendarDate(daysSince1970: 20_778))
        #expect(more.metrics.count == 2)
        let bank = try await headers("00000002", .partner("bank", of: "shop"))
        let (with, without) = (try client(of: [more]), try client())
        for form in [
            "", "metric=secret&kind=day", "metric=secret&split=shade&kind=day", "event=hide&field=tone&kind=day",
            "metric=orders&split=shade&kind=day", "metric=orders&measure=sum.deep&kind=day", "metric=orders&kind=day",
            "event=hide&amount=deep&kind=day", "app=other&metric=secret&kind=day&partner=shop",
        ] {
            let seen = try await with.send(.get, "/ask?" + form, headers: bank)
            #expect(seen.body == (try await without.send(.get, "/ask?" + form, headers: bank).body), "\(form)")
            #expect(!seen.body.contains("class=\"command\"") && !seen.body.contains("±"))
            #expect(!seen.body.contains("What it costs") && !seen.body.contains("What it would take"), "\(form)")
            #expect(!seen.body.contains("Hidden") && !seen.body.contains("Shading"), "\(form)")
        }
        let sent = "metric=secret&split=shade&measure=events&kind=day"
        #expect(try await with.send(.post, "/ask", headers: bank, body: sent).status == .seeOther)
        #expect(try await with.send(.get, "/ask", headers: bank).body.contains("secret by shade"))
        #expect(try await operatorPage(of: [more]).contains("Hidden by Shading"))
    }

    @Test("nobody is told that they can do what others can: who sends is told of sending, the owner of lines alone")
    func roles() async throws {
        // Without identifiers nobody counts devices, so that no draft passes.
        let text = Self.text.replacing("rotation: 1 day", with: "identifier: none")
        let plan = try Plan(yaml: text, file: "p.yaml", today: CalendarDate(daysSince1970: 20_778))
        let (client, form) = (try client(of: [plan]), "/ask?metric=orders&measure=devices&kind=day")
        let (analyst, owner) = (try await headers("00000001", .analysis), try await headers("00000002", .operations))
        let bank = try await headers("00000003", .partner("bank", of: "shop"))
        func said(_ headers: HTTPFields) async throws -> String {
            try await client.send(.get, form, headers: headers).body
        }
        let (sender, answerer, partner) = (try await said(analyst), try await said(owner), try await said(bank))
        let (none, anyway) = ("No draft passes the plan’s checks", "You can send the question all the same.")
        #expect(sender.contains(none) && sender.contains(anyway) && sender.contains("your token"))
        #expect(answerer.contains(none) && !answerer.contains(anyway) && !answerer.contains("your token"))
        #expect(!partner.contains(none) && partner.contains("When it could come is worked out"))
        #expect(partner.contains("See when it could come") && answerer.contains("See what it takes"))
        for (headers, reads) in [(analyst, false), (owner, false), (bank, true)] {
            let signIns = try await client.send(.get, "/sessions", headers: headers)
            #expect(signIns.status == .ok && signIns.body.contains("last read a report") == reads)
        }
        let gone = try await client.send(.get, "/ask?app=other", headers: analyst)
        #expect(gone.status == .forbidden && gone.body.contains("There is no such plan here"))
    }

    @Test("forms that are too long, odd or twice are refused or cut, and nothing of them is kept as it came")
    func bounds() async throws {
        let (client, headers) = (try client(), try await headers("00000001", .analysis))
        for body in [
            "kind=day&metric=" + String(repeating: "a", count: 64), "metric=orders&kind=year", "metric=orders",
            "metric=orders&kind=day&measure=median", "event=%00&kind=day", "event=%ff&kind=day", "event=a%0Ab&kind=day",
        ] {
            #expect(try await client.send(.post, "/ask", headers: headers, body: body).status == .badRequest, "\(body)")
        }
        #expect(
            try await client.send(.get, "/ask?metric=orders&metric=orders&kind=day", headers: headers).status == .ok)
        #expect(try await access.asked().isEmpty)
        let long = "event=e1&kind=day&decision=" + String(repeating: "%F0%9F%98%80", count: 250) + "%E2%80%AE%0D%0A%22"
        #expect(try await client.send(.post, "/ask", headers: headers, body: long).status == .seeOther)
        let zalgo = "event=e2&kind=day&decision=e" + String(repeating: "%CC%81", count: 600)
        #expect(try await client.send(.post, "/ask", headers: headers, body: zalgo).status == .seeOther)
        let kept = try await access.asked()
        #expect(kept.count == 2 && kept.allSatisfy { $0.question.utf8.count < 4096 && !$0.question.contains("%0A") })
    }
}
