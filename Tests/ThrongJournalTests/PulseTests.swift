import Foundation
import Testing

@testable import ThrongJournal

@Suite("A process that stood still is in doubt")
struct PulseTests {
    /// Beats come five times a second; each is met by a million looks.
    @Test("a beat at the moment of a look does no harm")
    func beatsAmongLooks() {
        let pulse = Pulse()
        defer { pulse.stop() }
        let end = Date().addingTimeInterval(1.5)
        var steady = 0
        while Date() < end {
            for _ in 0..<1000 where pulse.isSteady { steady += 1 }
        }
        #expect(steady > 0)
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
