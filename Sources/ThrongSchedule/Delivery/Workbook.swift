internal import CLinux
internal import CXlsxWriter
internal import Foundation
internal import Glibc
package import ThrongPlan
package import ThrongReport

/// Sheets as an Excel workbook (ECMA-376), which libxlsxwriter writes: the same sheets make the same bytes.
package struct Workbook {
    private let file: String
    private let book: UnsafeMutablePointer<lxw_workbook>
    private var formats: [String: UnsafeMutablePointer<lxw_format>] = [:]

    /// Writes sheets into a file that is in memory alone; the library writes to files only.
    package static func bytes(of sheets: [Sheet], created: UnixSeconds, file: String) throws(ReportError) -> [UInt8] {
        let memory = throng_nameless_file()
        guard memory >= 0 else { throw .system(call: "memfd_create", path: file, code: errno) }
        let handle = FileHandle(fileDescriptor: memory, closeOnDealloc: true)
        guard let book = workbook_new("/proc/self/fd/\(memory)") else {
            throw .workbook(call: "workbook_new", file: file, reason: "no memory")
        }
        var workbook = Workbook(file: file, book: book)
        do throws(ReportError) {
            var properties = lxw_doc_properties()
            properties.created = time_t(created.value)
            try workbook.check("workbook_set_properties", workbook_set_properties(book, &properties))
            for sheet in sheets { try workbook.add(sheet) }
        } catch {
            lxw_workbook_free(book)
            throw error
        }
        try workbook.check("workbook_close", workbook_close(book))
        do {
            try handle.seek(toOffset: 0)
            return Array(try handle.readToEnd() ?? Data())
        } catch { throw .workbook(call: "read", file: file, reason: "\(error)") }
    }

    private func check(_ call: String, _ error: lxw_error) throws(ReportError) {
        guard error != LXW_NO_ERROR else { return }
        throw .workbook(call: call, file: file, reason: lxw_strerror(error).map { String(cString: $0) } ?? "\(error)")
    }

    /// A format: how numbers are written, `@` for texts.
    private mutating func format(_ numbers: String, isBold: Bool = false) -> UnsafeMutablePointer<lxw_format>? {
        let key = numbers + (isBold ? " bold" : "")
        if let format = formats[key] { return format }
        guard let format = workbook_add_format(book) else { return nil }
        format_set_num_format(format, numbers)
        if isBold { format_set_bold(format) }
        formats[key] = format
        return format
    }

    private mutating func add(_ sheet: Sheet) throws(ReportError) {
        guard let page = workbook_add_worksheet(book, sheet.name) else {
            throw .workbook(call: "workbook_add_worksheet", file: file, reason: "no sheet '\(sheet.name)'")
        }
        if sheet.isRightToLeft { worksheet_right_to_left(page) }
        for (place, width) in sheet.widths.enumerated() {
            let column = lxw_col_t(clamping: place)
            try check("worksheet_set_column", worksheet_set_column(page, column, column, width, nil))
        }
        let head = sheet.lines.count + 1
        let table = sheet.heads.isEmpty ? [] : [[], sheet.heads.map { SheetCell.text($0) }] + sheet.rows
        let rows = sheet.lines.map { [SheetCell.text($0)] } + table + [[]] + sheet.notes.map { [SheetCell.text($0)] }
        for (row, cells) in rows.enumerated() {
            for (column, cell) in cells.enumerated() {
                let (y, x) = (lxw_row_t(clamping: row), lxw_col_t(clamping: column))
                switch cell {
                case .text(let text):
                    // A control steers text instead of being some, and not all of them are XML.
                    let plain = text.unicodeScalars.reduce(into: "") { $0 += $1.isControl ? "\u{fffd}" : String($1) }
                    let style = format("@", isBold: row == 0 || row == head && !table.isEmpty)
                    try check("worksheet_write_string", worksheet_write_string(page, y, x, plain, style))
                case .number(let number, let isShare):
                    let places = number.places == 0 ? "" : "." + String(repeating: "0", count: number.places)
                    let style = format(isShare ? "0.0%" : "#,##0" + places)
                    try check("worksheet_write_number", worksheet_write_number(page, y, x, number.approximate, style))
                case .empty: break
                }
            }
        }
        if !table.isEmpty { worksheet_freeze_panes(page, lxw_row_t(clamping: head + 1), 0) }
        let texts = UInt8(LXW_IGNORE_NUMBER_STORED_AS_TEXT.rawValue)
        try check("worksheet_ignore_errors", worksheet_ignore_errors(page, texts, "A1:XFD1048576"))
    }
}

extension ReportDocument {
    /// The report as a workbook, made at the end of its period.
    package func workbook() throws(ReportError) -> ReportFile {
        let file = ReportFile.stem(report: name.text, period: periodLabel) + ".xlsx"
        return ReportFile(name: file, bytes: try Workbook.bytes(of: sheets, created: period.end, file: file))
    }
}
