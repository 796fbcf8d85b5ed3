internal import ThrongPlan

/// Notes a new token; of its secret only the hash is kept.
struct InsertToken: Command {
    static let text = Query("access_token.insert", PackageResources.access_token_insert_sql)

    let token: AccessToken
    /// SHA-256 of its secret: 32 bytes.
    let hash: [UInt8]

    var parameters: [Parameter] {
        var (app, partner): (AppName?, PartnerName?) = (nil, nil)
        if case .partner(let name, let owner) = token.role { (app, partner) = (owner, name) }
        return [
            .text(token.id), .bytes(hash), .text(token.role.word), .text(orNull: app?.text),
            .text(orNull: partner?.text), .text(orNull: token.note), .instant(token.createdAt),
            .instant(token.expiresAt),
        ]
    }
}

/// Tokens in the order of their making, with the hashes of their secrets.
struct SelectTokens: RowQuery {
    static let text = Query("access_token.select", PackageResources.access_token_select_sql)

    /// Its public part; nil takes all.
    let id: String?

    var parameters: [Parameter] { [.text(orNull: id)] }

    func row(_ columns: inout RowReader) throws -> (token: AccessToken, hash: [UInt8]) {
        let (id, word) = (try columns.text(), try columns.text())
        let (app, partner) = (try columns.optionalText(), try columns.optionalText())
        let token = AccessToken(
            id: id,
            role: try Self.role(word, app: app, partner: partner),
            note: try columns.optionalText(),
            createdAt: try columns.time(),
            expiresAt: try columns.time(),
            revokedAt: try columns.optionalTime())
        return (token, try columns.bytes())
    }

    private static func role(_ word: String, app: String?, partner: String?) throws(PostgresError) -> AccessRole {
        switch (word, app, partner) {
        case ("partner", let app?, let partner?): .partner(PartnerName(partner), of: AppName(app))
        case ("operator", _, _): .operations
        case ("analyst", _, _): .analysis
        default: throw unexpected
        }
    }
}

/// Takes a token back.
struct RevokeToken: Command {
    static let text = Query("access_token.revoke", PackageResources.access_token_revoke_sql)

    let id: String
    let now: UnixSeconds

    var parameters: [Parameter] { [.text(id), .instant(now)] }
}

/// The files of one partner, by report, the latest period first.
struct SelectPartnerFiles: RowQuery {
    static let text = Query("run_file.select_partner", PackageResources.run_file_select_partner_sql)

    let app: AppName
    let partner: PartnerName

    var parameters: [Parameter] { [.text(app.text), .text(partner.text)] }

    func row(_ columns: inout RowReader) throws -> KeptReportFile {
        KeptReportFile(
            report: ReportName(try columns.text()),
            period: try columns.period(),
            name: try columns.text(),
            bytes: try columns.int(),
            madeAt: try columns.time())
    }
}

/// The contents of one file, only for the partner that it was made for.
struct SelectPartnerFile: RowQuery {
    static let text = Query("run_file.select_contents", PackageResources.run_file_select_contents_sql)

    let app: AppName
    let partner: PartnerName
    let report: ReportName
    let name: String

    var parameters: [Parameter] { [.text(app.text), .text(partner.text), .text(report.text), .text(name)] }

    func row(_ columns: inout RowReader) throws -> [UInt8] { try columns.bytes() }
}

/// The last releases of all apps, the latest first.
struct SelectLastReleases: RowQuery {
    static let text = Query("release.select_last", PackageResources.release_select_last_sql)

    let most: Int

    var parameters: [Parameter] { [.integer(Int64(most))] }

    func row(_ columns: inout RowReader) throws -> ReleaseNote {
        ReleaseNote(
            app: AppName(try columns.text()),
            metric: MetricName(try columns.text()),
            period: try columns.period(),
            madeAt: try columns.time())
    }
}
