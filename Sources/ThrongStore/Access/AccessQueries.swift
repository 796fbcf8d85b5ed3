internal import ThrongPlan

extension Query {
    static func insertToken(token: AccessToken, hash: [UInt8]) -> Statement {
        var (app, partner): (AppName?, PartnerName?) = (nil, nil)
        if case .partner(let name, let owner) = token.role { (app, partner) = (owner, name) }
        return Statement(
            "access_token.insert", PackageResources.access_token_insert_sql,
            token.id, hash, token.role.word, app, partner, token.note, token.createdAt, token.expiresAt)
    }

    static func selectTokens(id: String?) -> RowQuery<(token: AccessToken, hash: [UInt8])> {
        RowQuery("access_token.select", PackageResources.access_token_select_sql, id) {
            (
                AccessToken(id: $0, role: $1, note: $2, createdAt: $3, expiresAt: $4, revokedAt: $5),
                $6
            )
        }
    }

    static func revokeToken(id: String, now: UnixSeconds) -> Statement {
        Statement("access_token.revoke", PackageResources.access_token_revoke_sql, id, now)
    }

    static func selectPartnerFiles(app: AppName, partner: PartnerName) -> RowQuery<KeptReportFile> {
        RowQuery(
            "run_file.select_partner", PackageResources.run_file_select_partner_sql, app, partner,
            row: KeptReportFile.init)
    }

    /// The contents of one file, only for the partner that it was made for.
    static func selectPartnerFile(
        app: AppName, partner: PartnerName, report: ReportName, name: String
    ) -> RowQuery<[UInt8]> {
        RowQuery(
            "run_file.select_contents", PackageResources.run_file_select_contents_sql, app, partner, report, name)
    }

    static func selectLastReleases(most: Int) -> RowQuery<ReleaseNote> {
        RowQuery("release.select_last", PackageResources.release_select_last_sql, most, row: ReleaseNote.init)
    }
}

/// A word, and the app and the partner of a partner's.
extension AccessRole: ColumnValue {
    init(reading row: inout RowReader) throws {
        let (word, app, partner) = (try row.text(), try row.next(AppName?.self), try row.next(PartnerName?.self))
        switch (word, app, partner) {
        case ("partner", let app?, let partner?): self = .partner(partner, of: app)
        case ("operator", _, _): self = .operations
        case ("analyst", _, _): self = .analysis
        default: throw row.unexpected
        }
    }
}
