import Foundation
import Synchronization
import ThrongStore

/// A cluster of Citus that somebody started for this test run, whose databases count on its nodes: see `Deploy/trial citus --suite`.
struct TestNodes: Sendable {
    /// The folder of the sockets of all nodes.
    private let folder: String
    /// The coordinator's first.
    private let ports: [Int]

    /// What `THRONG_TEST_CITUS` names, as in `/tmp/nodes:6500,6501,6502`; nil where it is not set.
    static let current: TestNodes? = {
        let parts = ProcessInfo.processInfo.environment["THRONG_TEST_CITUS"]?.split(separator: ":") ?? []
        let ports = parts.last?.split(separator: ",").compactMap { Int($0) } ?? []
        guard parts.count == 2, ports.count > 1 else { return nil }
        return TestNodes(folder: String(parts[0]), ports: ports)
    }()

    private func settings(_ name: String, _ port: Int) -> ConnectionSettings {
        ConnectionSettings(connectionString: "host=\(folder) port=\(port) user=postgres dbname=\(name)")
    }

    /// What is being made: roles belong to all databases, and Citus changes them on all nodes, which two can't do at once.
    private static let last = Mutex<Task<Void, Never>?>(nil)

    /// A database with Throng's schema, whose counters are on the nodes; one is made after the other.
    func database(_ name: String) async throws -> ConnectionSettings {
        let made = Self.last.withLock { last in
            let before = last
            let made = Task {
                await before?.value
                return try await make(name)
            }
            last = Task { _ = await made.result }
            return made
        }
        return try await made.value
    }

    private func make(_ name: String) async throws -> ConnectionSettings {
        for port in ports {
            let admin = Connection(settings("postgres", port))
            defer { admin.close() }
            try await admin.execute("set citus.enable_create_database_propagation to off")
            try await admin.execute("create database \(name)")
            let node = Connection(settings(name, port))
            defer { node.close() }
            try await node.execute("create extension citus")
        }
        let owner = Connection(settings(name, ports[0]))
        defer { owner.close() }
        try await owner.execute("select citus_set_coordinator_host('127.0.0.1', \(ports[0]))")
        for port in ports.dropFirst() { try await owner.execute("select citus_add_node('127.0.0.1', \(port))") }
        try await Migrator(owner).migrate()
        try await Distribution(owner).distribute(parts: 4)
        return settings(name, ports[0])
    }
}
