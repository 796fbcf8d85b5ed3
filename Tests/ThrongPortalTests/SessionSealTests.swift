import Testing

@testable import ThrongPortal

@Suite("A cookie opens what its token opens, and no longer")
struct SessionSealTests {
    private let seal = SessionSeal()
    private let now: Int64 = 1_795_300_000

    @Test("what was sealed is opened until it is over, and not a second longer")
    func lifetime() {
        let session = SessionSeal.session(of: "0011aabb", since: now, now: now)
        let value = seal.sealed(session)
        #expect(seal.opened(value, now: now) == session)
        #expect(seal.opened(value, now: now + SessionSeal.idle - 1) == session)
        #expect(seal.opened(value, now: now + SessionSeal.idle) == nil)
    }

    @Test("a session that goes on ends twelve hours after its owner signed in")
    func longest() {
        let late = SessionSeal.session(of: "0011aabb", since: now, now: now + SessionSeal.longest - 60)
        #expect(late.until == now + SessionSeal.longest)
    }

    @Test("no changed byte, no longer time and no other token passes")
    func changes() {
        let value = seal.sealed(SessionSeal.session(of: "0011aabb", since: now, now: now))
        for place in value.indices {
            for other in ["0", "1", "a", "."] where !value[place...].hasPrefix(other) {
                let changed = value[..<place] + other + value[value.index(after: place)...]
                #expect(seal.opened(changed, now: now) == nil, "\(changed)")
            }
        }
        #expect(seal.opened("", now: now) == nil && seal.opened("...", now: now) == nil)
        #expect(seal.opened(value + "0", now: now) == nil && seal.opened(value.dropLast(), now: now) == nil)
    }

    @Test("another process's cookie opens nothing")
    func otherProcess() {
        let session = SessionSeal.session(of: "0011aabb", since: now, now: now)
        #expect(SessionSeal().opened(seal.sealed(session), now: now) == nil)
    }
}
