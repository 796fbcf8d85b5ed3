internal import ThrongWire

/// The mark that tells routes that a request was opened here: a header field whose value only this process knows.
enum SealedMark {
    static let name = "throng-sealed"
    static let value = BatchID.random().description
}
