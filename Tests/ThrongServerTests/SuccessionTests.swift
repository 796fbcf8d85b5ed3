import Testing
import ThrongIngest
import ThrongJournal
import ThrongStore

@testable import ThrongServer

@Suite("Promise 3, taking another process's place")
struct SuccessionTests {
    private static func known(_ claim: Int64?, position: UInt64 = 4) -> Watermark {
        Watermark(position: JournalPosition(position), fence: 5, holder: "another", claim: claim)
    }

    /// Looks every second from a moment on; the first look after which it has waited for long enough.
    private static func waits(
        _ succession: Succession, from: Int, claim: Int64 = 7, position: UInt64 = 4, answer: Duration = .zero,
        upTo most: Int = 200
    ) -> Int? {
        (from...(from + most)).first {
            succession.announce(
                7, over: known(claim, position: position), isMade: true, answer: answer, now: .seconds($0))
        }
    }

    @Test("nobody who acknowledges by a lease does so still when its place is taken, whatever moments pass between")
    func outlasts() { #expect(Succession.wait >= Lease.length * 2) }

    @Test("who asks every second takes the place twenty seconds after it was announced")
    func waits() {
        let succession = Succession()
        #expect(!succession.announce(7, over: Self.known(nil), isMade: true, answer: .zero, now: .seconds(100)))
        #expect(Self.waits(succession, from: 101) == 120)
    }

    @Test("where PostgreSQL takes a second to answer it waits for ten answers more")
    func slow() {
        let succession = Succession()
        #expect(!succession.announce(7, over: Self.known(nil), isMade: true, answer: .zero, now: .seconds(100)))
        #expect(Self.waits(succession, from: 101, answer: .seconds(1)) == 130)
    }

    @Test("time in which nobody asked counts for three seconds; where PostgreSQL was away or slow the wait begins anew")
    func away() {
        let succession = Succession()
        #expect(!succession.announce(7, over: Self.known(nil), isMade: true, answer: .zero, now: .seconds(100)))
        #expect(!succession.announce(7, over: Self.known(7), isMade: true, answer: .zero, now: .seconds(400)))
        succession.interrupt()
        #expect(Self.waits(succession, from: 401, upTo: 10) == nil)
        #expect(!succession.announce(7, over: Self.known(7), isMade: true, answer: .seconds(4), now: .seconds(412)))
        #expect(Self.waits(succession, from: 413) == 432)
    }

    @Test("a flush that is seen after the announcement makes it wait anew")
    func anew() {
        let succession = Succession()
        #expect(!succession.announce(7, over: Self.known(nil), isMade: true, answer: .zero, now: .seconds(100)))
        #expect(Self.waits(succession, from: 101, upTo: 10) == nil)
        #expect(!succession.announce(7, over: Self.known(7), isMade: false, answer: .zero, now: .seconds(112)))
        #expect(Self.waits(succession, from: 113, upTo: 10) == nil)
        // It was too short to be met, and has moved the watermark.
        #expect(Self.waits(succession, from: 124, position: 5) == 144)
    }

    @Test("one that has heard is given a minute since it was heard of last")
    func heard() {
        let succession = Succession()
        #expect(!succession.announce(7, over: Self.known(nil), isMade: true, answer: .zero, now: .seconds(100)))
        #expect(Self.waits(succession, from: 101, upTo: 10) == nil)
        #expect(!succession.announce(7, over: Self.known(-7), isMade: true, answer: .zero, now: .seconds(112)))
        #expect(Self.waits(succession, from: 113) == 172)
    }
}
