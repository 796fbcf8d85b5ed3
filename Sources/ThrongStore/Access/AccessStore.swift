package import ThrongPlan
package import ThrongPostgres

/// Who may look at pages, and the reports that partners find there.
///
/// Works as `throng_reporter`.
package final class AccessStore: Sendable {
    private let connection: Connection

    /// Prepares to work; the role of the settings is replaced by `throng_reporter`.
    package init(_ settings: ConnectionSettings) { connection = Connection(settings.acting(as: .reporter)) }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }

    // MARK: Tokens

    /// Notes a new token.
    package func add(_ token: AccessToken, _ secret: AccessSecret) async throws {
        let (app, partner): (Parameter, Parameter) =
            if case .partner(let partner, let app) = token.role {
                (.text(app.text), .text(partner.text))
            } else {
                (.null, .null)
            }
        _ = try await connection.run { session in
            try session.query(
                Query.insertToken([
                    .text(token.id), .bytes(secret.hash), .text(token.role.word), app, partner,
                    token.note.map { .text($0) } ?? .null, .instant(token.createdAt), .instant(token.expiresAt),
                ])
            ).affected
        }
    }

    /// All tokens that were ever given, in the order of their making.
    package func tokens() async throws -> [AccessToken] {
        try await connection.run { session in
            let rows = try session.query(Query.selectTokens([.null]))
            return try rows.indices.map { try Self.token(rows, $0) }
        }
    }

    /// A token by its public part; nil where there is none.
    package func token(_ id: String) async throws -> AccessToken? {
        try await connection.run { session in
            let rows = try session.query(Query.selectTokens([.text(id)]))
            return rows.count == 1 ? try Self.token(rows, 0) : nil
        }
    }

    /// The token that somebody holds; nil where there is none, whether or not its public part is known.
    package func token(of secret: AccessSecret) async throws -> AccessToken? {
        try await connection.run { session in
            let rows = try session.query(Query.selectTokens([.text(secret.id)]))
            guard rows.count == 1, secret.matches(try rows.bytes(0, 8)) else { return nil }
            return try Self.token(rows, 0)
        }
    }

    /// Takes a token back; false where there is none.
    ///
    /// - Parameter now: Unit: Unix seconds.
    package func revoke(_ id: String, now: Int64) async throws -> Bool {
        try await connection.run { session in
            try session.query(Query.revokeToken([.text(id), .instant(now)])).affected == 1
        }
    }

    private static func token(_ rows: Rows, _ row: Int) throws -> AccessToken {
        let role: AccessRole
        switch try rows.text(row, 1) {
        case "partner": role = .partner(PartnerName(try rows.text(row, 3)), of: AppName(try rows.text(row, 2)))
        case "operator": role = .operations
        case "analyst": role = .analysis
        default: throw PostgresError.unexpectedAnswer(query: Query.selectTokens.name)
        }
        return AccessToken(
            id: try rows.text(row, 0),
            role: role,
            note: rows.isNull(row, 4) ? nil : try rows.text(row, 4),
            createdAt: try rows.integer(row, 5),
            expiresAt: try rows.integer(row, 6),
            revokedAt: rows.isNull(row, 7) ? nil : try rows.integer(row, 7))
    }

    // MARK: Reports

    /// The files that a partner has, by report, the latest period first.
    package func files(of partner: PartnerName, app: AppName) async throws -> [KeptReportFile] {
        try await connection.run { session in
            let rows = try session.query(Query.selectPartnerFiles([.text(app.text), .text(partner.text)]))
            return try rows.indices.map { row in
                guard let kind = PeriodKind(code: try rows.integer(row, 1)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectPartnerFiles.name)
                }
                return KeptReportFile(
                    report: ReportName(try rows.text(row, 0)),
                    period: Period(kind: kind, start: try rows.integer(row, 2), end: try rows.integer(row, 3)),
                    name: try rows.text(row, 4),
                    bytes: Int(try rows.integer(row, 5)),
                    madeAt: try rows.integer(row, 6))
            }
        }
    }

    /// A file's bytes; nil where the partner has no such file.
    package func contents(
        of name: String, report: ReportName, partner: PartnerName, app: AppName
    ) async throws -> [UInt8]? {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectPartnerFile([.text(app.text), .text(partner.text), .text(report.text), .text(name)]))
            return rows.count == 1 ? try rows.bytes(0, 0) : nil
        }
    }

    // MARK: Health

    /// The last releases of all apps, the latest first.
    package func lastReleases(_ count: Int) async throws -> [ReleaseNote] {
        try await connection.run { session in
            let rows = try session.query(Query.selectLastReleases([.integer(Int64(count))]))
            return try rows.indices.map { row in
                guard let kind = PeriodKind(code: try rows.integer(row, 2)) else {
                    throw PostgresError.unexpectedAnswer(query: Query.selectLastReleases.name)
                }
                return ReleaseNote(
                    app: AppName(try rows.text(row, 0)),
                    metric: MetricName(try rows.text(row, 1)),
                    period: Period(kind: kind, start: try rows.integer(row, 3), end: try rows.integer(row, 4)),
                    madeAt: try rows.integer(row, 5))
            }
        }
    }
}
