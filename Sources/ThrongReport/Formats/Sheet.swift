internal import Foundation

/// One sheet of a workbook: lines of text, a table, and notes below it.
package struct Sheet: Sendable, Hashable {
    /// The tab's name: at most 31 UTF-16 units, no two in a workbook alike whatever the case, none that Excel forbids.
    package internal(set) var name: String
    package let isRightToLeft: Bool
    package let lines: [String]
    package let heads: [String]
    package let rows: [[SheetCell]]
    package let notes: [String]

    package init(
        name: String, isRightToLeft: Bool = false, lines: [String], heads: [String], rows: [[SheetCell]],
        notes: [String]
    ) {
        (self.name, self.isRightToLeft, self.lines) = (name, isRightToLeft, lines)
        (self.heads, self.rows, self.notes) = (heads, rows, notes)
    }

    /// The widths of the columns, by heads and texts; numbers have room in each. Unit: digits.
    package var widths: [Double] {
        heads.enumerated().map { place, head in
            let texts = rows.compactMap { row in if case .text(let text) = row[place] { text } else { nil } }
            return min(([head] + texts).reduce(8) { max($0, $1.width / 0.64) } + 2, 70)
        }
    }
}

package enum SheetCell: Sendable, Hashable {
    /// A text, which stays one: `17.10` is no date, `1E5` no number and `=1+1` no formula.
    case text(String)
    /// A share is a fraction of 1.
    case number(Decimals, isShare: Bool)
    case empty

    package init(_ number: Decimals?, isShare: Bool = false) {
        self = number.map { .number($0, isShare: isShare) } ?? .empty
    }
    init(_ number: Int64?) { self.init(number.map { Decimals($0, over: 1, places: 0) }) }
}

extension [Sheet] {
    /// The sheets, each with a name that Excel takes: what is too long is cut, what is forbidden a blank, and what
    /// another one has gets a number. `History` is a sheet of Excel's own.
    package var named: [Sheet] {
        var taken: Set = ["history"]
        let ends = CharacterSet.whitespaces.union(CharacterSet(charactersIn: "'"))
        return map { sheet in
            var (sheet, number) = (sheet, 1)
            let whole = sheet.name.unicodeScalars.reduce(into: "") {
                $0 += $1.isControl || "[]:*?/\\".unicodeScalars.contains($1) ? " " : String($1)
            }
            repeat {
                let end = number == 1 ? "" : " \(number)"
                var start = whole.trimmingCharacters(in: ends)
                while (start + end).utf16.count > 31 { start = String(start.dropLast()).trimmingCharacters(in: ends) }
                sheet.name = (start.isEmpty ? "Sheet" : start) + end
                number += 1
            } while !taken.insert(sheet.name.lowercased()).inserted
            return sheet
        }
    }
}
