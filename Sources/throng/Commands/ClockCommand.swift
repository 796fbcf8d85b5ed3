import ArgumentParser
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Says whether the time of day is believed, or tells Throng that it is right.",
        discussion: """
            Releases, deletions and the ends of windows go by the clock and can't be taken back. They wait while the clock of \
            the daemon's machine and PostgreSQL's are more than an hour apart, while the clock has jumped, and where it is \
            more than four days later at a start of the machine than when it was believed last.

            With --confirm, what is due by this clock is then released, and what is too old by it deleted, for good. A running \
            `throng serve` hears of it at its next look at what is due.

            Ends with 2 where the time is not believed.
            """)

    @Option(
        help: ArgumentHelp(
            "Says that this machine's clock is right, by today's date, UTC, such as 2026-11-22.", valueName: "date"))
    var confirm: String?

    @OptionGroup var place: Place

    func run() async throws {
        if let confirm { return try await note(confirm) }
        let doubt = try await Self.withStore(place) { try await MachineClock().look($0) }
        guard let doubt else { return Terminal.data("The time of day is believed.") }
        Terminal.data("\(doubt)")
        throw ExitCode(2)
    }

    private func note(_ date: String) async throws {
        let today = PeriodCalendar.utc.date(at: UnixClock.system.now)
        guard CalendarDate(date) == today else {
            throw CommandFailure(
                "By the clock of this machine it is \(today), UTC. If that is wrong, set the clock; if it is right, "
                    + "write it.")
        }
        try await Self.withStore(place) { store in
            do {
                try await MachineClock().confirm(store)
            } catch let doubt as ClockDoubt {
                throw CommandFailure(doubt.description)
            }
        }
        Terminal.talk("Noted. `throng serve` goes on at its next look at what is due.")
    }

    private static func withStore<Value: Sendable>(
        _ place: Place, _ body: (DatabaseClock) async throws -> Value
    ) async throws -> Value {
        try await DatabaseAccess.use(place) { settings in
            let store = DatabaseClock(settings)
            defer { store.close() }
            return try await body(store)
        }
    }
}
