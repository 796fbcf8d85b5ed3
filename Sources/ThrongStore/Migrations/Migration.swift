internal import Crypto
internal import Foundation
internal import ThrongSystem

/// One numbered step of the schema; once it landed, its text never changes.
package struct Migration: Sendable, Hashable {
    package let version: Int
    /// The name of its file in the folder Schema.
    package let name: String
    package let checksum: [UInt8]
    /// The earliest version of the schema whose programs go on working with the database after it; nil if only programs
    /// that know this migration do. Its first line says so: `-- Works with version 1.`
    let worksWith: Int?
    let sql: String

    init(version: Int, name: String, text: [UInt8]) {
        (self.version, self.name) = (version, name)
        checksum = Array(SHA256.hash(data: text))
        let sql = String(decoding: text, as: UTF8.self)
        self.sql = sql
        worksWith = sql.prefixMatch(of: #/-- Works with version (\d+)\.\n/#).flatMap { Int($0.1) }
    }

    /// The schema that this version of Throng works with, in order.
    package static let all = [Migration(version: 1, name: "0001.schema.sql", text: PackageResources._001_schema_sql)]

    /// The schema that this program brings databases to: ``all``, and in trials of upgrades a possible addition of the
    /// next version.
    package static var known: [Migration] {
        #if DEBUG
            if Fault.knowTomorrow.isOn { return all + [.tomorrow] }
        #endif
        return all
    }

    #if DEBUG
        /// A migration as the next version might have: it only adds, and programs of this version go on working.
        static let tomorrow = Migration(
            version: (all.last?.version ?? 0) + 1, name: "tomorrow.sql",
            text: Array(
                """
                -- Works with version \(all.last?.version ?? 0).
                alter table throng.member add column remark text;
                """.utf8))
    #endif
}
