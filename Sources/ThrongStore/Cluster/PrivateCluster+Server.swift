internal import Foundation
internal import Glibc
internal import Logging

extension PrivateCluster {
    /// The programs to use and whom to run them as.
    struct Server: Sendable {
        let binaries: ServerBinaries
        let user: ServerUser
        let command: ServerCommand
    }

    /// How long a start may take, with the recovery after a crash. Unit: seconds.
    private static let startSeconds = 300
    /// How often a start is tried while backends of a killed server still hold its memory.
    private static let startTries = 30
    /// How many analysts may be connected at a time.
    private static let analystConnections = 20

    /// Makes the directories and finds the programs.
    func prepare() async throws -> Server {
        let user = try ServerUser.current()
        try makeDirectory(paths.root, for: user)
        if let obstacle = user.obstacle(to: paths.root) {
            throw ClusterError.notTraversable(directory: obstacle, user: user.name)
        }
        try makeDirectory(paths.logs, for: user)
        return Server(
            binaries: try ServerBinaries.find(version: try writtenVersion()),
            user: user,
            command: ServerCommand(user: user, paths: paths))
    }

    /// Makes the cluster if there is none; starts its server unless it runs.
    func start(_ server: Server) async throws {
        if try writtenVersion() == nil { try await initialize(server) }
        if let running = ServerProcess.running(paths) {
            logger.info("the private PostgreSQL still runs and is adopted", metadata: ["pid": "\(running.id)"])
            return
        }
        if ServerProcess.isLeftOver(paths) {
            for leftOver in [paths.processFile, paths.socketLock] where exists(leftOver) {
                try FileManager.default.removeItem(atPath: leftOver)
            }
        }
        try write(
            ClusterConfiguration.server(paths, connections: connections), to: "\(paths.data)/postgresql.conf",
            for: server.user)
        try write(ClusterConfiguration.access, to: "\(paths.data)/pg_hba.conf", for: server.user)
        var tries = 0
        while true {
            tries += 1
            do {
                try await server.command.run(
                    "\(server.binaries.directory)/pg_ctl",
                    [
                        "start", "-D", paths.data, "-w", "-t", "\(Self.startSeconds)", "-s",
                        "-l", "\(paths.logs)/start.log",
                    ])
                break
            } catch let error as ClusterError {
                // A killed server's backends need a moment to notice; until then its memory is in use.
                guard tries < Self.startTries, try lastStart().contains("still in use") else { throw error }
                try await Task.sleep(for: .seconds(1))
            }
        }
        logger.info("the private PostgreSQL was started")
    }

    /// Makes the database and the roles, and lets the roles log in: the socket's directory keeps everybody else out.
    func createDatabase() async throws {
        let connection = Connection(settings(database: "postgres"))
        defer { connection.close() }
        try await connection.run { session in
            for role in DatabaseRole.allCases {
                let name = Parameter.text(role.rawValue)
                let found = try session.query("role.find", "select from pg_roles where rolname = $1", [name])
                if found.count == 0 { try session.query("role.create", "create role \(role.rawValue)") }
                // Analysts leave connections for the daemon.
                let limit = role == .analyst ? Self.analystConnections : -1
                try session.query(
                    "role.login", "alter role \(role.rawValue) login connection limit \(limit)")
            }
            let found = try session.query(
                "database.find", "select from pg_database where datname = $1", [.text(Self.database)])
            if found.count == 0 {
                try session.query("database.create", "create database \(Self.database)")
            }
        }
    }

    private func initialize(_ server: Server) async throws {
        if exists(paths.data), try !FileManager.default.contentsOfDirectory(atPath: paths.data).isEmpty {
            throw ClusterError.notACluster(directory: paths.data)
        }
        if exists(paths.unfinishedData) { try FileManager.default.removeItem(atPath: paths.unfinishedData) }
        try await server.command.run(
            "\(server.binaries.directory)/initdb",
            [
                "-D", paths.unfinishedData, "-U", Self.owner, "--encoding=UTF8", "--locale=C", "--data-checksums",
                "--auth=trust", "--no-instructions",
            ])
        if exists(paths.data) { try FileManager.default.removeItem(atPath: paths.data) }
        try FileManager.default.moveItem(atPath: paths.unfinishedData, toPath: paths.data)
        logger.info("a private PostgreSQL was made", metadata: ["directory": "\(paths.data)"])
    }

    /// The major version that wrote the data; nil where there is none yet.
    private func writtenVersion() throws -> Int? {
        guard let content = FileManager.default.contents(atPath: "\(paths.data)/PG_VERSION") else { return nil }
        return Int(String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// What the server said before it began to write its own log.
    private func lastStart() throws -> String {
        let content = FileManager.default.contents(atPath: "\(paths.logs)/start.log") ?? Data()
        return String(String(decoding: content, as: UTF8.self).suffix(2000))
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func makeDirectory(_ path: String, for user: ServerUser) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try give(path, to: user, mode: 0o700)
    }

    private func write(_ text: String, to path: String, for user: ServerUser) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        try give(path, to: user, mode: 0o600)
    }

    private func give(_ path: String, to user: ServerUser, mode: mode_t) throws {
        guard chmod(path, mode) == 0, geteuid() != 0 || chown(path, user.user, user.group) == 0 else {
            throw ClusterError.commandFailed(
                program: "chown", status: Int(errno), output: "\(path) can't be given to \(user.name)")
        }
    }
}
