/// A query from the folder Schema/queries.
package struct Query: Sendable {
    /// The file's name without its ending; what errors call it.
    package let name: String
    /// The file's text.
    package let sql: String

    package init(_ name: String, _ text: [UInt8]) {
        self.name = name
        sql = String(decoding: text, as: UTF8.self)
    }

    /// This query with values for its parameters.
    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name: name, sql: sql, parameters: parameters)
    }
}
