/// A query from the folder Schema/queries.
package struct Query: Sendable {
    /// The file's name without its ending; what errors call it.
    package let name: String
    /// The file's text without its header, so that what an operator sees of a running query begins with the query.
    package let sql: String

    package init(_ name: String, _ text: [UInt8]) {
        self.name = name
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        sql = lines.drop { $0.hasPrefix("-- ") }.joined(separator: "\n")
    }

    /// This query with values for its parameters.
    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name: name, sql: sql, parameters: parameters)
    }
}
