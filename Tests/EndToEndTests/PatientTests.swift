import Testing

/// Programs that take minutes and mostly wait, beside the others.
@Suite("What holds for years, and against somebody who takes their time")
struct PatientTests {
    @Test(
        "a backup under load is restored exactly, with its journal or without; what an app took is not in it any more",
        .timeLimit(.minutes(40)))
    func restored() async throws { try await Program("restored").run() }

    @Test(
        "a backup that is damaged, mixed or never came to its end is refused, and named; what age took is left out",
        .timeLimit(.minutes(40)))
    func refusedBackups() async throws { try await Program("refused_backups").run() }

    @Test(
        "four hundred days of restarts and backups: nothing is there, or seen, longer than promised",
        .timeLimit(.minutes(40)))
    func fourHundredDays() async throws { try await Program("four_hundred_days").run() }
}
