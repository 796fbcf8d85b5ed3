@testable import ThrongServer

/// What stands in the header by which daemons hand requests on; anybody may send one.
struct MemberTarget: FuzzTarget {
    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let mark = MemberMark(String(decoding: bytes, as: UTF8.self)) else { return }
        let again = MemberMark(mark.text)
        try FuzzFinding.check(again == mark, .written(what: "a mark of a daemon"))
        try FuzzFinding.check(mark.secret.count * 2 <= bytes.count, .mismatch(what: "a mark and its secret"))
    }
}
