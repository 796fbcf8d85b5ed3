import Testing
import ThrongPlan

@testable import ThrongPortal

@Suite("A cookie opens what its token opens, and no longer")
struct SessionTests {
    private let sessions = Sessions()
    private let now = UnixSeconds(1_795_300_000)

    @Test("a session lasts until an hour after the last look, and not a second longer")
    func idle() {
        let cookie = sessions.begin(of: "0011aabb", now: now)
        #expect(sessions.session(of: cookie, now: now + Sessions.idle - 1)?.token == "0011aabb")
        let later = now + 2 * Sessions.idle - 2
        #expect(sessions.session(of: cookie, now: later) != nil)
        #expect(sessions.session(of: cookie, now: later + Sessions.idle) == nil)
    }

    @Test("a session that goes on ends twelve hours after its owner signed in")
    func longest() {
        let cookie = sessions.begin(of: "0011aabb", now: now)
        let end = now + Sessions.longest
        for seconds in stride(from: 0, to: Sessions.longest, by: 1800) {
            let instant = now + seconds
            #expect(sessions.session(of: cookie, now: instant) != nil, "\(seconds)")
        }
        #expect(sessions.session(of: cookie, now: end - 1)?.until == end)
        #expect(sessions.session(of: cookie, now: end) == nil)
    }

    @Test("who signs out is out for good, and other sessions of the same token live on")
    func signOut() {
        let cookies = (0..<3).map { _ in sessions.begin(of: "0011aabb", now: now) }
        sessions.end(cookies[1])
        #expect(sessions.session(of: cookies[1], now: now) == nil)
        #expect(sessions.session(of: cookies[0], now: now) != nil && sessions.session(of: cookies[2], now: now) != nil)
        sessions.end(cookies[1])
        sessions.end("")
    }

    @Test("no changed digit and no other spelling passes")
    func changes() {
        let cookie = sessions.begin(of: "0011aabb", now: now)
        #expect(cookie.utf8.count == 64)
        for place in cookie.indices {
            let other = cookie[place] == "0" ? "1" : "0"
            let changed = cookie[..<place] + other + cookie[cookie.index(after: place)...]
            #expect(sessions.session(of: changed, now: now) == nil, "\(changed)")
        }
        for changed in ["", cookie + "0", String(cookie.dropLast()), cookie.uppercased()] where changed != cookie {
            #expect(sessions.session(of: changed, now: now) == nil)
        }
    }

    @Test("one token has so many sessions at a time; a further one ends the oldest, and none of another token's")
    func most() {
        let other = sessions.begin(of: "ffffffff", now: now)
        let cookies = (0..<Sessions.mostOfToken + 1).map { sessions.begin(of: "0011aabb", now: now + Int64($0)) }
        let open = cookies.map { sessions.session(of: $0, now: now + 100) != nil }
        #expect(open == [false] + Array(repeating: true, count: Sessions.mostOfToken))
        #expect(sessions.session(of: other, now: now + 100) != nil)
    }

    @Test("another process's cookie opens nothing")
    func otherProcess() {
        #expect(Sessions().session(of: sessions.begin(of: "0011aabb", now: now), now: now) == nil)
    }
}
