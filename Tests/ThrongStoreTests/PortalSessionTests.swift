import Foundation
import TestCluster
import Testing
import ThrongPlan

@testable import ThrongStore

@Suite("A cookie opens what its token opens, at every daemon, and no longer")
struct PortalSessionTests {
    private let settings: ConnectionSettings
    private let admin: Connection
    /// Two daemons' ways to one database.
    private let first: AccessStore
    private let second: AccessStore
    private let token = "0011aabb"
    private let now = UnixSeconds(Int64(Date().timeIntervalSince1970))

    init() async throws {
        settings = try await TestCluster.database()
        admin = Connection(settings)
        (first, second) = (AccessStore(settings), AccessStore(settings))
        for id in [token, "ffffffff"] {
            let token = AccessToken(
                id: id, role: .operations, note: nil, createdAt: now, expiresAt: now + 86_400)
            try await first.add(token, AccessSecret())
        }
    }

    /// Lets time pass for all sessions.
    private func pass(_ seconds: Int) async throws {
        try await admin.execute(
            "update throng.portal_session set since = since - interval '\(seconds) seconds', "
                + "until = until - interval '\(seconds) seconds', seen = seen - interval '\(seconds) seconds'")
    }

    private func isOpen(_ cookie: String, _ store: AccessStore) async throws -> Bool {
        try await store.session(of: cookie) == token
    }

    @Test("who signs in at one daemon is known at another, also once the first is gone")
    func shared() async throws {
        let cookie = try await first.beginSession(of: token)
        first.close()
        #expect(try await isOpen(cookie, second))
    }

    @Test("who signs out at one daemon is out at all of them, and other sessions of the same token live on")
    func signOut() async throws {
        var cookies: [String] = []
        for _ in 0..<3 { cookies.append(try await first.beginSession(of: token)) }
        try await second.endSession(of: cookies[1])
        for store in [first, second] {
            #expect(try await !isOpen(cookies[1], store))
            #expect(try await isOpen(cookies[0], store))
            #expect(try await isOpen(cookies[2], store))
        }
        try await second.endSession(of: cookies[1])
        try await second.endSession(of: "")
    }

    @Test("a session lasts until an hour after the last look at any daemon")
    func idle() async throws {
        let cookie = try await first.beginSession(of: token)
        try await pass(AccessStore.idle - 900)
        #expect(try await isOpen(cookie, first))
        try await pass(AccessStore.idle - 900)
        #expect(try await isOpen(cookie, second))
        try await pass(AccessStore.idle)
        #expect(try await !isOpen(cookie, first))
    }

    @Test("a session that goes on ends twelve hours after its owner signed in")
    func longest() async throws {
        let cookie = try await first.beginSession(of: token)
        let steps = AccessStore.longest / 1800
        for step in 1..<steps - 1 {
            try await pass(1800)
            #expect(try await isOpen(cookie, step.isMultiple(of: 2) ? first : second), "\(step)")
        }
        try await pass(1800)
        // Half an hour is left at most, and none where this has taken so long itself.
        _ = try await isOpen(cookie, first)
        let left = "select ceil(extract(epoch from until - now()))::bigint from throng.portal_session"
        #expect(try await admin.integer(left) <= 1800)
        try await pass(1800)
        #expect(try await !isOpen(cookie, second))
    }

    /// A partner's token, with a link.
    private func partner(_ link: SignInLink, days: Int64 = 90) async throws -> AccessToken {
        let token = AccessToken(
            id: "2233ccdd", role: .partner("bank", of: "shop"), note: nil, createdAt: now,
            expiresAt: now + days * 86_400)
        try await first.add(token, AccessSecret(), link: link)
        return token
    }

    @Test("a partner who reads reports is in for thirty days, whether or not anybody looks")
    func partners() async throws {
        let token = try await partner(SignInLink()).id
        let cookie = try await first.beginSession(of: token)
        try await pass(AccessStore.partners - 900)
        #expect(try await second.session(of: cookie) == token)
        let session = try #require(try await second.sessions(of: token).first)
        #expect(session.lastLook > session.since && session.until < now + 1800, "a look is noted, and adds nothing")
        try await pass(900)
        #expect(try await second.session(of: cookie) == nil)
    }

    @Test("a link signs its token's owner in once, at one daemon, within a week, and only while the token is good")
    func link() async throws {
        let link = try #require(SignInLink(SignInLink().text))
        let token = try await partner(link)
        #expect(try await second.open(SignInLink(), now: now) == nil)
        #expect(try await second.open(link, now: now + SignInLink.seconds) == nil)
        #expect(try await second.open(link, now: now + SignInLink.seconds - 1) == token)
        #expect(try await first.open(link, now: now) == nil, "it is used up")
        #expect(SignInLink("") == nil && SignInLink(String(link.text.dropLast())) == nil)
        try await admin.execute(
            "update throng.access_token set revoked_at = now(), link_until = now() + interval '1 day', "
                + "link_hash = decode('\(PortalSession.ID(hash: link.hash).text)', 'hex') where token_id = '\(token.id)'"
        )
        #expect(try await first.open(link, now: now) == nil, "the token was taken back")
    }

    @Test("the key of a feed finds its token, signs nobody in, and is no other token's")
    func feed() async throws {
        let token = try await partner(SignInLink())
        let key = try #require(try await first.feedKey(of: token.id))
        #expect(try await second.token(ofFeed: key) == token)
        #expect(try await second.session(of: key) == nil && AccessSecret(key) == nil && SignInLink(key) == nil)
        for wrong in [
            "", String(key.dropLast()), key + "0", self.token + key.dropFirst(8),
            token.id + String(repeating: "0", count: 64),
        ] {
            #expect(try await second.token(ofFeed: wrong) == nil, "\(wrong)")
        }
        #expect(try await first.feedKey(of: "00000000") == nil)
    }

