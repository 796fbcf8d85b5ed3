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
}
