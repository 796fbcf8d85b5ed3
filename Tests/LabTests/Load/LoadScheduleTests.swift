import Testing
import throng_lab

@Suite("A load's schedule does not depend on answers")
struct LoadScheduleTests {
    private func instants(_ schedule: LoadSchedule) -> [Int64] {
        var schedule = schedule
        var instants: [Int64] = []
        while let due = schedule.next() { instants.append(due) }
        return instants
    }

    @Test("an even schedule of 1,000 a second has a request each millisecond and ends on time")
    func even() {
        let instants = instants(LoadSchedule(rate: 1000, duration: .seconds(2)))
        #expect(instants.count == 2000)
        #expect(instants == (0..<2000).map { $0 * 1_000_000 })
    }

    @Test("schedules that share a rate take turns and make it up together", arguments: [2, 3, 7])
    func shares(drivers: Int) {
        let parts = (0..<drivers).map {
            instants(LoadSchedule(rate: 500, duration: .seconds(1), share: ($0, drivers)))
        }
        let together = parts.flatMap { $0 }.sorted()
        #expect(together.count == 500)
        for (place, due) in together.enumerated() { #expect(abs(due - Int64(place) * 2_000_000) <= 1) }
    }

    @Test("a Poisson schedule has the rate that was asked for, and pauses as spread as its mean")
    func poisson() {
        let instants = instants(LoadSchedule(rate: 10_000, duration: .seconds(10), spread: .poisson, seed: 3))
        // The number has a standard deviation of 316.
        #expect(abs(instants.count - 100_000) < 1600)
        let pauses = zip(instants.dropFirst(), instants).map { Double($0 - $1) }
        let mean = pauses.reduce(0, +) / Double(pauses.count)
        let variance = pauses.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(pauses.count)
        #expect(abs(variance.squareRoot() / mean - 1) < 0.03)
        #expect(instants == instants.sorted())
    }

    @Test("a seed gives the same Poisson schedule again, and another seed another")
    func seeds() {
        func schedule(_ seed: UInt64) -> [Int64] {
            instants(LoadSchedule(rate: 100, duration: .seconds(5), spread: .poisson, seed: seed))
        }
        #expect(schedule(1) == schedule(1))
        #expect(schedule(1) != schedule(2))
    }
}
