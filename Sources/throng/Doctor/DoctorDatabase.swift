import Foundation
import Logging
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The PostgreSQL of a daemon, as `throng doctor` finds it, and the clocks that both go by.
struct DoctorDatabase {
    private let place: Place
    private let settings: Settings
    /// The first supported version of PostgreSQL.
    private static let oldest = 15

    init(_ place: Place, _ settings: Settings) {
        self.place = place
        self.settings = settings
    }

    var findings: [DoctorFinding] {
        get async {
            if let database = settings.value(of: .database) {
                return await asked(ConnectionSettings(connectionString: database.text), "the one of \(database.place)")
            }
            let directory = settings.dataPath + "/postgres"
            guard FileManager.default.fileExists(atPath: directory) else {
                return [programs]
            }
            var logger = Logger(label: "throng")
            logger.logLevel = .error
            do {
                let cluster = try PrivateCluster(directory: directory, logger: logger)
                guard cluster.processID != nil else {
                    return [
                        DoctorFinding("PostgreSQL", .good, "the private one does not run; `throng serve` starts it")
                    ]
                }
                return await asked(cluster.settings, "the private one")
            } catch {
                return [DoctorFinding("PostgreSQL", .wrong, "\(error)", "apt-get install postgresql")]
            }
        }
    }

    /// The programs of a PostgreSQL that a first start needs.
    private var programs: DoctorFinding {
        let folder = "/usr/lib/postgresql"
        // A folder that is not there has no version in it.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let found = versions.filter { access("\(folder)/\($0)/bin/initdb", X_OK) == 0 }.compactMap { Int($0) }
        guard let newest = found.max(), newest >= Self.oldest else {
            return DoctorFinding(
                "PostgreSQL", .wrong, "none is set, and none of \(Self.oldest) or later is installed for a private one",
                "apt-get install postgresql, or name one by --database")
        }
        return DoctorFinding(
            "PostgreSQL", .good, "none is set; the first start makes a private one of version \(newest)")
    }

    private func asked(_ connection: ConnectionSettings, _ name: String) async -> [DoctorFinding] {
        do {
            let (version, missing) = try await standing(connection)
            let found = "\(name) answers, version \(version / 10_000).\(version % 10_000)"
            guard version >= Self.oldest * 10_000 else {
                return [
                    DoctorFinding(
                        "PostgreSQL", .wrong, "\(found), which is not supported",
                        "upgrade it to \(Self.oldest) or later")
                ]
            }
            guard missing == 0 else {
                return [
                    DoctorFinding(
                        "PostgreSQL", .look, "\(found), and lacks \(missing) migrations",
                        "throng database --migrate, as the schema's owner")
                ]
            }
            return [
                DoctorFinding("PostgreSQL", .good, "\(found), which is supported, with this version's schema"),
                try await clock(connection),
            ]
        } catch {
            return [
                DoctorFinding(
                    "PostgreSQL", .wrong, "\(name) can't be asked: \(error)",
                    "see whether it runs and lets this user in; events wait in the journal meanwhile")
            ]
        }
    }

    /// The server's version, and how many migrations it lacks where it is not too old for them.
    private func standing(_ settings: ConnectionSettings) async throws -> (version: Int, missing: Int) {
        let connection = Connection(settings)
        defer { connection.close() }
        let version = try await connection.run { $0.serverVersion }
        guard version >= Self.oldest * 10_000 else { return (version, 0) }
        return (version, try await Migrator(connection).status().count { $0.appliedAt == nil })
    }

    private func clock(_ settings: ConnectionSettings) async throws -> DoctorFinding {
        let store = DatabaseClock(settings)
        defer { store.close() }
        guard let doubt = try await MachineClock().look(store) else {
            return DoctorFinding("clock", .good, "the time of day is believed")
        }
        return DoctorFinding(
            "clock", .wrong, "\(doubt)", "set the clock; where it is right: throng doctor --confirm-clock DATE")
    }
}
