import Testing

/// The edge as those attack it who may send whatever they like, and as clients use it.
@Suite("Nobody keeps others waiting, sees who sends, or pretends to be a crowd")
struct EdgeTests {
    @Test("bad requests get the documented answer and count nothing", .timeLimit(.minutes(40)))
    func contract() async throws { try await Program("contract").run() }

    @Test(
        "every answer is as openapi.json describes it, each error once, and schemathesis finds no other and no 5xx",
        .timeLimit(.minutes(40)))
    func api() async throws { try await Program("api").run() }

    @Test(
        "hosts, origins and opt-outs are read alike by all routes, also by what is sealed",
        .timeLimit(.minutes(40)))
    func requestHeaders() async throws { try await Program("request_headers").run() }

    @Test(
        "each client is installed as its page says and sends its first event, into nothing while it tests",
        .timeLimit(.minutes(40)))
    func firstEvents() async throws { try await Program("first_events").run() }

    @Test(
        "batches of one connection share syncs and are answered in their order: plain, by TLS, sealed, among others, until the end",
        .timeLimit(.minutes(40)))
    func pipelined() async throws { try await Program("pipelined").run() }

    @Test(
        "without descriptors, and whatever accept says, newcomers are refused, who is in is served, and the daemon lives",
        .timeLimit(.minutes(40)))
    func descriptors() async throws { try await Program("descriptors").run() }

    @Test(
        "what may be an attack is told once a kind, and no word of who it was is in the log",
        .timeLimit(.minutes(40)))
    func attackLog() async throws { try await Program("attack_log").run() }

    @Test(
        "what was sealed counts as what was not, once, also when it is sent again; what can't be opened is refused",
        .timeLimit(.minutes(40)))
    func oblivious() async throws { try await Program("oblivious").run() }

    @Test(
        "a device that is vouched for gets its credentials and no more, lost answers again, and batches don't wait for it",
        .timeLimit(.minutes(40)))
    func credentials() async throws { try await Program("credentials").run() }

    @Test(
        "nginx and haproxy as relays hand on three headers and write nobody down, and batches through them count",
        .timeLimit(.minutes(40)))
    func relayed() async throws { try await Program("relayed").run() }

    @Test(
        "what a plan wants sealed the Python and the Swift client send through its relay or not at all, and it counts once",
        .timeLimit(.minutes(40)))
    func sealedClients() async throws { try await Program("sealed_clients").run() }

    @Test(
        "a page in Chromium seals what its plan wants sealed, and nothing of it comes directly, whatever the relay does",
        .timeLimit(.minutes(40)))
    func sealedPage() async throws { try await Program("sealed_page").run() }

    @Test(
        "nineteen forged devices beside a real one publish nothing where floors are attested, and no cheat counts twice",
        .timeLimit(.minutes(40)))
    func attested() async throws { try await Program("attested").run() }
}

@Suite("Nobody who sees requests knows whose they are")
struct LinkingTests {
    @Test(
        "neither the daemon's owner nor the relay's links two requests, an address or what was said, better than by chance",
        .timeLimit(.minutes(40)))
    func linked() async throws { try await Program("linked").run() }
}
