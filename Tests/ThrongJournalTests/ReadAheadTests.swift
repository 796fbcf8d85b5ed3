import Foundation
import Synchronization
import Testing

@testable import ThrongJournal

@Suite("What is read ahead comes in order and as a whole")
struct ReadAheadTests {
    @Test("every element comes once and in order, then the outcome", arguments: [1, 7, 1 << 20])
    func order(most: Int) {
        let ahead = ReadAhead<Int, String>(most: most)
        Thread {
            for run in 0..<2000 { ahead.add(Array(run * 5..<(run + 1) * 5)) }
            ahead.finish("read")
        }.start()
        var found: [Int] = []
        let outcome = ahead.take { found.append($0) }
        #expect(outcome == "read")
        #expect(found == Array(0..<10_000))
    }

    @Test("reading waits while too much waits")
    func bound() {
        let ahead = ReadAhead<Int, Int>(most: 20)
        let added = Atomic<Int>(0)
        Thread {
            for run in 0..<100 {
                ahead.add(Array(repeating: run, count: 5))
                added.add(5, ordering: .sequentiallyConsistent)
            }
            ahead.finish(1)
        }.start()
        var used = 0
        _ = ahead.take { _ in
            used += 1
            if used % 50 == 0 { usleep(10_000) }
            // What is in use was taken out; behind it at most the bound and one run.
            #expect(added.load(ordering: .sequentiallyConsistent) <= used + 50)
        }
        #expect(used == 500)
    }

    @Test("nothing read is an outcome too")
    func empty() {
        let ahead = ReadAhead<Int, Int>(most: 1)
        Thread { ahead.finish(3) }.start()
        #expect(ahead.take { _ in Issue.record("nothing was added") } == 3)
    }
}
