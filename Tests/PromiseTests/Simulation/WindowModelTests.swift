import Probe
import Testing

@Suite("Promise 3: no order of replay, tidying, closing, counting and flushing counts an identifier twice")
struct WindowModelTests {
    @Test("every state of one window's life is right, also where the clock goes back")
    func everyState() {
        let search = WindowModel.search(closesReplayed: true)
        #expect(search.counterexample == nil)
        #expect(search.states > 50)
    }

    @Test("without the closing of windows that a start finds to be over, the search finds the double count")
    func control() throws {
        let found = try #require(WindowModel.search(closesReplayed: false).counterexample)
        #expect(found.contains(.clockAhead) && found.contains(.replay) && found.contains(.clockBack))
        #expect(found.last == .count)
        #expect(found.count <= 6)
    }
}
