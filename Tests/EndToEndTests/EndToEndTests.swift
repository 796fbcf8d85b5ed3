import Testing

@Suite("First light: the daemon as its users meet it")
struct EndToEndTests {
    @Test(
        "every counter, floor, released cell and reported number equals an independent program's after two kill -9",
        .timeLimit(.minutes(40)))
    func firstLight() async throws { try await Program("first_light.py").run() }

    @Test("SIGTERM under load answers what is in flight, ends with 0 and loses nothing", .timeLimit(.minutes(40)))
    func gracefulStop() async throws { try await Program("graceful_stop.py").run() }

    @Test(
        "a service manager hears when it is ready, starts anew and stops; a stop is announced; the unit may little",
        .timeLimit(.minutes(40)))
    func serviced() async throws { try await Program("serviced.py").run() }

    @Test(
        "several daemons of one database count each identifier once; one joins, one is killed, one is lost",
        .timeLimit(.minutes(40)))
    func members() async throws { try await Program("members.py").run() }

    @Test(
        "what three daemons count, release and report of crowds that also withdraw is what one does, through kill -9",
        .timeLimit(.minutes(40)))
    func several() async throws { try await Program("several.py").run() }

    @Test(
        "Compose and Kubernetes take the manifests, the daemon their options, a shell the package's scripts",
        .timeLimit(.minutes(40)))
    func packaged() async throws { try await Program("packaged.py").run() }

    @Test(
        "a release's bill of materials is whole, its checksums find a changed byte, GitHub takes the workflow",
        .timeLimit(.minutes(40)))
    func materials() async throws { try await Program("materials.py").run() }

    @Test(
        "each size's files are taken by who reads them; what the guide has people copy and type exists",
        .timeLimit(.minutes(40)))
    func sizes() async throws { try await Program("sizes.py").run() }

    @Test("a second daemon on a data directory refuses with exit code 1", .timeLimit(.minutes(40)))
    func oneDaemon() async throws { try await Program("one_daemon.py").run() }

    @Test(
        "a damaged file is named with its byte and the cure; only what is needed to count rightly stops the start",
        .timeLimit(.minutes(40)))
    func damagedFiles() async throws { try await Program("damaged_files.py").run() }

    @Test("a PostgreSQL that is killed under load comes back, and totals are exact", .timeLimit(.minutes(40)))
    func databaseKilled() async throws { try await Program("database_killed.py").run() }

    @Test(
        "a PostgreSQL that hangs holds up no acknowledgement, no start and no stop for longer than seconds",
        .timeLimit(.minutes(40)))
    func hanging() async throws { try await Program("hanging.py").run() }

    @Test(
        "a port in use is named before anything is made; what ends the daemon ends its PostgreSQL; SIGHUP ends nothing")
    func signals() async throws { try await Program("signals.py").run() }

    @Test(
        "a plan is put in force while events come: what widens waits for a yes, a bad one changes nothing, each event counts once",
        .timeLimit(.minutes(40)))
    func applied() async throws { try await Program("applied.py").run() }

    @Test("started by root, nothing is followed that another user can have put there", .timeLimit(.minutes(40)))
    func plantedLinks() async throws {
        let (status, words) = try await Program("planted_links.py").output()
        guard status != 2 else { return withKnownIssue { Issue.record("it takes root") } }
        #expect(status == 0, "planted_links.py ended with \(status):\n\(words.suffix(6000))")
    }

    /// Late in the row, once the shorter suites beside this one are over: it asks how soon answers come.

    @Test("replay and plan check do what their help says, exit codes included", .timeLimit(.minutes(40)))
    func replay() async throws { try await Program("replay.py").run() }

    @Test(
        "a plan in two languages is served, printed and compared in both",
        .timeLimit(.minutes(40)))
    func languages() async throws { try await Program("languages.py").run() }

    @Test(
        "the Swift SDK's sample app counts exactly, with consent only, also when the daemon was away",
        .timeLimit(.minutes(40)))
    func sdk() async throws { try await Program("sdk.py").run() }

    @Test(
        "a value of fewer than k devices is found nowhere; one of k is counted, agreed on and released by its name",
        .timeLimit(.minutes(40)))
    func revealed() async throws { try await Program("revealed.py").run() }

    @Test(
        "with an evaluator no guess fits what devices sent, values are learned all the same, and nothing leaves without it",
        .timeLimit(.minutes(40)))
    func evaluated() async throws { try await Program("evaluated.py").run() }

    @Test(
        "age is proved to whoever has no database, each change of the proof is named, and what is late calls for help",
        .timeLimit(.minutes(40)))
    func proved() async throws { try await Program("proved.py").run() }

    @Test(
        "a plan with nothing where there may be nothing is counted, told, copied, forgotten; a round that fails is told",
        .timeLimit(.minutes(40)))
    func bare() async throws { try await Program("bare.py").run() }

    @Test(
        "an app is deleted: what was planted with it is found nowhere, the ledger tells it, another app counts on",
        .timeLimit(.minutes(40)))
    func deleted() async throws { try await Program("deleted.py").run() }

    @Test("bench keeps its schedule and its exit codes, and no benchmark leaves a figure out", .timeLimit(.minutes(40)))
    func benchmarks() async throws { try await Program("benchmarks.py").run() }

    @Test("no stage of ingest takes more instructions than its budget, or less", .timeLimit(.minutes(40)))
    func instructions() async throws { try await Program("instructions.py").run() }

    @Test(
        "devices by their own firsts, retention and frequency are exact in counters, releases and reports, after a kill -9",
        .timeLimit(.minutes(40)))
    func firsts() async throws { try await Program("firsts.py").run() }

    @Test(
        "identifiers are counted once by what their window came to, through kill -9 at every step of its end",
        .timeLimit(.minutes(40)))
    func windows() async throws { try await Program("windows.py").run() }

    @Test(
        "who withdraws leaves nothing in PostgreSQL, releases or reports, beside a twin that never met them, through kill -9",
        .timeLimit(.minutes(40)))
    func withdrawn() async throws { try await Program("withdrawn.py").run() }

    @Test(
        "without identifiers two hundred senders leave what one leaves, through kill -9; SDK and beacon send none",
        .timeLimit(.minutes(40)))
    func tallies() async throws { try await Program("tallies.py").run() }

    @Test(
        "two years of a wrong clock release and delete nothing, by daemon or by hand, until a person vouches for them",
        .timeLimit(.minutes(40)))
    func clocks() async throws { try await Program("clocks.py").run() }

    @Test(
        "a release by hand has all that was acknowledged before it; what is too early says when it is due",
        .timeLimit(.minutes(40)))
    func byHand() async throws { try await Program("by_hand.py").run() }

    @Test("throng --version names the versions that its files, tables and addresses really have")
    func versions() async throws { try await Program("versions.py").run() }
}

@Suite("Promise 1: no person at rest")
struct NoPersonAtRestTests {
    @Test(
        "canaries posted at trace log level are in no file, table, log, metric or answer, and the window's key goes",
        .timeLimit(.minutes(40)))
    func canary() async throws { try await Program("canary.py").run() }
}
