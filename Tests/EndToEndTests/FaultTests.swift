import Testing

/// A few trials of every row of the fault suite, with its negative control; `Tests/Scripts/faults` takes them all.
@Suite("Promise 3: acknowledged means counted, exactly once, whatever breaks")
struct FaultTests {
    @Test("kill -9 under load, at random times and at every named place", .timeLimit(.minutes(40)))
    func crash() async throws { try await hold("1") }

    @Test("power loss under load on ext4 and XFS", .timeLimit(.minutes(40)))
    func powerLoss() async throws { try await hold("2") }

    @Test("a damaged journal is refused or said aloud", .timeLimit(.minutes(40)))
    func torn() async throws { try await hold("3") }

    @Test("a disk that fails once, is full, or is slow", .timeLimit(.minutes(40)))
    func disk() async throws { try await hold("4") }

    @Test("PostgreSQL away, cut off beside COMMIT, forgetting commits", .timeLimit(.minutes(40)))
    func database() async throws { try await hold("5") }

    @Test("PostgreSQL comes back older: what it lost is flushed again", .timeLimit(.minutes(40)))
    func watermark() async throws { try await hold("6") }

    @Test("a second daemon, and one that was frozen while another took its place", .timeLimit(.minutes(40)))
    func takeover() async throws { try await hold("7") }

    @Test("the same batch again: at once, under kill -9, after a restart", .timeLimit(.minutes(40)))
    func repeats() async throws { try await hold("8") }

    @Test("too little memory, idle connections, SIGTERM under load", .timeLimit(.minutes(40)))
    func limits() async throws { try await hold("9") }

    @Test("a soak at half load, for a moment", .timeLimit(.minutes(40)))
    func soak() async throws { try await hold("10") }

    /// Runs a row; that this machine can't run it, for want of root or loop devices, is an issue that is known, and no pass.
    /// With CI in the environment the suite takes no other excuse: a row that could be run and wasn't has failed.
    private func hold(_ row: String) async throws {
        let (status, words) = try await Program(faults: row).output()
        guard status != 2 else {
            return withKnownIssue { Issue.record("row \(row) was not run in full:\n\(words.suffix(2000))") }
        }
        #expect(status == 0, "row \(row) ended with \(status):\n\(words.suffix(6000))")
    }
}
