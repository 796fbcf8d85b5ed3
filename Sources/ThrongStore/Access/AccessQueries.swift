internal import ThrongPlan

extension Query {
    static func insertToken(token: AccessToken, hash: [UInt8]) -> Statement {
        var (app, partner): (AppName?, PartnerName?) = (nil, nil)
        if case .partner(let name, let owner) = token.role { (app, partner) = (owner, name) }
        return Statement(
            "access_token.insert", PackageResources.access_token_insert_sql,
            .text(token.id), .bytes(hash), .text(token.role.word), .text(orNull: app?.text),
            .text(orNull: partner?.text), .text(orNull: token.note), .instant(token.createdAt),
            .instant(token.expiresAt))
    }

    static func selectTokens(id: String?) -> RowQuery<(token: AccessToken, hash: [UInt8])> {
        RowQuery("access_token.select", PackageResources.access_token_select_sql, .text(orNull: id)) { columns in
            let (id, word) = (try columns.text(), try columns.text())
            let (app, partner) = (try columns.optionalText(), try columns.optionalText())
            guard let role = role(word, app: app, partner: partner) else { throw columns.unexpected }
            let token = AccessToken(
                id: id, role: role, note: try columns.optionalText(), createdAt: try columns.time(),
                expiresAt: try columns.time(), revokedAt: try columns.optionalTime())
            return (token, try columns.bytes())
        }
    }

    private static func role(_ word: String, app: String?, partner: String?) -> AccessRole? {
        switch (word, app, partner) {
        case ("partner", let app?, let partner?): .partner(PartnerName(partner), of: AppName(app))
        case ("operator", _, _): .operations
        case ("analyst", _, _): .analysis
        default: nil
        }
    }

    static func revokeToken(id: String, now: UnixSeconds) -> Statement {
        Statement("access_token.revoke", PackageResources.access_token_revoke_sql, .text(id), .instant(now))
    }

    static func selectPartnerFiles(app: AppName, partner: PartnerName) -> RowQuery<KeptReportFile> {
        RowQuery(
            "run_file.select_partner", PackageResources.run_file_select_partner_sql,
            .text(app.text), .text(partner.text)
        ) { columns in
            KeptReportFile(
                report: ReportName(try columns.text()), period: try columns.period(), name: try columns.text(),
                bytes: try columns.int(), madeAt: try columns.time())
        }
    }

    /// The contents of one file, only for the partner that it was made for.
    static func selectPartnerFile(app: AppName, partner: PartnerName, report: ReportName, name: String) -> RowQuery<
        [UInt8]
    > {
        RowQuery(
            "run_file.select_contents", PackageResources.run_file_select_contents_sql,
            .text(app.text), .text(partner.text), .text(report.text), .text(name)
        ) { try $0.bytes() }
    }

    static func selectLastReleases(most: Int) -> RowQuery<ReleaseNote> {
        RowQuery("release.select_last", PackageResources.release_select_last_sql, .integer(Int64(most))) { columns in
            ReleaseNote(
                app: AppName(try columns.text()), metric: MetricName(try columns.text()),
                period: try columns.period(), madeAt: try columns.time())
        }
    }
}
