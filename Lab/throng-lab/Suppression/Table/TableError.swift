/// A problem with a table or a hierarchy that someone brought.
package enum TableError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is no CSV.
    case notCSV(file: String)
    /// The header lacks a column.
    case columnMissing(file: String, column: String, found: [String])
    /// A row has more or fewer values than the header.
    case raggedRow(file: String, row: Int, found: Int, expected: Int)
    /// A value is no whole number of at least 0, or no decimal number of at least 0.
    case notANumber(file: String, row: Int, column: String)
    /// Two rows are about the same cell.
    case rowTwice(file: String, row: Int, first: Int)
    /// A row is about a parent; only leaves are summed.
    case rowOfParent(file: String, row: Int, code: String)
    /// A row has a code that the dimension's hierarchy does not name.
    case codeNotInHierarchy(file: String, row: Int, dimension: String, code: String)
    /// A code has two parents in one hierarchy, or is its own ancestor.
    case notATree(file: String, code: String)
    /// There is a hierarchy of a column that the table does not have.
    case unknownDimension(String, found: [String])
    /// The second largest contribution is larger than the largest, or both are more than the value.
    case contributionsTooLarge(file: String, row: Int)
    /// The table has no rows.
    case empty(file: String)
    /// Several hierarchies of a dimension name one code for different leaves.
    case codeOfTwoMeanings(dimension: String, code: String)
    /// Linked tables have other dimensions.
    case otherDimensions(file: String, found: [String], expected: [String])
    /// Linked tables say different things of one cell.
    case otherNumbers(file: String, row: Int, other: String, otherRow: Int)
    /// A row of a linked table is not what its leaves add up to.
    case notTheSum(file: String, row: Int)

    /// A message: what was found and what to do. Rows are counted like lines of the file: the header is row 1.
    package var description: String {
        switch self {
        case .notCSV(let file):
            "\(file) is no CSV: write a header and comma-separated rows, with quotes around values that hold commas"
        case .columnMissing(let file, let column, let found):
            "\(file) has no column '\(column)'; its columns are \(found.joined(separator: ", "))"
        case .raggedRow(let file, let row, let found, let expected):
            "\(file):\(row): \(found) values, but the header has \(expected)"
        case .notANumber(let file, let row, let column):
            "\(file):\(row): column '\(column)' takes a number of at least 0, with at most six decimal places"
        case .rowTwice(let file, let row, let first):
            "\(file):\(row): the same cell as row \(first); keep one row a cell"
        case .rowOfParent(let file, let row, let code):
            "\(file):\(row): '\(code)' is a parent in its hierarchy; bring rows of leaves only, sums are made here"
        case .codeNotInHierarchy(let file, let row, let dimension, let code):
            "\(file):\(row): '\(code)' is not in the hierarchy of '\(dimension)'; name it there with its parent"
        case .notATree(let file, let code):
            "\(file): '\(code)' has two parents or is its own ancestor; a hierarchy is a tree, and a dimension may have several"
        case .unknownDimension(let name, let found):
            "'\(name)' is no dimension of the table; its dimensions are "
                + found.joined(separator: ", ")
        case .contributionsTooLarge(let file, let row):
            "\(file):\(row): the two largest contributions don't fit together with the value"
        case .empty(let file):
            "\(file) has no rows"
        case .codeOfTwoMeanings(let dimension, let code):
            "two hierarchies of '\(dimension)' name '\(code)' for different leaves; give one of them another code"
        case .otherDimensions(let file, let found, let expected):
            "\(file) has the dimensions \(found.joined(separator: ", ")), not \(expected.joined(separator: ", ")); link tables "
                + "of different dimensions by the finer table that they are sums of, with --leaves"
        case .otherNumbers(let file, let row, let other, let otherRow):
            "\(file):\(row): the cell of \(other):\(otherRow), with other numbers; linked tables agree where they meet"
        case .notTheSum(let file, let row):
            "\(file):\(row): not the sum of its leaves; bring leaves that add up to every row of the table"
        }
    }
}
