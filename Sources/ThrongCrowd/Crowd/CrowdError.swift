/// The reason why a file of the sample, or one of shares, can't be read.
package enum CrowdError: Error, Equatable, CustomStringConvertible {
    case unreadable(file: String)
    case malformed(file: String, line: Int)
    case malformedShare(file: String, line: Int)
    case lacksColumns(file: String)
    case unlikeHeader(file: String, line: Int)

    package var description: String {
        switch self {
        case .unreadable(let file):
            "\(file): there is no such file, or it can't be read. Name a file of the sample, as in Deploy/sample, or none at all."
        case .malformed(let file, let line):
            "\(file): line \(line) is no device. Each line is one JSON object, as in Deploy/sample/devices.ndjson.gz."
        case .malformedShare(let file, let line):
            "\(file): line \(line) is no share. After a header each line is a dimension of the plan, one of its buckets, and a number "
                + "from 0, such as genre,News,0.4; or devices, an event and a share; events, an event and a number from 1; or "
                + "consent, a purpose that asks and a share."
        case .lacksColumns(let file):
            "\(file): its first line lacks one of user_id, session_id, event, timestamp, acquisition_channel, "
                + "user_lifecycle. Name a file such as Deploy/sample/shop.csv.gz."
        case .unlikeHeader(let file, let line):
            "\(file): line \(line) does not fit the first line, or has no instant such as 2024-03-13 10:21:14. Mend the line."
        }
    }
}
