import Testing

@Suite("First light: the daemon as its users meet it")
struct EndToEndTests {
    @Test(
        "every counter, floor, released cell and reported number equals an independent program's after two kill -9",
        .timeLimit(.minutes(40)))
    func firstLight() async throws { try await Program("first_light").run() }

    @Test(
        "a service manager hears when it is ready, starts anew and stops; a stop is announced; the unit may little",
        .timeLimit(.minutes(40)))
    func serviced() async throws { try await Program("serviced").run() }

    @Test(
        "several daemons of one database count each identifier once; one joins, one is killed, one is lost",
        .timeLimit(.minutes(40)))
    func members() async throws { try await Program("members").run() }

    @Test(
        "Compose and Kubernetes take the manifests, the daemon their options, a shell the package's scripts",
        .timeLimit(.minutes(40)))
    func packaged() async throws { try await Program("packaged").run() }

    @Test(
        "a release's bill of materials is whole, its checksums find a changed byte, GitHub takes the workflow",
        .timeLimit(.minutes(40)))
    func materials() async throws { try await Program("materials").run() }

    @Test(
        "each size's files are taken by who reads them; what the guide has people copy and type exists",
        .timeLimit(.minutes(40)))
    func sizes() async throws { try await Program("sizes").run() }

    @Test(
        "a damaged file is named with its byte and the cure; only what is needed to count rightly stops the start",
        .timeLimit(.minutes(40)))
    func damagedFiles() async throws { try await Program("damaged_files").run() }

    @Test(
        "a PostgreSQL that hangs holds up no acknowledgement, no start and no stop for longer than seconds",
        .timeLimit(.minutes(40)))
    func hanging() async throws { try await Program("hanging").run() }

    @Test(
        "a port in use is named before anything is made; what ends the daemon ends its PostgreSQL; SIGHUP ends nothing")
    func signals() async throws { try await Program("signals").run() }

    @Test(
        "a plan is put in force while events come: what widens waits for a yes, a bad one changes nothing, each event counts once",
        .timeLimit(.minutes(40)))
    func applied() async throws { try await Program("applied").run() }

    @Test("started by root, nothing is followed that another user can have put there", .timeLimit(.minutes(40)))
    func plantedLinks() async throws {
        let (status, words) = try await Program("planted_links").output()
        guard status != 2 else { return withKnownIssue { Issue.record("it takes root") } }
        #expect(status == 0, "planted_links ended with \(status):\n\(words.suffix(6000))")
    }

    @Test("replay and plan check do what their help says, exit codes included", .timeLimit(.minutes(40)))
    func replay() async throws { try await Program("replay").run() }

    @Test(
        "a plan in two languages is served and printed in both",
        .timeLimit(.minutes(40)))
    func languages() async throws { try await Program("languages").run() }

    @Test(
        "the Swift SDK's sample app counts exactly, with consent only, also when the daemon was away",
        .timeLimit(.minutes(40)))
    func sdk() async throws { try await Program("sdk").run() }

    @Test(
        "a value of fewer than k devices is found nowhere; one of k is learned, counted and released by its name",
        .timeLimit(.minutes(40)))
    func revealed() async throws { try await Program("revealed").run() }

    @Test(
        "with an evaluator values are learned, its key is its owner's, and shipped relays hand on to it within bounds",
        .timeLimit(.minutes(40)))
    func evaluated() async throws { try await Program("evaluated").run() }

    @Test(
        "age is proved to whoever has no database, each change of the proof is named, and what is late calls for help",
        .timeLimit(.minutes(40)))
    func proved() async throws { try await Program("proved").run() }

    @Test(
        "an app is deleted: what was planted with it is found nowhere, the ledger tells it, another app counts on",
        .timeLimit(.minutes(40)))
    func deleted() async throws { try await Program("deleted").run() }

    @Test("no stage of ingest takes more instructions than its budget, or less", .timeLimit(.minutes(40)))
    func instructions() async throws { try await Program("instructions").run() }

    @Test(
        "devices by their own firsts, retention and frequency are exact in counters, releases and reports, after a kill -9",
        .timeLimit(.minutes(40)))
    func firsts() async throws { try await Program("firsts").run() }

    @Test(
        "a release by hand has all that was acknowledged before it; what is too early says when it is due",
        .timeLimit(.minutes(40)))
    func byHand() async throws { try await Program("by_hand").run() }

    @Test("throng --version names the versions that its files, tables and addresses really have")
    func versions() async throws { try await Program("versions").run() }
}

@Suite("Promise 1: no person at rest")
struct NoPersonAtRestTests {
    @Test(
        "canaries posted at trace log level are in no file, table, log, metric or answer, and the window's key goes",
        .timeLimit(.minutes(40)))
    func canary() async throws { try await Program("canary").run() }
}
