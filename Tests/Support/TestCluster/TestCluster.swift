import Foundation
import Glibc
import Logging
import Synchronization
package import ThrongStore

/// The PostgreSQL that this test run starts, and stops when its process ends.
package enum TestCluster {
    /// Short, because the socket's path has a limit of 107 bytes.
    package static let directory = "/tmp/throng-\(getpid())"

    private static let cluster = Task {
        // Suites run side by side, each with connections of its own.
        let cluster = try PrivateCluster(directory: directory, connections: 400, logger: Logger(label: "test"))
        atexit { TestCluster.remove(TestCluster.directory) }
        try await cluster.start()
        return cluster
    }

    /// Whether databases have their counters on the nodes of a cluster of Citus.
    package static let isDistributed = TestNodes.current != nil

    private static let databases = Atomic(0)

    /// A database without Throng's schema.
    package static func emptyDatabase() async throws -> ConnectionSettings {
        try await cluster.value.settings(database: create(from: "template1"))
    }

    /// Copies a database, and names the copy.
    private static func create(from original: String) async throws -> String {
        let admin = Connection(try await cluster.value.settings(database: "postgres"))
        let name = "t\(databases.add(1, ordering: .relaxed).newValue)"
        for attempt in 1... {
            do {
                try await admin.execute("create database \(name) template \(original)")
                break
            } catch let error as PostgresError where error.sqlState == .objectInUse && attempt < 100 {
                // What somebody is connected to can't be copied, and a connection takes a moment to close.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return name
    }

    /// A database with Throng's schema, migrated once.
    private static let migrated = Task {
        let name = try await create(from: "template1")
        let owner = Connection(try await cluster.value.settings(database: name))
        try await Migrator(owner).migrate()
        owner.close()
        return name
    }

    /// A database with Throng's schema: a copy of one that was migrated.
    package static func database() async throws -> ConnectionSettings {
        if let nodes = TestNodes.current {
            return try await nodes.database("t\(databases.add(1, ordering: .relaxed).newValue)")
        }
        return try await cluster.value.settings(database: create(from: migrated.value))
    }

    /// Stops the server of a directory that this test run made, and removes the directory.
    package static func remove(_ directory: String) {
        let file = FileManager.default.contents(atPath: "\(directory)/data/postmaster.pid") ?? Data()
        if let id = String(decoding: file, as: UTF8.self).split(separator: "\n").first.flatMap({ pid_t($0) }) {
            // SIGQUIT: stop at once; nothing is kept.
            kill(id, SIGQUIT)
            for _ in 0..<100 where kill(id, 0) == 0 { usleep(50_000) }
        }
        // Nobody waits: hundreds of databases are half a million files, which a disk that discards blocks takes minutes to remove. The
        // directory is temporary; what could not be removed does no harm.
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        // It must not hold what the tests' output goes to.
        for own: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, own, "/dev/null", O_RDWR, 0) }
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("rm"), strdup("-rf"), strdup(directory), nil]
        var remover = pid_t()
        posix_spawn(&remover, "/bin/rm", &actions, nil, &arguments, environ)
    }
}

extension SQLState {
    /// Somebody is connected to what was to be changed or copied.
    fileprivate static let objectInUse = SQLState("55006")
}

extension Connection {
    /// The first column of every row, as text.
    package func texts(_ sql: String) async throws -> [String] {
        try await run { session in
            let rows = try session.query("test.query", sql)
            return try rows.indices.map { try rows.text($0, 0) }
        }
    }

    /// The whole number in the first column of the first row.
    package func integer(_ sql: String) async throws -> Int64 {
        try await run { try $0.query("test.query", sql).integer(0, 0) }
    }

    /// Runs a statement whose rows don't matter.
    package func execute(_ sql: String) async throws {
        try await run { _ = try $0.query("test.execute", sql) }
    }
}
