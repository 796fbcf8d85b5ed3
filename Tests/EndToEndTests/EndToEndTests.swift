import Testing

@Suite("First light: the daemon as its users meet it", .serialized)
struct EndToEndTests {
    @Test(
        "every counter, floor, released cell and reported number equals an independent program's after two kill -9",
        .timeLimit(.minutes(20)))
    func firstLight() async throws { try await Program("first_light.py").run() }

    @Test("SIGTERM under load answers what is in flight, ends with 0 and loses nothing", .timeLimit(.minutes(20)))
    func gracefulStop() async throws { try await Program("graceful_stop.py").run() }

    @Test("a second daemon on a data directory refuses with exit code 1", .timeLimit(.minutes(20)))
    func oneDaemon() async throws { try await Program("one_daemon.py").run() }

    @Test("bad requests get the documented answer and count nothing", .timeLimit(.minutes(20)))
    func contract() async throws { try await Program("contract.py").run() }

    @Test(
        "requests are answered in their order, all routes read headers alike, and who is silent or odd holds up nobody",
        .timeLimit(.minutes(10)))
    func door() async throws { try await Program("door.py").run() }

    @Test("a PostgreSQL that is killed under load comes back, and totals are exact", .timeLimit(.minutes(20)))
    func databaseKilled() async throws { try await Program("database_killed.py").run() }

    @Test(
        "a PostgreSQL that hangs holds up no acknowledgement, no start and no stop for longer than seconds",
        .timeLimit(.minutes(10)))
    func hanging() async throws { try await Program("hanging.py").run() }

    @Test(
        "a port in use is named before anything is made; what ends the daemon ends its PostgreSQL; SIGHUP ends nothing")
    func signals() async throws { try await Program("signals.py").run() }

    @Test("started by root, nothing is followed that another user can have put there", .timeLimit(.minutes(10)))
    func plantedLinks() async throws {
        let (status, words) = try await Program("planted_links.py").output()
        guard status != 2 else { return withKnownIssue { Issue.record("it takes root") } }
        #expect(status == 0, "planted_links.py ended with \(status):\n\(words.suffix(6000))")
    }

    @Test("replay and plan check do what their help says, exit codes included", .timeLimit(.minutes(20)))
    func replay() async throws { try await Program("replay.py").run() }

    @Test(
        "the Swift SDK's sample app counts exactly, with consent only, also when the daemon was away",
        .timeLimit(.minutes(5)))
    func sdk() async throws { try await Program("sdk.py").run() }

    @Test(
        "a value of fewer than k devices is found nowhere; one of k is counted, agreed on and released by its name",
        .timeLimit(.minutes(20)))
    func revealed() async throws { try await Program("revealed.py").run() }

    @Test("bench keeps its schedule and its exit codes, and no benchmark leaves a figure out", .timeLimit(.minutes(10)))
    func benchmarks() async throws { try await Program("benchmarks.py").run() }

    @Test(
        "devices by their own firsts, retention and frequency are exact in counters, releases and reports, after a kill -9",
        .timeLimit(.minutes(20)))
    func firsts() async throws { try await Program("firsts.py").run() }

    @Test(
        "identifiers are counted once by what their window came to, through kill -9 at every step of its end",
        .timeLimit(.minutes(20)))
    func windows() async throws { try await Program("windows.py").run() }

    @Test(
        "Chromium walks through the sample shop from another origin, and every counter is what was done",
        .timeLimit(.minutes(10)))
    func browser() async throws { try await Program("browser.py").run() }

    @Test(
        "signed reports reach partners that fail in every way, each file once; a killed daemon's deliveries go on",
        .timeLimit(.minutes(15)))
    func deliveries() async throws { try await Program("deliveries.py").run() }

    @Test("the next time of 20,000 random schedules is croniter's, summer time or not", .timeLimit(.minutes(10)))
    func cron() async throws { try await Program("cron.py").run() }

    @Test(
        "an analyst's login finds out released numbers and nothing else, by no function, plan, error, catalogue or lock",
        .timeLimit(.minutes(10)))
    func analysts() async throws { try await Program("analysts.py").run() }

    @Test("every query of the dashboards and alerts is answered by PostgreSQL or Prometheus", .timeLimit(.minutes(10)))
    func dashboards() async throws { try await Program("dashboards.py").run() }

    @Test(
        "partners and operators sign in and see what is theirs, and nobody else does",
        .timeLimit(.minutes(10)))
    func portal() async throws { try await Program("portal.py").run() }

    @Test(
        "a report's PDF by a real Chromium has the numbers of its JSON, is tagged, and nobody hears of it",
        .timeLimit(.minutes(10)))
    func pdf() async throws { try await Program("pdf.py").run() }

    @Test("no word of a chart lies on another at any width, with extreme numbers and labels, and axe finds nothing")
    func drawings() async throws { try await Program("drawings.py").run() }

    @Test(
        "a plan whose every text is HTML, SVG, a script, a template's tag or a formula is shown as it is, and nothing runs",
        .timeLimit(.minutes(10)))
    func injection() async throws { try await Program("injection.py").run() }

    @Test(
        "an analyst explores what is released: each page and CSV is what its SQL gives her role, and no text is run",
        .timeLimit(.minutes(10)))
    func explorer() async throws { try await Program("explorer.py").run() }

    @Test(
        "an analyst explores weeks, former layouts, samples, noise, funnels, learned labels and groups as SQL gives them",
        .timeLimit(.minutes(15)))
    func gallery() async throws { try await Program("gallery.py").run() }

    @Test(
        "two years of a wrong clock release and delete nothing, by daemon or by hand, until a person vouches for them",
        .timeLimit(.minutes(10)))
    func clocks() async throws { try await Program("clocks.py").run() }

    @Test(
        "a release by hand has all that was acknowledged before it; what is too early says when it is due",
        .timeLimit(.minutes(10)))
    func byHand() async throws { try await Program("by_hand.py").run() }

    @Test("throng --version names the versions that its files, tables and addresses really have")
    func versions() async throws { try await Program("versions.py").run() }

    @Test("the page on disclosure control shows what suppress and audit say of its table", .timeLimit(.minutes(2)))
    func pages() async throws { try await Program("pages.py").run() }

    @Test("the README shows what the program says of its plan, its mistake and its events", .timeLimit(.minutes(5)))
    func readme() async throws { try await Program("readme.py").run() }
}

@Suite("Promise 1: no person at rest")
struct NoPersonAtRestTests {
    @Test(
        "canaries posted at trace log level are in no file, table, log, metric or answer, and the window's key goes",
        .timeLimit(.minutes(20)))
    func canary() async throws { try await Program("canary.py").run() }
}
