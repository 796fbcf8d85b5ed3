import Foundation
import Glibc
import Logging
import ServiceLifecycle
import TestCluster
import Testing

@testable import ThrongStore

@Suite("Private cluster", .serialized)
struct PrivateClusterTests {
    private let directory = "/tmp/throng-\(getpid())-c\(UInt16.random(in: 0...9999))"

    private func cluster() throws -> PrivateCluster {
        try PrivateCluster(directory: directory, logger: Logger(label: "test"))
    }

    private func answer(_ cluster: PrivateCluster) async throws -> String {
        try await Connection(cluster.settings).texts("select string_agg(name, ' ') from public.kept")[0]
    }

    /// Waits until something holds, at most as long as a start may take: recovery syncs every file, which a busy disk draws
    /// out.
    private func eventually(_ holds: () async -> Bool) async throws {
        for _ in 0..<3000 {
            if await holds() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("it did not come true within 5 minutes")
    }

    @Test("it survives kill -9 of the server and of Throng, keeps what was committed, and stops gracefully")
    func survives() async throws {
        defer { TestCluster.remove(directory) }
        let first = try cluster()
        try await first.start()
        try await Migrator(Connection(first.settings)).migrate()
        let connection = Connection(first.settings)
        try await connection.execute("create table public.kept (name text)")
        try await connection.execute("insert into public.kept values ('one')")
        let id = try #require(first.processID)

        // Throng killed: another object finds the server running and adopts it.
        let second = try cluster()
        try await second.start()
        #expect(second.processID == id)
        #expect(try await answer(second) == "one")

        // The server killed: the supervisor starts it again, and a connection from before works again.
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: second)], logger: Logger(label: "test")))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            kill(id, SIGKILL)
            try await eventually { second.processID != nil && second.processID != id }
            try await eventually {
                do {
                    try await connection.execute("insert into public.kept values ('two')")
                    return true
                } catch {
                    return false
                }
            }
            #expect(try await answer(second) == "one two")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(second.processID == nil)

        // A process file left over by a power cut, whose id is somebody else's process now.
        try "\(getpid())\n".write(toFile: "\(directory)/data/postmaster.pid", atomically: true, encoding: .utf8)
        try await second.start()
        #expect(try await answer(second) == "one two")
        try await second.stop()
    }

    @Test("an initdb that was cut off is done again")
    func unfinished() async throws {
        defer { TestCluster.remove(directory) }
        try FileManager.default.createDirectory(
            atPath: "\(directory)/data.unfinished/base", withIntermediateDirectories: true)
        if geteuid() == 0 {
            let user = try ServerUser.current()
            for path in ["", "/data.unfinished", "/data.unfinished/base"] {
                #expect(chown(directory + path, user.user, user.group) == 0)
            }
        }
        let cluster = try cluster()
        try await cluster.start()
        #expect(cluster.processID != nil)
        let roles = try await Connection(cluster.settings).texts(
            "select rolname::text from pg_roles where rolcanlogin and rolname like 'throng%' order by 1")
        #expect(roles == ["throng_analyst", "throng_ingest", "throng_reporter"])
        #expect(try await Connection(cluster.settings).texts("select current_setting('listen_addresses')") == [""])
        try await cluster.stop()
    }

    @Test("a path that is too long for a socket is refused, with the limit")
    func longPath() {
        let long = "/tmp/" + String(repeating: "x", count: 100)
        #expect(throws: ClusterError.socketPathTooLong(path: "\(long)/.s.PGSQL.5432", bytes: 119, limit: 107)) {
            try PrivateCluster(directory: long, logger: Logger(label: "test"))
        }
    }

    @Test("a directory that the server's user can't reach is named", .enabled(if: geteuid() == 0))
    func obstacle() async throws {
        defer { _ = Result { try FileManager.default.removeItem(atPath: directory) } }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let cluster = try PrivateCluster(directory: "\(directory)/inner", logger: Logger(label: "test"))
        await #expect(throws: ClusterError.notTraversable(directory: directory, user: "postgres")) {
            try await cluster.start()
        }
    }
}
