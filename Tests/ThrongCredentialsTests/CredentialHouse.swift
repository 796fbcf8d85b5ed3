import Foundation
import Logging
import Synchronization
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongJournal
import ThrongWire

/// A data directory of its own, by a clock that a test sets: it begins on 26 November 2026, at 08:00 UTC.
final class CredentialHouse: Sendable {
    let path: String
    let data: DataDirectory
    private let time = Mutex(UnixSeconds(1_795_680_000))

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "tc-\(UUID())").path
        data = try DataDirectory(path: path)
    }

    var now: UnixSeconds {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    var clock: UnixClock { UnixClock { [self] in now } }

    static let november = Epoch(containing: UnixSeconds(1_795_680_000))

    func keys(apps: [AppName] = ["shop", "notes"]) throws -> EpochKeys {
        try EpochKeys(data, apps: apps, clock: clock, logger: .silent)
    }

    /// The names of a folder's files.
    func files(_ folder: String = "credentials") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record(error)
        }
    }
}

extension Issuer {
    /// A credential, all the way over bytes.
    func credential(of app: AppName, _ epoch: Epoch) throws -> Credential {
        let made = Precredential(
            for: try IssuerKey(rawRepresentation: publicKey), requestContext: try epoch.requestContext(of: app))
        let request = try #require(try ProvedRequest(made.request.rawRepresentation))
        return try made.finalize(CredentialResponse(rawRepresentation: issue(request)))
    }
}

extension Logger {
    /// Says nothing.
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
