package import ThrongPlan

/// Access tokens, and the reports that partners download.
///
/// Works as `throng_reporter`.
package final class AccessStore: Sendable {
    let connection: Connection

    /// Prepares to work; the role of the settings is replaced by `throng_reporter`.
    package init(_ settings: ConnectionSettings) { connection = .reporting(settings) }

    package func close() { connection.close() }

    /// Closes the connection after `length`, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }

    // MARK: Tokens

    package func add(_ token: AccessToken, _ secret: AccessSecret) async throws {
        _ = try await connection.run { try $0.run(Query.insertToken(token: token, hash: secret.hash)) }
    }

    /// Returns all tokens ever given, in the order of their making.
    package func tokens() async throws -> [AccessToken] {
        try await connection.run { try $0.run(Query.selectTokens(id: nil)).map(\.token) }
    }

    /// Finds a token by its public part; nil where there is none.
    package func token(_ id: String) async throws -> AccessToken? {
        try await connection.run { try $0.first(Query.selectTokens(id: id))?.token }
    }

    /// Finds the token that a secret belongs to; nil if the public part is unknown or the secret is wrong.
    package func token(of secret: AccessSecret) async throws -> AccessToken? {
        try await connection.run { session in
            guard let known = try session.first(Query.selectTokens(id: secret.id)), secret.matches(known.hash) else {
                return nil
            }
            return known.token
        }
    }

    /// Takes a token back, and ends its sessions; false where there is none.
    package func revoke(_ id: String, now: UnixSeconds) async throws -> Bool {
        try await connection.run { session in
            try session.transaction {
                let isKnown = try session.run(Query.revokeToken(id: id, now: now)) == 1
                try session.run(Query.endSessions(token: id, left: 0))
                return isKnown
            }
        }
    }

    // MARK: Reports

    /// Returns the files of a partner, by report, the latest period first.
    package func files(of partner: PartnerName, app: AppName) async throws -> [KeptReportFile] {
        try await connection.run { try $0.run(Query.selectPartnerFiles(app: app, partner: partner)) }
    }

    /// Returns a file's bytes; nil where the partner has no such file.
    package func contents(
        of name: String, report: ReportName, partner: PartnerName, app: AppName
    ) async throws -> [UInt8]? {
        let file = Query.selectPartnerFile(app: app, partner: partner, report: report, name: name)
        return try await connection.run { session in
            let found = try session.run(file)
            return found.count == 1 ? found.first : nil
        }
    }

    // MARK: Health

    /// Returns the last releases of all apps, the latest first.
    package func lastReleases(_ count: Int) async throws -> [ReleaseNote] {
        try await connection.run { try $0.run(Query.selectLastReleases(most: count)) }
    }
}

/// A file of a report as its partner finds it, without its bytes.
package struct KeptReportFile: Sendable, Hashable {
    package let report: ReportName
    package let period: Period
    package let name: String
    /// Its size. Unit: bytes.
    package let bytes: Int
    package let madeAt: UnixSeconds
}

/// A note that a release was made, without its numbers.
package struct ReleaseNote: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    package let period: Period
    package let madeAt: UnixSeconds
}
