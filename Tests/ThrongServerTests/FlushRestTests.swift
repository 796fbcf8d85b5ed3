import Testing

@testable import ThrongServer

@Suite("How long a flush rests")
struct FlushRestTests {
    @Test("who takes PostgreSQL's place is looked for every other second, what refuses is asked less and less often")
    func rests() {
        var progress = FlushService.Progress()
        #expect(progress.rest(.seconds(1)) == .seconds(1))
        var refused: [Duration] = []
        for failures in 1...200 {
            progress.failures = failures
            progress.isAway = true
            #expect(progress.rest(.seconds(1)) <= .seconds(2))
            progress.isAway = false
            refused.append(progress.rest(.seconds(1)))
        }
        #expect(refused == refused.sorted())
        #expect(refused.last == .seconds(30))
    }

    @Test(
        "PostgreSQL works less than a twentieth of the time for a few daemons, and nothing waits for more than five minutes",
        arguments: 1...5)
    func shares(daemons: Int) {
        let flush = Duration.milliseconds(700)
        let round = flush + FlushService.respite(after: flush, atMost: .seconds(60), daemons: daemons)
        let share = (flush * daemons) / round
        #expect(share < 1 / 20 && share >= 1 / 21)
        let longest = FlushService.respite(after: .seconds(9), atMost: .seconds(60), daemons: daemons)
        #expect(longest / daemons == .seconds(60), "one of them every so often at least")
        #expect(FlushService.respite(after: .seconds(9), atMost: .seconds(60), daemons: 64) == .seconds(300))
    }
}
