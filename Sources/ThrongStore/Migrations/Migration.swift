internal import Crypto
internal import Foundation

/// One numbered step of the schema; once it landed, its text never changes.
package struct Migration: Sendable, Hashable {
    /// 1 for the first.
    package let version: Int
    /// Its file in the folder Schema.
    package let name: String
    /// SHA-256 of its text: 32 bytes.
    package let checksum: [UInt8]
    /// Programs that know the schema from this version on go on working with the database after it; nil for none but those that know
    /// this migration. Its first line says so: `-- Works with version 31.`
    let worksWith: Int?
    /// What is run.
    let sql: String

    init(version: Int, name: String, text: [UInt8]) {
        self.version = version
        self.name = name
        checksum = Array(SHA256.hash(data: text))
        let sql = String(decoding: text, as: UTF8.self)
        self.sql = sql
        worksWith = sql.prefixMatch(of: #/-- Works with version (\d+)\.\n/#).flatMap { Int($0.1) }
    }

    /// The schema that this version of Throng works with, in order.
    package static let all = [
        Migration(version: 1, name: "0001.initial.sql", text: PackageResources._001_initial_sql),
        Migration(version: 2, name: "0002.functions.sql", text: PackageResources._002_functions_sql),
        Migration(version: 3, name: "0003.top_contribution.sql", text: PackageResources._003_top_contribution_sql),
        Migration(version: 4, name: "0004.ledger.sql", text: PackageResources._004_ledger_sql),
        Migration(version: 5, name: "0005.noise.sql", text: PackageResources._005_noise_sql),
        Migration(version: 6, name: "0006.tied.sql", text: PackageResources._006_tied_sql),
        Migration(version: 7, name: "0007.fence.sql", text: PackageResources._007_fence_sql),
        Migration(version: 8, name: "0008.firsts.sql", text: PackageResources._008_firsts_sql),
        Migration(version: 9, name: "0009.revealed.sql", text: PackageResources._009_revealed_sql),
        Migration(version: 10, name: "0010.analysts.sql", text: PackageResources._010_analysts_sql),
        Migration(version: 11, name: "0011.delivery.sql", text: PackageResources._011_delivery_sql),
        Migration(version: 12, name: "0012.portal.sql", text: PackageResources._012_portal_sql),
        Migration(version: 13, name: "0013.explorer.sql", text: PackageResources._013_explorer_sql),
        Migration(version: 14, name: "0014.identifiers.sql", text: PackageResources._014_identifiers_sql),
        Migration(version: 15, name: "0015.terms_and_kinds.sql", text: PackageResources._015_terms_and_kinds_sql),
        Migration(version: 16, name: "0016.lease.sql", text: PackageResources._016_lease_sql),
        Migration(version: 17, name: "0017.clock_age_settling.sql", text: PackageResources._017_clock_age_settling_sql),
        Migration(version: 18, name: "0018.window_closing.sql", text: PackageResources._018_window_closing_sql),
        Migration(version: 19, name: "0019.frozen_terms.sql", text: PackageResources._019_frozen_terms_sql),
        Migration(version: 20, name: "0020.origins.sql", text: PackageResources._020_origins_sql),
        Migration(version: 21, name: "0021.shown_rows.sql", text: PackageResources._021_shown_rows_sql),
        Migration(version: 22, name: "0022.left_out.sql", text: PackageResources._022_left_out_sql),
        Migration(version: 23, name: "0023.promises.sql", text: PackageResources._023_promises_sql),
        Migration(version: 24, name: "0024.removals.sql", text: PackageResources._024_removals_sql),
        Migration(version: 25, name: "0025.app_deletion.sql", text: PackageResources._025_app_deletion_sql),
        Migration(version: 26, name: "0026.backup_keys.sql", text: PackageResources._026_backup_keys_sql),
        Migration(
            version: 27, name: "0027.recipients_and_copies.sql",
            text: PackageResources._027_recipients_and_copies_sql),
        Migration(version: 28, name: "0028.pruning.sql", text: PackageResources._028_pruning_sql),
        Migration(version: 29, name: "0029.proved_firsts.sql", text: PackageResources._029_proved_firsts_sql),
        Migration(version: 30, name: "0030.evaluated.sql", text: PackageResources._030_evaluated_sql),
        Migration(version: 31, name: "0031.members.sql", text: PackageResources._031_members_sql),
        Migration(version: 32, name: "0032.distributed.sql", text: PackageResources._032_distributed_sql),
        Migration(version: 33, name: "0033.plan_in_force.sql", text: PackageResources._033_plan_in_force_sql),
        Migration(version: 34, name: "0034.owing.sql", text: PackageResources._034_owing_sql),
        Migration(version: 35, name: "0035.owed_until.sql", text: PackageResources._035_owed_until_sql),
        Migration(version: 36, name: "0036.margins.sql", text: PackageResources._036_margins_sql),
    ]

    #if DEBUG
        /// As the next version's might be: it adds to what is there, and programs of this version go on.
        static let tomorrow = Migration(
            version: (all.last?.version ?? 0) + 1, name: "tomorrow.sql",
            text: Array(
                """
                -- Works with version \(all.last?.version ?? 0).
                alter table throng.member add column remark text;
                """.utf8))
    #endif
}
