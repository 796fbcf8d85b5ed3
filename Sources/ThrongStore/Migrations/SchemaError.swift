/// Why a database's schema and this program do not belong together.
package enum SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A migration was applied with another text than this program carries.
    case altered(version: Int, name: String, recorded: String, expected: String)
    /// The database has seen a newer version of Throng.
    case newer(found: Int, known: Int)
    /// Migrations are missing.
    case outdated(found: Int, known: Int)

    /// What was found and what to do next.
    package var description: String {
        switch self {
        case .altered(let version, let name, let recorded, let expected):
            """
            schema: migration \(version) (\(name)) was applied with SHA-256 \(recorded) but this program carries \
            \(expected); run the version of throng that wrote this database, or restore the migration's text
            """
        case .newer(let found, let known):
            """
            schema: the database is at version \(found), this program knows \(known); update throng, nothing was changed
            """
        case .outdated(let found, let known):
            "schema: the database is at version \(found), this program needs \(known); run throng database migrate"
        }
    }
}
