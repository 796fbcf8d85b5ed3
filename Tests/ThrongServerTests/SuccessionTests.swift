import Testing

@testable import ThrongServer

@Suite("Promise 3, taking another process's place")
struct SuccessionTests {
    @Test("who asks every second takes the place ten seconds after it was announced")
    func waits() {
        let succession = Succession()
        #expect(!succession.announce(7, stands: false, now: .seconds(100)))
        for second in 101...109 { #expect(!succession.announce(7, stands: true, now: .seconds(second))) }
        #expect(succession.announce(7, stands: true, now: .seconds(110)))
    }

    @Test("time in which PostgreSQL does not answer counts for three seconds of the ten: nobody could hear then")
    func away() {
        let succession = Succession()
        #expect(!succession.announce(7, stands: false, now: .seconds(100)))
        #expect(!succession.announce(7, stands: true, now: .seconds(400)))
        for second in 401...406 { #expect(!succession.announce(7, stands: true, now: .seconds(second))) }
        #expect(succession.announce(7, stands: true, now: .seconds(407)))
    }

    @Test("a flush that is seen after the announcement makes it wait anew")
    func anew() {
        let succession = Succession()
        #expect(!succession.announce(7, stands: false, now: .seconds(100)))
        for second in 101...105 { #expect(!succession.announce(7, stands: true, now: .seconds(second))) }
        #expect(!succession.announce(7, stands: false, now: .seconds(106)))
        for second in 107...115 { #expect(!succession.announce(7, stands: true, now: .seconds(second))) }
        #expect(succession.announce(7, stands: true, now: .seconds(116)))
    }
}
