import Testing

/// Programs of partners, analysts and visitors. Like all whole programs they mostly wait, so Deploy/test runs some at a time.
@Suite("What partners, analysts and visitors see, and what their programs read")
struct OutsideTests {
    @Test(
        "Chromium walks through the sample shop from another origin, and every counter is what was done",
        .timeLimit(.minutes(40)))
    func browser() async throws { try await Program("beacon").run() }

    @Test(
        "throng try shows a made-up crowd's reports, each batch within a second, a plan's mistakes; no daemon takes its folder",
        .timeLimit(.minutes(40)))
    func tried() async throws { try await Program("tried").run() }

    @Test(
        "each sentence of a report is true of the numbers beside it, for a rich, a small and a changing crowd",
        .timeLimit(.minutes(40)))
    func sentences() async throws { try await Program("sentences").run() }

    @Test(
        "the beacon's panel asks in the visitor's language, by keyboard and at 320 pixels, and shows what was sent",
        .timeLimit(.minutes(40)))
    func panel() async throws { try await Program("beacon_panel").run() }

    @Test(
        "wrong clocks, shadow trees, prices with commas and too much for a page that leaves: the beacon counts, or says so",
        .timeLimit(.minutes(40)))
    func oddities() async throws { try await Program("beacon_odd").run() }

    @Test(
        "each client keeps what throng conform asks for, and a mutant for each requirement does not",
        .timeLimit(.minutes(40)))
    func conforms() async throws { try await Program("conforms").run() }

    @Test("the beacon in Chromium puts each value of the vectors where the daemon does")
    func beaconVectors() async throws { try await Program("beacon_vectors").run() }

    @Test(
        "signed reports reach partners that fail in every way, each file once; a killed daemon's deliveries go on",
        .timeLimit(.minutes(40)))
    func deliveries() async throws { try await Program("deliveries").run() }

    @Test(
        "TLS 1.2 and 1.3 alone, sessions that end with their window, a certificate renewed under load without a failed request",
        .timeLimit(.minutes(40)))
    func tls() async throws { try await Program("tls").run() }

    @Test(
        "proxies speak the PROXY protocol as another program has it, by TLS with certificates and by Unix sockets",
        .timeLimit(.minutes(40)))
    func proxies() async throws { try await Program("proxies").run() }

    @Test(
        "settings go by option, environment and file; what is wrong is named with its place, and no password is shown",
        .timeLimit(.minutes(40)))
    func configured() async throws { try await Program("configured").run() }

    @Test("the doctor says what is missing and what to do; a plan made of answers counts what its snippet sends")
    func doctor() async throws { try await Program("doctor").run() }

    @Test(
        "a revoked key, a client without a backend's secret and the sixth device of a network count nothing; nobody is noted",
        .timeLimit(.minutes(40)))
    func senders() async throws { try await Program("senders").run() }

    @Test(
        "an analyst's login finds out released numbers and nothing else, by no function, plan, error, catalogue or lock",
        .timeLimit(.minutes(40)))
    func analysts() async throws { try await Program("analysts").run() }

    @Test("every query of the dashboards and alerts is answered by PostgreSQL or Prometheus", .timeLimit(.minutes(40)))
    func dashboards() async throws { try await Program("dashboards").run() }

    @Test(
        "partners, analysts and operators sign in and see what is theirs, and nobody else does",
        .timeLimit(.minutes(40)))
    func portal() async throws { try await Program("portal").run() }

    @Test(
        "a report's PDF by a real Chromium has the numbers of its JSON, is tagged, and nobody hears of it",
        .timeLimit(.minutes(40)))
    func pdf() async throws { try await Program("pdf").run() }

    @Test("no word of a chart lies on another at any width, with extreme numbers and labels, and axe finds nothing")
    func drawings() async throws { try await Program("drawings").run() }

    @Test(
        "an analyst explores what is released: each page and CSV is what its SQL gives her role, and no text is run",
        .timeLimit(.minutes(40)))
    func explorer() async throws { try await Program("explorer").run() }

    @Test(
        "five questions have one answer by explorer, SQL and API; 10,000 numbers are the same in files, frames and sheets",
        .timeLimit(.minutes(40)))
    func analysis() async throws { try await Program("analysis").run() }

    @Test(
        "README, plan reference and the page on suppression show what the program says of plans, mistakes, events and tables",
        .timeLimit(.minutes(40)))
    func readme() async throws { try await Program("readme").run() }
}
