import Testing

@testable import ThrongJournal

@Suite("A process that stood still is in doubt")
struct PulseTests {
    @Test("a beat that another thread made after the look at the clock is recent; one of long ago is not")
    func beats() {
        let second: UInt64 = 1_000_000_000
        #expect(Pulse.isRecent(20 * second + 1, at: 20 * second))
        #expect(Pulse.isRecent(20 * second, at: 23 * second))
        #expect(!Pulse.isRecent(20 * second, at: 23 * second + 1))
    }

    @Test("a doubt that was settled is one no more, and none is settled by an earlier question")
    func settling() {
        let pulse = Pulse()
        defer { pulse.stop() }
        let before = pulse.doubts
        pulse.settle(before &+ 1)
        #expect(!pulse.isSteady)
        pulse.settle(pulse.doubts)
        #expect(pulse.isSteady)
    }
}
