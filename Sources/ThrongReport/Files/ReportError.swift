package enum ReportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A page template of this program does not parse.
    case template(name: String, reason: String)
    case workbook(call: String, file: String, reason: String)
    case system(call: String, path: String, code: Int32)

    package var description: String {
        switch self {
        case .template(let name, let reason):
            "the built-in template \(name) does not parse (\(reason)). This is a fault of the program: please report it."
        case .workbook(let call, let file, let reason):
            "\(call) failed on the workbook \(file): \(reason). Check that there is memory, and room for temporary files."
        case .system(let call, let path, let code):
            """
            \(call) failed on \(path) with error \(code). Check that the folder exists, has room and may be written by \
            this user; delivery may then be repeated without harm.
            """
        }
    }
}