    @Test("a reading is kept by the hour, the last one alone, and goes with its token")
    func readings() async throws {
        let token = try await partner(SignInLink(), days: 1).id
        let hour = now - now.value % 3600
        for time in [hour + 3599, hour + 10, hour - 7200] {
            try await first.noteReading(of: "daily", by: token, now: time)
        }
        let expected = LastReading(token: token, app: "shop", partner: "bank", report: "daily", hour: hour)
        #expect(try await second.readings() == [expected])
        try await second.expireSessions()
        #expect(try await second.readings() == [expected])
        #expect(try await second.revoke(token, now: now))
        try await second.expireSessions()
        #expect(try await second.readings().isEmpty)
    }

    @Test("no changed digit and no other spelling passes")
    func changes() async throws {
        let cookie = try await first.beginSession(of: token)
        #expect(cookie.utf8.count == 64)
        for place in cookie.indices {
            let other = cookie[place] == "0" ? "1" : "0"
            let changed = cookie[..<place] + other + cookie[cookie.index(after: place)...]
            #expect(try await !isOpen(String(changed), first), "\(changed)")
        }
        for changed in ["", cookie + "0", String(cookie.dropLast()), cookie.uppercased()] where changed != cookie {
            #expect(try await !isOpen(changed, first))
        }
        #expect(try await isOpen(cookie, first))
    }

    @Test("one token has so many sessions at a time; a further one ends the oldest, and none of another token's")
    func most() async throws {
        let other = try await first.beginSession(of: "ffffffff")
        var cookies: [String] = []
        for _ in 0...AccessStore.mostOfToken {
            cookies.append(try await first.beginSession(of: token))
            try await pass(1)
        }
        var open: [Bool] = []
        for cookie in cookies { open.append(try await isOpen(cookie, second)) }
        #expect(open == [false] + Array(repeating: true, count: AccessStore.mostOfToken))
        #expect(try await second.session(of: other) == "ffffffff")
    }

    @Test("somebody sees the sessions of the own token, ends one of them or all others, and none of another token's")
    func own() async throws {
        let other = try await first.beginSession(of: "ffffffff")
        var cookies: [String] = []
        for _ in 0..<4 {
            cookies.append(try await first.beginSession(of: token))
            try await pass(60)
        }
        let ids = cookies.map { PortalSession.ID(cookie: $0) }
        let seen = try await second.sessions(of: token)
        #expect(seen.map(\.id) == ids.reversed(), "the latest first")
        #expect(seen.allSatisfy { $0.lastLook == $0.since }, "none has looked since")
        #expect(!seen.contains { cookies.contains($0.id.text) }, "what is shown opens nothing")
        #expect(ids.allSatisfy { PortalSession.ID($0.text) == $0 } && PortalSession.ID("00") == nil)

        try await second.endSession(ids[1], of: "ffffffff")
        #expect(try await isOpen(cookies[1], first), "another token's owner ends nothing here")
        try await second.endSession(ids[1], of: token)
        #expect(try await !isOpen(cookies[1], first))
        try await second.endSessions(of: token, but: ids[2])
        #expect(try await second.sessions(of: token).map(\.id) == [ids[2]])
        #expect(try await second.session(of: other) == "ffffffff")
        try await pass(AccessStore.idle)
        #expect(try await second.sessions(of: token).isEmpty, "what is over is not shown")
    }

    @Test("what PostgreSQL keeps of a session opens nothing, and goes when it is over, or its token is taken back")
    func kept() async throws {
        let cookie = try await first.beginSession(of: token)
        let rows = try await admin.texts("select encode(cookie_hash, 'hex') from throng.portal_session")
        #expect(rows.count == 1 && rows != [cookie])
        #expect(try await !isOpen(try #require(rows.first), first))
        let count = "select count(*) from throng.portal_session"
        try await pass(AccessStore.idle)
        try await second.expireSessions()
        #expect(try await admin.integer(count) == 0)

        let later = try await first.beginSession(of: token)
        #expect(try await second.revoke(token, now: now))
        #expect(try await !isOpen(later, first))
        #expect(try await admin.integer(count) == 0)
    }

    @Test("the note of whom a token was given to goes 30 days after it expires or is taken back, and the rest stays")
    func notes() async throws {
        let notes = "select note from throng.access_token where note is not null order by note"
        for (id, expires, revoked) in [
            ("00000001", -29, "null"), ("00000002", -31, "null"), ("00000003", 9, "now() - interval '31 days'"),
            ("00000004", 9, "now() - interval '29 days'"), ("00000005", 9, "null"),
        ] {
            try await admin.execute(
                """
                insert into throng.access_token (token_id, secret_hash, role, note, created_at, expires_at, revoked_at)
                values ('\(id)', sha256('\(id)'), 'analyst', 'note \(id)', now() - interval '60 days',
                    now() + interval '\(expires) days', \(revoked))
                """)
        }
        let before = try await admin.integer("select count(*) from throng.access_token")
        let others = try await admin.texts(notes).filter { !$0.hasPrefix("note 0") }
        try await second.expireSessions()
        #expect(
            try await admin.texts(notes)
                == (others + ["00000001", "00000004", "00000005"].map { "note \($0)" }).sorted())
        #expect(try await admin.integer("select count(*) from throng.access_token") == before)
    }

    @Test("nobody else reads who has signed in")
    func roles() async throws {
        for role in [DatabaseRole.ingest, .analyst] {
            await #expect(throws: PostgresError.self) {
                try await Connection(settings.acting(as: role)).texts("select token_id from throng.portal_session")
            }
        }
    }
}
