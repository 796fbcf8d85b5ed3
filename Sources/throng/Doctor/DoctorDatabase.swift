import Foundation
import Logging
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The PostgreSQL of a daemon, as `throng doctor` finds it, and the clocks that both go by.
struct DoctorDatabase {
    private let place: Place
    private let settings: Settings

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
        let found = versions.filter { access("\(folder)/\($0)/bin/initdb", X_OK) == 0 }.sorted()
        guard let newest = found.last else {
            return DoctorFinding(
                "PostgreSQL", .wrong, "none is set, and none is installed for a private one",
                "apt-get install postgresql, or name one by --database")
        }
        return DoctorFinding(
            "PostgreSQL", .good, "none is set; the first start makes a private one of version \(newest)")
    }

    private func asked(_ connection: ConnectionSettings, _ name: String) async -> [DoctorFinding] {
        do {
            let missing = try await migrations(connection)
            var findings = [
                missing == 0
                    ? DoctorFinding("PostgreSQL", .good, "\(name) answers, with this version's schema")
                    : DoctorFinding(
                        "PostgreSQL", .look, "\(name) answers, and lacks \(missing) migrations",
                        "throng database --migrate, as the schema's owner")
            ]
            if missing == 0 { findings.append(try await clock(connection)) }
            return findings
        } catch {
            return [
                DoctorFinding(
                    "PostgreSQL", .wrong, "\(name) can't be asked: \(error)",
                    "see whether it runs and lets this user in; events wait in the journal meanwhile")
            ]
        }
    }

    private func migrations(_ settings: ConnectionSettings) async throws -> Int {
        let connection = Connection(settings)
        defer { connection.close() }
        return try await Migrator(connection).status().count { $0.appliedAt == nil }
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
